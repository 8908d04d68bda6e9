"""Which tools a model call carries in full: the pinned ones and the best few for the question.

A model chooses worse, and pays more, the more cards it is shown. The others are one line each in
the catalog, and two tools find and load them: `tool_search` and `lookup_tool_arguments`.
"""

from __future__ import annotations

import asyncio
import json
import math
import re
from collections import Counter, OrderedDict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from core.errors import ToolFailed
from core.index.embed import Embedder
from core.index.tokens import RUN_CHARACTER, normal, query_tokens, tokens
from core.messages import Language
from core.texts import say
from core.tools.arguments import near_names
from core.tools.execute import Outcome
from core.tools.tool import Arguments, Tool, ToolResult

CHOSEN = 5
"""Tools loaded beside the pinned ones."""
WORDS_WEIGHT = 0.5
KEYWORD_BONUS = 0.3
FLOOR = 0.12
"""Lowest score of a tool that has to do with a question. Measured on the multilingual encoder:
related pairs of two languages begin at 0.14; most unrelated ones stay below 0.1."""
BESIDE_THE_BEST = 0.5
"""Share of the best score that another tool must reach to be loaded with it."""
CLAUSES = 6
LINE = 120
"""Characters of a tool's line in the catalog."""
KEPT_VECTORS = 2_000

_CLAUSE = re.compile(
    r"[,，。；;！!？?\n]+|并且|并|然后|接着|同时|再(?!见)|\b(?:and then|and|then|also)\b", re.I
)
_EMPTY = re.compile(
    "the|and|for|with|this|that|from|you|your|are|was|has|have|not|any|all|its|into|about|use|take"
    "|call|than|then|will|would|should|there|here"
)


@dataclass
class Chooser:
    """Ranks tools by words and, where there is an encoder, by meaning. One for the process."""

    encoder: Embedder | None = None
    _vectors: OrderedDict[str, NDArray[np.float32]] = field(
        default_factory=lambda: OrderedDict[str, NDArray[np.float32]]()
    )

    async def choose(
        self, question: str, tools: Mapping[str, Tool], limit: int = CHOSEN
    ) -> tuple[str, ...]:
        """Names of the best tools for a question, best first; pinned ones are not looked at.

        Fewer than `limit` if the others have nothing to do with it. A question may want several
        things: each of its clauses brings its own best.
        """
        loose = {name: tool for name, tool in tools.items() if not tool.pinned}
        if not loose:
            return ()
        best: dict[str, float] = {}
        for scores in await self._scores(question, loose):
            floor = max(FLOOR, BESIDE_THE_BEST * max(scores.values()))
            for name, score in scores.items():
                if score >= floor:
                    best[name] = max(best.get(name, 0.0), score)
        order = list(loose)
        ranked = sorted(best, key=lambda name: (-best[name], order.index(name)))
        return tuple(ranked[:limit])

    async def ranked(self, query: str, tools: Mapping[str, Tool], limit: int) -> tuple[str, ...]:
        """The nearest tools to a query, best first, however far they are."""
        whole = (await self._scores(query, tools))[0] if tools else {}
        order = list(tools)
        names = sorted(whole, key=lambda name: (-whole[name], order.index(name)))
        return tuple(name for name in names if whole[name] > 0)[:limit]

    async def _scores(self, question: str, tools: Mapping[str, Tool]) -> list[dict[str, float]]:
        """Scores by name: of the whole question first, then of each clause."""
        asked = [question, *_clauses(question)]
        held = {name: set(tokens(_card(tool))) for name, tool in tools.items()}
        frequency = Counter(token for words in held.values() for token in words)
        near = await self._near(asked, tools)
        scores: list[dict[str, float]] = []
        for place, text in enumerate(asked):
            weights = {
                token: math.log(1 + len(tools) / frequency[token]) if frequency[token] else 1.0
                for token in query_tokens(text)
                if _tells(token)
            }
            total = sum(weights.values()) or 1.0
            plain = normal(text)
            scores.append(
                {
                    name: near[place].get(name, 0.0)
                    + WORDS_WEIGHT * sum(weights[t] for t in weights if t in held[name]) / total
                    + KEYWORD_BONUS * _named(plain, tool)
                    for name, tool in tools.items()
                }
            )
        return scores

    async def _near(
        self, asked: Sequence[str], tools: Mapping[str, Tool]
    ) -> list[dict[str, float]]:
        """Cosines by name for each text; empty without an encoder."""
        if self.encoder is None:
            return [{} for _ in asked]
        cards = {name: _meaning(tool) for name, tool in tools.items()}
        missing = [card for card in dict.fromkeys(cards.values()) if card not in self._vectors]
        made = await asyncio.to_thread(self.encoder.embed, [*asked, *missing])
        self._vectors.update(zip(missing, made[len(asked) :], strict=True))
        table = np.stack([self._vectors[card] for card in cards.values()])
        while len(self._vectors) > KEPT_VECTORS:
            self._vectors.popitem(last=False)
        cosines = made[: len(asked)] @ table.T
        return [dict(zip(cards, map(float, row), strict=True)) for row in cosines]


