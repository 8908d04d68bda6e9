"""The router: which mode a request is worked in. Rules decide, never a model call.

Order: what the asker picked (or the channel fixed), the rules of `core.router.rules`, several
needs at once (`react`), then a question whose words the documents hold (`rag`), then the default:
`loop`, or `quotes` without a model.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from core.messages import Frozen
from core.request import Request
from core.router.needs import needs_of
from core.router.rule import ASKING, Arguments, Rule, bare
from core.router.rules import RULES

Mode = Literal["chat", "tool", "rag", "react", "loop", "quotes"]
MODES: tuple[str, ...] = ("chat", "tool", "rag", "react", "loop")
"""Modes that may be picked by hand."""

PROBE_FLOOR = 0.35
"""Share of the question's weight in words that the documents must hold for `rag`: under it a search
alone rarely finds the answer, and the loop may reword the question."""

SEARCH = "semantic_search"
"""The tool that `rag` stands for: a pick of other tools rules it out."""

ONLY_MODEL = frozenset({"create"})
"""Rules whose work nothing but a model can do. A plan's tools work without one."""


class Route(Frozen):
    """The choice; a step of the journal, so that a resumed run is not routed anew."""

    mode: Mode
    reason: str
    """Id of the rule."""
    tool: str = ""
    arguments: dict[str, str | int] = {}
    """For `tool`: the parameters that were found in the text."""
    wanted: str = ""
    """The mode that was asked for, where it cannot be had."""
    needs_model: bool = False
    """Only a model could do what was asked, and there is none."""


_PLAIN_QUESTION = re.compile(r"[?？吗呢]\s*$")


@dataclass(frozen=True)
class Facts:
    """What the rules cannot see in the text."""

    has_model: bool
    documents: int
    """Documents in the KBs in scope."""
    coverage: float
    """How much of the question's words the documents hold, 0 to 1."""


def route(request: Request, facts: Facts) -> Route:
    """Choose the mode of a request."""
    chosen = _choose(request, facts)
    return chosen if facts.has_model else _without_model(chosen, request)


def tool_of(request: Request) -> tuple[Rule, Arguments] | None:
    """The one tool that the question plainly asks for, with its parameters, if it is allowed.

    A parameter that the words do not hold may come from what is remembered of the asker.
    """
    found = _match(request.question)
    if found is None or not found[0].tool or found[0].tool not in request.tools:
        return None
    rule, arguments = found
    known = {name: request.known[name] for name in rule.needs if name in request.known}
    arguments = known | arguments
    return (rule, arguments) if all(name in arguments for name in rule.needs) else None


def _choose(request: Request, facts: Facts) -> Route:
    if not request.question.strip():
        return Route(mode="chat", reason="empty")
    if request.picks.mode is not None:
        return _picked(request.picks.mode, request, facts)
    found = _match(request.question)
    if found is not None and found[0].mode in ("chat", "loop"):
        return Route(mode=found[0].mode, reason=found[0].id)
    if request.picks.tools is not None or request.picks.kb is not None:
        return _narrowed(request, facts)
    if found is not None and found[0].mode == "react":
        return Route(mode="react", reason=found[0].id)
    single = tool_of(request)
    if single is not None:
        return Route(mode="tool", reason=single[0].id, tool=single[0].tool, arguments=single[1])
    if found is None and len(needs_of(request.question)) > 1:
        return Route(mode="react", reason="needs")
    held = _may_search(request, facts) and facts.coverage >= PROBE_FLOOR
    if found is None and held and ASKING.search(request.question):
        return Route(mode="rag", reason="question")
    return Route(mode="loop", reason="default")


def _narrowed(request: Request, facts: Facts) -> Route:
    """Tools or KBs were picked: several needs or tools make a plan, one is called, KBs are read."""
    tools, kb = request.picks.tools, request.picks.kb
    if tools and (len(tools) > 1 or len(needs_of(request.question)) > 1):
        return Route(mode="react", reason="pick:several")
    single = tool_of(request)
    if tools and single is not None:
        return Route(mode="tool", reason="pick:one", tool=single[0].tool, arguments=single[1])
    if tools:
        # One tool whose parameters only a model can find.
        return Route(mode="loop", reason="pick:one")
    if kb and tools is None and _may_search(request, facts):
        several = len(needs_of(request.question)) > 1
        return Route(mode="react" if several else "rag", reason="pick:kb")
    if tools == () and not kb:
        return Route(mode="chat", reason="pick:nothing")
    return Route(mode="loop", reason="pick:empty")


def _picked(mode: str, request: Request, facts: Facts) -> Route:
    """A mode that a person set. What cannot be worked in it goes on in `loop`."""
    if mode == "tool":
        found = tool_of(request)
        if found is None:
            return Route(mode="loop", reason="pick:no_tool", wanted="tool")
        return Route(mode="tool", reason="pick", tool=found[0].tool, arguments=found[1])
    if mode == "rag" and not _may_search(request, facts):
        return Route(mode="loop", reason="pick:empty", wanted="rag")
    if mode == "chat":
        return Route(mode="chat", reason="pick")
    if mode == "react":
        return Route(mode="react", reason="pick")
    return Route(mode="rag" if mode == "rag" else "loop", reason="pick")


def _may_search(request: Request, facts: Facts) -> bool:
    return facts.documents > 0 and SEARCH in request.tools


def _without_model(chosen: Route, request: Request) -> Route:
    """Tools, plans by rule and small talk work without a model; all the rest is quoted."""
    if chosen.mode in ("tool", "react"):
        return chosen
    if chosen.mode == "chat" and chosen.reason in ("smalltalk", "empty"):
        return chosen
    return chosen.model_copy(
        update={
            "mode": "quotes",
            "wanted": chosen.wanted or chosen.mode,
            "needs_model": _only_a_model(chosen, request.question),
        }
    )


def _only_a_model(chosen: Route, question: str) -> bool:
    """True for what cannot be quoted. A question with a condition in it is still a question."""
    if chosen.reason == "condition":
        return not _PLAIN_QUESTION.search(question)
    return chosen.reason in ONLY_MODEL or chosen.mode == "chat"


def _match(question: str) -> tuple[Rule, Arguments] | None:
    text = bare(question)
    for rule in RULES:
        arguments = rule.match(question, text)
        if arguments is not None:
            return rule, arguments
    return None
