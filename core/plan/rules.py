"""A plan without a model: the words by which people ask for tools, need by need.

Reports are looked up and saved, several needs become nodes side by side, and what is no tool's
work is searched for: in the documents and, when the web is on, in the web, one racing the other.
The words are the router's.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.context import PlanKnobs
from core.plan.schema import Node, Plan, check
from core.plan.titles import titled
from core.plan.wishes import (
    ADDRESS,
    DAY,
    MAIL,
    MEANT,
    SAVE,
    WORDS,
    clauses_of,
    looked_for,
    parts_of,
    place_in,
    topic_of,
    without_order,
)
from core.request import Request, TeammateCard
from core.router.orders import REPORT, RESEARCH
from core.router.rule import Rule, bare
from core.router.rules import SINGLE
from core.router.talk import SMALL_TALK
from core.router.web import WEATHER
from core.texts import say
from core.tools.tool import Tool

NAME = 60
"""Characters of a document's name that are taken from the question."""


def rule_plan(
    request: Request, tools: Mapping[str, Tool], team: Sequence[TeammateCard] = ()
) -> Plan:
    """The plan that rules make of a question; without nodes where they find nothing to do.

    Teammates get no node: what they do, a model does.
    """
    making = _Making(request, tools)
    text = bare(request.question)
    if SMALL_TALK.match(request.question, text) is not None:
        return Plan()
    if any(rule.match(request.question, text) is not None for rule in (REPORT, RESEARCH)):
        making.report()
    else:
        making.needs()
    making.mail()
    plan = titled(Plan(nodes=tuple(making.nodes)), tools, request.language)
    return _sound(plan, tools)


def _sound(plan: Plan, tools: Mapping[str, Tool]) -> Plan:
    """Without the nodes that do not fit their tools, and those that wait for them."""
    knobs = PlanKnobs()
    nodes = list(plan.nodes[: knobs.nodes])
    while errors := check(Plan(nodes=tuple(nodes)), tools, (), knobs):
        wrong = {found[1] for error in errors if (found := re.search(r"node ([\w-]+)", error))}
        left = [node for node in nodes if node.id not in wrong]
        if len(left) == len(nodes):
            return Plan()
        nodes = left
    return Plan(nodes=tuple(nodes))


