"""A turn in pieces: sentences, and their clauses, without what is not the person's own word.

Quotations of others, code, and links go first. A clause knows whether it asks, imagines, mocks or
asks for something once: from such a clause nothing is kept.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from core.memory.gate import vetoes

_CODE = re.compile(
    r"```.*?(?:```|\Z)|^\s*(?:>|&gt;).*$|^\s*(?:Traceback|\s+at\s|File \").*$", re.S | re.M
)
_CODE_BLOCK = re.compile(r"```.*?(?:```|\Z)", re.S)
_QUOTE_LINE = re.compile(r"^\s*(?:>|&gt;).*$", re.M)
_LINK = re.compile(r"https?://\S+")
_QUOTED = re.compile(r"“[^”]{6,}”|「[^」]{6,}」|『[^』]{6,}』|\"[^\"\n]{6,}\"|‘[^’]{6,}’")
_SENTENCE = re.compile(
    r"(?<=[.!?])[\"')\]]*\s+|(?<=[。！？；!?;])|\n+|(?<=[\s.!?,)])(?=PS:?\s|P\.S\.)"
)
_CLAUSE = re.compile(
    r"(?<!\d),\s*|,(?!\d)\s*|，\s*|\s+[—–-]{1,2}\s+|—+|;\s*|；|(?<=[一-龥])\s+(?=[一-龥])"
    r"|\s+(?:and|but|so|because)\s+(?=(?:I|I'm|I've|my|we|we're|our|please|always|never|don't)\b)",
    re.I,
)
_LEAD = re.compile(
    r"^(?:(?:PS|P\.S\.|btw|by the way|fyi|also|oh|hey|hi|hello|ok(?:ay)?|well|so|and|but|anyway"
    r"|thanks|thank you|great|cool|just so you know|for the record|as i said|like i said|as always"
    r"|one more thing|note that|please note(?: that)?|heads up|good news|update)\b[\s:,!.]*"
    r"|(?:另外|还有|对了|顺便(?:说一下|一提)?|哦|嗯|好的|好|那|然后|而且|但是|不过|其实|所以|因为|大家好|你好"
    r"|你们好|谢谢|多谢|跟你说(?:一下)?|说一下|补充一下|提醒一下|ps)[\s,，:：、!！]*)+",
    re.I,
)


_WHEN = re.compile(
    r"(?:in (?:the )?future|from now on|going forward|from here on|by default|as a rule|in general|generally|next time"
    r"|(?:when(?:ever)?|any ?time|every time|each time|after|before|during|in|for|on|since|until|starting) [\w' ]{2,40}"
    r"|以后|今后|往后|从今(?:天|往后|以后)?(?:起|开始)?|从现在(?:起|开始)|(?:每次|每当|当)?[^，。]{1,14}(?:的时候|时)|下次|上次|平时|一般来说|总之)$",
    re.I,
)
"""Says when something holds, and nothing by itself."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A piece of a sentence."""

    text: str
    sentence: int
    vetoed: str = ""
    """Why nothing is kept from it: the name of the veto."""


def own_words(text: str) -> str:
    """A turn without what its author only hands on: code, quoted lines, quotations, links."""
    bare = _QUOTE_LINE.sub(" ", _CODE_BLOCK.sub(" ", text))
    return _QUOTED.sub(" … ", _LINK.sub(" ", bare))


def clauses_of(text: str) -> list[Clause]:
    """The clauses of a person's turn in order."""
    found: list[Clause] = []
    for number, sentence in enumerate(_SENTENCE.split(own_words(text))):
        sentence = (sentence or "").strip()
        if not sentence:
            continue
        whole = vetoes.of_sentence(sentence)
        for piece in _pieces(sentence):
            bare = trimmed(piece)
            if bare:
                found.append(Clause(bare, number, whole or vetoes.of_clause(bare)))
    return found


def _pieces(sentence: str) -> list[str]:
    """The clauses of a sentence; one that only says when goes with the next."""
    pieces: list[str] = []
    lead = ""
    for piece in _CLAUSE.split(sentence):
        if not piece or not piece.strip():
            continue
        whole = f"{lead}{piece.strip()}"
        if _WHEN.match(piece.strip()):
            lead = f"{whole}，" if re.search(r"[一-龥]$", piece.strip()) else f"{whole}, "
            continue
        pieces.append(whole)
        lead = ""
    return [*pieces, lead.rstrip("，, ")] if lead else pieces


def trimmed(text: str) -> str:
    """A clause without its greeting, and without signs at its ends."""
    bare = text.strip(" \t\n,，;；、.。!！~～:：)）(（…")
    lead = _LEAD.match(bare)
    rest = bare[lead.end() :].strip() if lead else bare
    return rest if rest else ""