@dataclass
class Shelf:
    """Which tools of one loop are loaded. It only grows, so that a prompt's cache stays good.

    What was loaded follows from the question and from what was seen: a resumed run that sees the
    same calls has the same tools loaded.
    """

    chooser: Chooser
    question: str
    language: Language
    limit: int = CHOSEN
    wanted: dict[str, None] = field(default_factory=dict[str, None])
    """Names loaded beside the pinned ones, in the order in which they came."""
    _known: frozenset[str] = frozenset()

    async def split(self, tools: Mapping[str, Tool]) -> tuple[dict[str, Tool], dict[str, Tool]]:
        """(loaded, only named). The tools that find others are loaded while there are others.

        Loaded are the pinned ones first, then the best, then what was asked for: what is new comes
        last, so that a provider's cache keeps what stands before it.
        """
        loose = [name for name, tool in tools.items() if not tool.pinned]
        if len(loose) <= self.limit:
            return dict(tools), {}
        if not self._known.issuperset(loose):
            self._known = frozenset(loose)
            self._want(await self.chooser.choose(self.question, tools, self.limit))
        loaded = {name: tool for name, tool in tools.items() if tool.pinned}
        asked = {name: tools[name] for name in self.wanted if name in tools}
        unloaded = {
            name: tool for name, tool in tools.items() if name not in loaded and name not in asked
        }
        if unloaded:
            loaded |= finders(self.chooser, self.language, lambda: tools)
        return loaded | asked, unloaded

    def saw(self, outcome: Outcome) -> None:
        """Load what a call asked for."""
        self._want(outcome.load)

    def _want(self, names: Sequence[str]) -> None:
        self.wanted |= dict.fromkeys(name for name in names if name not in self.wanted)


def catalog(tools: Mapping[str, Tool], loaded: Collection[str] = ()) -> list[str]:
    """One line for each tool that is not loaded: its name and what it is for."""
    return [line_of(tool) for name, tool in tools.items() if name not in loaded]


def line_of(tool: Tool) -> str:
    """`get_weather: The weather of a city.`"""
    first = re.split(r"(?<=[.。！!])\s*", " ".join(tool.description.split()))[0]
    line = f"{tool.name}: {first}"
    return line if len(line) <= LINE else f"{line[: LINE - 1]}…"


class Lookup(Arguments):
    names: list[str] = Field(min_length=1, max_length=10)
    """Names from the catalog, exactly as they stand there."""


class ToolSearch(Arguments):
    query: str = Field(min_length=1, max_length=300)
    """What a tool should do, in any language; or `select:name1,name2` for exact names."""
    n: int = Field(CHOSEN, ge=1, le=10)
    """How many tools at most."""