@dataclass
class _Making:
    request: Request
    tools: Mapping[str, Tool]
    nodes: list[Node] = field(default_factory=list[Node])

    def report(self) -> None:
        """Look it up, then write down what was found and save it."""
        question = self.request.question
        topic = topic_of(question)
        if not topic:
            self._newest()
            return
        found = self._search(topic)
        if not found or "write_document" not in self.tools or not SAVE.search(question):
            return
        name = say("plan.document", self.request.language, words=topic[:NAME].strip())
        text = f"# {name}\n\n${{{found[0].id}.text}}"
        title = say("plan.title.save", self.request.language, words=name)
        # All members stand for one vertex: whichever wins, its text is meant.
        waits = tuple(node.id for node in found)
        self._add("write_document", {"title": name, "text": text}, waits, title=title)

    def needs(self) -> None:
        """A node for each need: a tool's words, else a search for what is asked."""
        question = self.request.question
        left: list[str] = []
        for clause in clauses_of(question):
            parts = parts_of(clause)
            done = {part for part in parts if self._tool(part)}
            self._other_places(parts)
            # Where no part is a tool's work, the clause is one thing to look for.
            alone = [part for part in parts if part not in done and not place_in(part, whole=True)]
            left += alone if done else [clause]
        wanted = [words for part in left if (words := looked_for(part, bool(self.nodes)))]
        if not self.nodes and not wanted and not MEANT.fullmatch(bare(question)):
            # Nothing of the kind: one search with all words finds more than several of few.
            wanted = [bare(question)]
        for words in wanted:
            self._search(words)
        if not self.nodes:
            self._newest()

    def _newest(self) -> None:
        """Nothing is named, only pointed at: what came in last is the nearest."""
        if "latest_documents" in self.tools:
            self._add("latest_documents", {}, ())

    def mail(self) -> None:
        """Send what was found to the asker, whose address is asked for if it was not said."""
        question = self.request.question
        if not self.nodes or "send_email" not in self.tools or not MAIL.search(question):
            return
        results = [node.id for node in self.nodes]
        body = "\n\n".join(f"${{{node}.text}}" for node in _one_of_each_race(self.nodes))
        subject = _subject(question)
        title = say("plan.title.mail", self.request.language)
        found = ADDRESS.search(question)
        to = found[0] if found else ""
        if not to:
            if "ask_person" not in self.tools:
                return
            asking = say("plan.ask.address", self.request.language)
            asked = self._add("ask_person", {"question": asking, "expects": "email"}, ())
            to = f"${{{asked.id}.text}}"
            results.append(asked.id)
        mail = {"to": to, "subject": subject, "body": body}
        self._add("send_email", mail, tuple(results), title=title)

    def _tool(self, part: str) -> bool:
        """True if the part is the words of one tool, for which a node was made."""
        bared, ordered = bare(part), without_order(part)
        for rule in SINGLE:
            arguments = rule.match(part, bared)
            if arguments is None and ordered != bared:
                arguments = rule.match(ordered, ordered)
            if arguments is None:
                continue
            if rule.tool not in self.tools:
                return False
            if rule is WEATHER:
                arguments = self._weather(part, arguments)
            elif rule.tool == "get_time" and "zone" not in arguments and (at := self._place()):
                arguments = {**arguments, "zone": at}
            return self._made(rule, arguments)
        return False

    def _made(self, rule: Rule, found: Mapping[str, Any]) -> bool:
        """Make the tool's node; what it needs and nobody said is remembered, or asked for."""
        arguments, waits = dict(found), list[str]()
        for name in rule.needs:
            if name in arguments:
                continue
            if name in self.request.known:
                arguments[name] = self.request.known[name]
            elif "ask_person" in self.tools:
                asking = say(f"plan.ask.{name}", self.request.language)
                asked = self._add("ask_person", {"question": asking}, ())
                arguments[name] = f"${{{asked.id}.text}}"
                waits.append(asked.id)
            else:
                return False
        # Two wishes may be one call: how many there are, and since when.
        if all((node.tool, node.arguments) != (rule.tool, arguments) for node in self.nodes):
            self._add(rule.tool, arguments, tuple(waits))
        return True

    def _weather(self, part: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """With the place and the day that stand elsewhere in the question."""
        if "city" in arguments:
            return dict(arguments)
        place, day = self._place(), DAY.search(self.request.question)
        if not place:
            return dict(arguments)
        words = day[0] if day else ""
        whole = f"weather in {place} {words}".strip()
        if not place.isascii():
            whole = f"{place}{words}天气"
        return dict(WEATHER.match(whole, whole) or {**arguments, "city": place})

    def _other_places(self, parts: Sequence[str]) -> None:
        """`the weather in Paris and London`: the second place asks for the same."""
        for part in parts:
            place = place_in(part, whole=True)
            for node in [one for one in self.nodes if one.tool in ("get_weather", "get_time")]:
                name = "city" if node.tool == "get_weather" else "zone"
                if place and node.arguments.get(name, place) != place:
                    arguments = {**node.arguments, name: place}
                    if all(one.arguments != arguments for one in self.nodes):
                        self._add(node.tool, arguments, ())

    def _place(self) -> str:
        """The place that the question names."""
        return place_in(self.request.question)

    def _search(self, words: str) -> list[Node]:
        """Nodes that look for the words: documents and web race where both can be asked."""
        words = words.strip()[:WORDS]
        where = [name for name in ("semantic_search", "search_web") if name in self.tools]
        if not words or not where:
            return []
        group = f"search{len(self.nodes) + 1}" if len(where) > 1 else ""
        return [self._add(name, {"query": words}, (), group=group) for name in where]

    def _add(
        self,
        tool: str,
        arguments: Mapping[str, Any],
        depends_on: tuple[str, ...],
        *,
        group: str = "",
        title: str = "",
    ) -> Node:
        node = Node(
            id=f"n{len(self.nodes) + 1}",
            title=title,
            tool=tool,
            arguments=dict(arguments),
            depends_on=depends_on,
            race_group=group,
        )
        self.nodes.append(node)
        return node


def _subject(question: str) -> str:
    """The question as a mail's subject: whole, or cut between words."""
    line = " ".join(question.split())
    return line if len(line) <= NAME else f"{line[:NAME].rpartition(' ')[0] or line[:NAME]}…"


def _one_of_each_race(nodes: Sequence[Node]) -> list[str]:
    seen: set[str] = set()
    held: list[str] = []
    for node in nodes:
        if not node.race_group or node.race_group not in seen:
            held.append(node.id)
        seen.add(node.race_group)
    return held
