"""The splitter: a long Markdown text as several posts, each of which reads well by itself.

Fenced blocks are closed at the end of a post and opened again, with their language, in the next;
a table's head is repeated; cuts fall between paragraphs, lines, sentences (。！？； too), words,
and last between whole visible signs. Nothing is lost: the bodies of `pieces`, joined, are the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from bot.text.measure import Size, whole
from bot.text.regions import CodeMap, OpenFence, lines, opened_by

SPARE = 16
"""Kept free in each post, so that closing a fence that a cut brought about still fits."""

LONGEST_MARKS = 12
"""A cut goes back by so many signs at most to keep a run of ``` from opening a block."""

MOST_INFO = 30
"""Characters of a fence's language that are repeated."""

_ROW = re.compile(r"[^\n]*\|[^\n]*\n?")
_RULE = re.compile(r"[ \t>]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*\n?")
_TITLE = re.compile(r"^(?:[ ]{0,3}#{1,6}[ \t][^\n]*|[^\n|]{1,80}[:：])\n\s*\Z", re.M)
"""A heading, or a line that announces what follows, at the end of a text."""

_BREAKS = (
    re.compile(r"[。！？；!?][”’」』）)\"'*_]*|[.;][\"')*_]*(?=\s)\s+"),
    re.compile(r"[，、：]|[,:](?=\s)\s+"),
    re.compile(r"\s+"),
)
_TOGETHER = re.compile(
    r"(`+)(?!`).+?(?<!`)\1(?!`)|!?\[[^\[\]\n]{0,300}\]\([^()\s]{0,400}\)|\*\*[^*\n]{1,200}\*\*"
    r"|https?://[^\s<>]{1,400}|<[^<>\s]{1,400}>"
)


@dataclass(frozen=True)
class Piece:
    """One post: `before` and `after` are ours, `body` is the text's."""

    before: str
    body: str
    after: str
    inside: bool = False
    """The body begins within a line."""
    in_code: bool = False
    """The body begins within a fenced block."""

    @property
    def text(self) -> str:
        """What is posted: without empty lines at the ends, but where code stands."""
        body = self.body
        if not self.in_code:
            body = body.lstrip(" \t") if self.inside else body
            body = re.sub(r"\A(?:[ \t]*\n)+", "", body)
        if not self.after:
            body = body.rstrip()
        return self.before + body + self.after


def split(
    text: str, limit_chars: int, limit_bytes: int | None = None, *, utf16: bool = False
) -> list[str]:
    """`text` as posts of at most `limit_chars` characters (UTF-16 units with `utf16`) and
    `limit_bytes` bytes each; none is empty, an empty text gives none.
    """
    size = Size(limit_chars, limit_bytes, utf16)
    if size.fits(text):
        return [text] if text.strip() else []
    return [closed(piece.text, size) for piece in pieces(text, size)]


def pieces(text: str, size: Size) -> list[Piece]:
    """The posts with what was added to them; their bodies, joined, are `text` again."""
    maker = _Maker(size.less("x" * SPARE))
    for line, head in _with_table_heads(lines(text)):
        maker.add(line, head)
    maker.flush()
    return maker.made


def _with_table_heads(all_lines: list[str]) -> list[tuple[str, str]]:
    """Each line with the head of the table that it is a later row of; a head is one line here."""
    found: list[tuple[str, str]] = []
    head = ""
    fence: OpenFence | None = None
    for line in all_lines:
        before, fence = fence, after_line(fence, line)
        if before or fence:
            # What looks like a table inside code is code.
            head = ""
            found.append((line, ""))
            continue
        if "|" in line and _RULE.fullmatch(line) and found and _ROW.fullmatch(found[-1][0]):
            head = found.pop()[0] + line
            found.append((head, ""))
            continue
        if not _ROW.fullmatch(line):
            head = ""
        found.append((line, head))
    return found


def after_line(fence: OpenFence | None, line: str) -> OpenFence | None:
    """The fence that is open after a line, by the one that was open before it."""
    bare = line.removesuffix("\n")
    if fence is None:
        return opened_by(bare)
    return None if fence.closed_by(bare) else fence


@dataclass
class _Maker:
    size: Size
    made: list[Piece] = field(default_factory=list[Piece])
    body: str = ""
    before: str = ""
    inside: bool = False
    in_code: bool = False
    fence: OpenFence | None = None
    opened_at: int = -1
    """Where in the body the open fence begins."""

    def add(self, line: str, head: str) -> None:
        """Add a whole line, with a cut before it or within it where it does not fit."""
        bare = line.removesuffix("\n")
        closes = self.fence is not None and self.fence.closed_by(bare)
        opens = opened_by(bare) if self.fence is None else None
        while not self._fits(line, opens, closes):
            room = self._room(opens).head(line)
            prose = not (self.fence or opens or head or _ROW.fullmatch(line))
            if self.body.strip() and not (prose and self._is_half_free()):
                self._flush_before(head)
                continue
            cut = max(1, self._cut(line, room))
            self.body, line = self.body + line[:cut], line[cut:]
            if opens:
                self.fence, opens = opens, None
            self.flush()
            self.inside = True
        if opens:
            self.fence, self.opened_at = opens, len(self.body)
        elif closes:
            self.fence = None
        self.body += line

    def _is_half_free(self) -> bool:
        free, size = self.size.less(self.before + self.body), self.size
        in_bytes = free.bytes is None or size.bytes is None or free.bytes * 2 > size.bytes
        return free.chars * 2 > size.chars and in_bytes

    def _fits(self, line: str, opens: OpenFence | None, closes: bool) -> bool:
        if closes or not (self.fence or opens):
            return self.size.less(self.before + self.body).fits(line.rstrip())
        return self._room(opens).fits(line)

    def _room(self, opens: OpenFence | None) -> Size:
        fence = self.fence or opens
        closing = "" if fence is None else "\n" + _closing(fence)
        return self.size.less(self.before + self.body + closing)

    def _flush_before(self, head: str) -> None:
        """End the post before a line that goes to the next one."""
        at = self._moves_on()
        rest = self.body[at:]
        if self.fence is not None and at <= self.opened_at:
            fence, self.fence = self.fence, None
            self.body = self.body[:at]
            self.flush()
            self.fence, self.opened_at = fence, self.opened_at - at
        else:
            self.body = self.body[:at]
            self.flush()
        if head and not rest and self.size.less(head * 3).chars > 0:
            self.before = head
        self.body += rest

    def _moves_on(self) -> int:
        """Where in the body begins what would stand badly at the end of a post."""
        body = self.body
        if self.fence is not None:
            opener = self.opened_at
            alone = opener > 0 and not body[opener:].partition("\n")[2].strip()
            return opener if alone and body[:opener].strip() else len(body)
        title = _TITLE.search(body)
        if title is not None and body[: title.start()].strip():
            return title.start()
        code, shift = CodeMap.of(self.before + body), len(self.before)
        at = body.rfind("\n\n", len(body) * 6 // 10)
        while at > 0 and code.at(at + shift) is not None:
            at = body.rfind("\n\n", len(body) * 6 // 10, at)
        good = at > 0 and body[:at].strip() and not _ROW.search(body[at + 2 :])
        return at + 2 if good else len(body)

    def flush(self) -> None:
        """End the post here."""
        if not self.body.strip():
            self._keep_blank()
            return
        after = ""
        if self.fence is not None:
            after = ("" if self.body.endswith("\n") else "\n") + _closing(self.fence)
        self.made.append(Piece(self.before, self.body, after, self.inside, self.in_code))
        self.body, self.inside, self.in_code = "", False, self.fence is not None
        self.before = "" if self.fence is None else _opening(self.fence)
        self.opened_at = -1

    def _keep_blank(self) -> None:
        """White space alone is no post: it joins the one before, where it is not seen."""
        if self.made and self.body:
            self.made[-1] = replace(self.made[-1], body=self.made[-1].body + self.body)
            self.body = ""

    def _cut(self, line: str, most: int) -> int:
        """Where to cut a line: after a sentence, a part of one, a word, a visible sign."""
        kept = [] if self.fence else [(m.start(), m.end()) for m in _TOGETHER.finditer(line)]
        for breaks in _BREAKS if self.fence is None else _BREAKS[2:]:
            ends = [m.end() for m in breaks.finditer(line, 0, most + 1) if m.end() <= most]
            fair = (e for e in reversed(ends) if not any(a < e < b for a, b in kept))
            best = next((e for e in fair if whole(line, e) == e), 0)
            if best * 2 > most and not _reads_as_fence(line, best):
                return best
        at = whole(line, most)
        crossing = [a for a, b in kept if a < at < b and a * 2 > most]
        cut = crossing[0] if crossing else at
        free = (n for n in range(cut, max(0, cut - LONGEST_MARKS), -1))
        return next((n for n in free if not _reads_as_fence(line, n)), cut)


def _reads_as_fence(line: str, cut: int) -> bool:
    """True if a post that begins with the rest of a line would begin with a fence."""
    return re.match(r"[ \t>]*(?:`{3}|~{3})", line[cut:]) is not None


def _opening(fence: OpenFence) -> str:
    language = (fence.info.split() or [""])[0][:MOST_INFO]
    return f"{_lead(fence)}{fence.marks}{language}\n"


def _closing(fence: OpenFence) -> str:
    return f"{_lead(fence)}{fence.marks}"


def _lead(fence: OpenFence) -> str:
    """Quote marks stay; a list's bullet becomes the space that it takes."""
    return re.sub(r"[^\s>]", " ", fence.lead)


def closed(text: str, size: Size | None = None) -> str:
    """`text` with a fence that is open at its end closed; within `size`, by cutting code off."""
    fence: OpenFence | None = None
    for line in text.split("\n"):
        fence = after_line(fence, line)
    if fence is None:
        return text
    closing = f"\n{_closing(fence)}"
    kept = len(text) if size is None else size.less(closing).head(text)
    return text[:kept] + closing
