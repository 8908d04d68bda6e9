"""A rule of the router, and what it is held against: the text without its politeness."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

Arguments = dict[str, str | int]
Read = Callable[[Mapping[str, str | None]], Arguments | None]

_POLITE_START = re.compile(
    r"^(?:[\s,，.。!！:：、~]+"
    r"|请问一下|请问|麻烦你?|劳驾|拜托|你好|您好|嗨|hello\b|hi\b|hey\b|please\b|pls\b"
    r"|请?(?:你)?(?:帮我|帮忙|给我|告诉我|跟我说)(?:一下|下)?|请(?=[^假示问教求])"
    r"|(?:can|could|would|will) you (?:please )?(?:tell|show|give|find|search)? ?(?:me )?"
    r"|tell me|show me|give me|i(?:'d| would) like to know|i want to know|do you know"
    r"|我想(?:知道|问一?下?|看看?)|想(?:知道|问一?下?))",
    re.IGNORECASE,
)
_POLITE_END = re.compile(
    r"(?:[\s,，.。!！?？~、;；]+|[呢啊呀吧哦嘛哈]|谢谢|多谢|please|pls|thanks|thank you|thx)$",
    re.IGNORECASE,
)

ASKING = re.compile(
    r"[?？]|什么|什麼|谁|誰|怎么|怎麼|怎样|如何|多少|几[个天年月号位点次份]|哪|是否|是不是|能不能"
    r"|可不可以|有没有|吗|嗎"
    r"|为何|多久|多长|总结|概括|介绍|说明|解释|讲讲|说说|讲一下|说一下|查一?下|告诉我|列出|对比"
    r"|比较"
    r"|\b(?:what|who|whom|whose|which|when|where|why|how|is|are|was|were|does|do|did|can|could"
    r"|should|may|must|will|has|have|explain|summari[sz]e|describe|tell|list|show|compare|outline"
    r"|give)\b"
    r"|^\s*\S{1,14}\s*$"
    r"|^\s*(?:[\w'\-]+\s+){0,4}[\w'\-]+\s*$",
    re.IGNORECASE,
)
"""Looks like a question or asks for information; the last lines take bare keywords (`vpn setup`)
of a few words."""

_HAN_GAP = re.compile(r"(?<=[\u4e00-\u9fff]) (?=\S)|(?<=\S) (?=[\u4e00-\u9fff])")
"""People put spaces between Chinese and figures or English words, or do not."""

LONGEST_WHOLE = 300
"""Longer texts are never one plain request, and need not be held against each whole pattern."""

LONGEST_SEARCHED = 600
"""An order stands at the beginning of a message; what follows it is material."""


def tidy(question: str) -> str:
    """The question in one line, full-width forms folded, without marks and thanks at its end."""
    text = " ".join(unicodedata.normalize("NFKC", question).split())
    return re.sub(r"[\s,.!?~、;。，]+$", "", text)


def bare(question: str) -> str:
    """`tidy`, and without politeness at both ends."""
    text = tidy(question)
    while True:
        shorter = _POLITE_END.sub("", _POLITE_START.sub("", text)).strip()
        if shorter == text or not shorter:
            return text
        text = shorter


@dataclass(frozen=True)
class Rule:
    """One line of the table."""

    id: str
    mode: Literal["chat", "tool", "react", "loop"]
    patterns: tuple[re.Pattern[str], ...]
    zh: tuple[str, ...]
    en: tuple[str, ...]
    """Examples; each must be caught by this very rule."""
    tool: str = ""
    read: Read = field(default=lambda _: {})
    """Parameters from the named groups of the pattern; None: it does not fit after all."""
    needs: tuple[str, ...] = ()
    """Parameters without which the tool cannot be called; remembered preferences may fill them."""
    whole: bool = True
    """The pattern must fit all of the bare text; else it may stand anywhere."""

    def match(self, question: str, text: str) -> Arguments | None:
        """The parameters if the rule fits, else None. `text` is `bare(question)`."""
        if self.whole and len(text) > LONGEST_WHOLE:
            return None
        for pattern in self.patterns:
            for candidate in _readings(text, tidy(question)):
                head = candidate[:LONGEST_SEARCHED]
                found = pattern.fullmatch(candidate) if self.whole else pattern.search(head)
                arguments = None if found is None else self.read(found.groupdict())
                if arguments is not None:
                    return arguments
        return None


def _readings(*texts: str) -> list[str]:
    """The texts, and the same without the gaps that some put round Chinese; each once."""
    return list(dict.fromkeys(t for text in texts for t in (text, _HAN_GAP.sub("", text))))


def any_of(*patterns: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern, re.IGNORECASE) for pattern in patterns)