def finders(
    chooser: Chooser, language: Language, tools: Callable[[], Mapping[str, Tool]]
) -> dict[str, Tool]:
    """The two tools that load others of `tools()`."""

    async def look_up(arguments: Lookup) -> ToolResult:
        return _shown(_known_names(arguments.names, tools()), tools(), language)

    async def search(arguments: ToolSearch) -> ToolResult:
        there = tools()
        exact = re.fullmatch(r"\s*select\s*[:：]\s*(.+)", arguments.query, re.I | re.S)
        if exact:
            names = [name.strip() for name in re.split(r"[,，、\s]+", exact[1]) if name.strip()]
            return _shown(_known_names(names, there), there, language)
        found = await chooser.ranked(arguments.query, there, arguments.n)
        return _shown(found, there, language)

    return {
        "lookup_tool_arguments": Tool(
            name="lookup_tool_arguments",
            description=(
                "Shows the parameters of tools that the catalog only names, and loads them: call"
                " them from the next step on. If you do not know the name take tool_search."
            ),
            arguments=Lookup,
            run=look_up,
            title=lambda given: say("tools.look_up", language, names=", ".join(given.names)[:60]),
            cacheable=False,
            pinned=True,
        ),
        "tool_search": Tool(
            name="tool_search",
            description=(
                "Finds tools by what they do, in Chinese or English, and loads the best ones."
                " `select:name1,name2` loads exactly those. It finds tools, not facts: for facts"
                " take semantic_search."
            ),
            arguments=ToolSearch,
            run=search,
            title=lambda given: say("tools.search", language, query=given.query[:60]),
            cacheable=False,
            pinned=True,
        ),
    }


def _known_names(names: Sequence[str], tools: Mapping[str, Tool]) -> tuple[str, ...]:
    """The names that exist; ToolFailed, with near names, if none does."""
    known = tuple(dict.fromkeys(name for name in names if name in tools))
    if not known:
        near = near_names(names[0] if names else "", list(tools.values()))
        shown = ", ".join(near or list(tools)[:CHOSEN])
        raise ToolFailed(key="tools.no_such", names=", ".join(names)[:80], near=shown)
    return known


def _shown(names: Sequence[str], tools: Mapping[str, Tool], language: Language) -> ToolResult:
    if not names:
        told = say("tools.none_found", language)
        return ToolResult(text=told, summary=told, found=False)
    cards = [
        f"{name}: {' '.join(tools[name].description.split())}\nparameters:"
        f" {json.dumps(_brief(tools[name]), ensure_ascii=False)}"
        for name in names
    ]
    return ToolResult(
        text="\n\n".join(cards),
        summary=say("tools.loaded", language, names=", ".join(names)),
        details={"load": list(names)},
    )


def _brief(tool: Tool) -> dict[str, object]:
    held = tool.parameters
    return {key: held[key] for key in ("properties", "required") if key in held}


def _clauses(question: str) -> list[str]:
    """The parts of a question that may each want a tool of its own."""
    parts = [part.strip() for part in _CLAUSE.split(question)]
    parts = [part for part in parts if len(part) > 1]
    return parts[:CLAUSES] if len(parts) > 1 else []


def _card(tool: Tool) -> str:
    """All words by which a tool may be found."""
    names = " ".join(tool.arguments.model_fields)
    words = f"{tool.name} {tool.description} {' '.join(tool.keywords)} {names}"
    return words.replace("_", " ")


def _meaning(tool: Tool) -> str:
    """What of a card is embedded: its beginning says what it is for, the rest what it is not."""
    first = line_of(tool).partition(": ")[2]
    return f"{tool.name.replace('_', ' ')}: {first} {', '.join(tool.keywords)}".strip()


def _named(plain: str, tool: Tool) -> bool:
    """True if a text holds one of the tool's keywords."""
    for keyword in map(normal, tool.keywords):
        if RUN_CHARACTER.search(keyword):
            if keyword in plain:
                return True
        elif re.search(rf"(?<!\w){re.escape(keyword)}(?!\w)", plain, re.ASCII):
            return True
    return False


def _tells(token: str) -> bool:
    """False for what stands in every text: single signs and little words."""
    if RUN_CHARACTER.search(token):
        return len(token) > 1
    return len(token) > 2 and not _EMPTY.fullmatch(token)
