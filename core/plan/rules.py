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
from core.language.zones import resolve_zone
from core.plan.schema import Node, Plan, check
from core.plan.titles import titled
from core.request import Request, TeammateCard
from core.router.needs import needs_of
from core.router.orders import REPORT, RESEARCH
from core.router.rule import ASKING, bare
from core.router.rules import SINGLE
from core.router.web import WEATHER
from core.texts import say
from core.tools.tool import Tool

WORDS = 200
"""Characters of a search's words."""
NAME = 60
"""Characters of a document's name that are taken from the question."""

_CLAUSES = re.compile(
    r"[,，。;；!！\n]+\s*|(?<=[?？])\s*|(?:并且|以及|还有|同时|顺便|另外|然后|接着|最后|再|和|跟|与|、"
    r"|并(?=发|写|查|把|保存))"
    r"|\s+(?:and then|and also|and|then|plus)\s+",
    re.IGNORECASE,
)
_ORDER_WORDS = re.compile(
    r"(?:帮我|请你?|给我|麻烦你?)+|(?:深入|详细|全面|系统)地?"
    r"|(?:调研|研究)(?:一?下)?|做(?:一个|一份|一次|个|份|些|点)?(?=关于|有关)|(?:关于|有关)(?:的)?"
    r"|[,，;；]?\s*(?:并|然后|再|最后)?(?:写|撰写|起草|编写|生成|整理|汇总|总结|保存|存)"
    r"(?:成|为|出|到|一下|一个|一份|个|份)*(?:一份|一个)?"
    r"(?:报告|文档|方案|周报|月报|日报|纪要|手册)?(?:并?保存(?:下来|一下|起来)?)?"
    r"|(?:的)?(?:调研报告|报告|文档|方案)(?:并?保存(?:下来|一下)?)?$",
)
_ORDER_WORDS_EN = re.compile(
    r"\b(?:please|can you|could you|for me)\b|\b(?:do |conduct )?(?:some |a bit of |more |deep )*"
    r"research(?: on| into| about)?\b"
    r"|[,;]?\s*(?:and |then |and then )*\b(?:write|generate|create|draft|prepare|summari[sz]e|save"
    r"|produce|compile|make)\b(?: (?:it|this|that|them|up|down|as|into|me|a|an|the|short|brief"
    r"|detailed|full))*(?: (?:report|document|doc|plan|proposal|memo|summary|brief)s?)?"
    r"(?: (?:about|on|of|for)\b)?|\b(?:save|store) (?:it|this)\b",
    re.IGNORECASE,
)
_MAIL = re.compile(
    r"发.{0,8}(?:邮箱|邮件)|(?:邮箱|邮件).{0,4}(?:发|寄)|\b(?:e-?mail|mail)\b.{0,40}\b(?:me|to|it|them|us)"
    r"\b|\bsend\b.{0,60}\be?-?mail\b",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_DAY = re.compile(
    r"大后天|后天|明天|明日|今天|本周|这周|周末|未来[一两二三四五六七\d]天"
    r"|\b(?:the day after tomorrow|tomorrow|today|this week(?:end)?)\b",
    re.IGNORECASE,
)
_PLACES_ZH = re.compile(r"[\u4e00-\u9fff]{2,}")
_PLACES_EN = re.compile(r"\b[A-Z][a-z]+(?: [A-Z][a-z]+)?\b")


def rule_plan(
    request: Request, tools: Mapping[str, Tool], team: Sequence[TeammateCard] = ()
) -> Plan:
    """The plan that rules make of a question; without nodes where they find nothing to do.

    Teammates get no node: what they do, a model does.
    """
    making = _Making(request, tools)
    text = bare(request.question)
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
        topic = topic_of(self.request.question)
        found = self._search(topic)
        wanted = REPORT.match(self.request.question, bare(self.request.question)) is not None
        if not wanted or not found or "write_document" not in self.tools:
            return
        name = say("plan.document", self.request.language, words=topic[:NAME].strip())
        text = f"# {name}\n\n${{{found[0].id}.text}}"
        title = say("plan.title.save", self.request.language, words=name)
        # All members stand for one vertex: whichever wins, its text is meant.
        waits = tuple(node.id for node in found)
        self._add("write_document", {"title": name, "text": text}, waits, title=title)

    def needs(self) -> None:
        """A node for each need: a tool's words, else a search if it is a question."""
        question = self.request.question
        parts = [part for part in map(str.strip, _CLAUSES.split(question)) if len(part) > 1]
        whole = needs_of(question)
        left: list[str] = []
        for part in parts:
            if not self._tool(part) and not _place_in(part, whole=True) and not _MAIL.search(part):
                left.append(part)
        self._other_places(parts)
        asked = [one for one in whole or left if one in left and ASKING.search(one)]
        if not self.nodes:
            # No tool's words anywhere: one search with all of them finds more than several of few.
            asked = list(whole) or [question]
        for one in asked:
            self._search(bare(one)[:WORDS])

    def mail(self) -> None:
        """Send what was found to the asker, whose address is asked for if it was not said."""
        question = self.request.question
        if not self.nodes or "send_email" not in self.tools or not _MAIL.search(question):
            return
        results = [node.id for node in self.nodes]
        body = "\n\n".join(f"${{{node}.text}}" for node in _one_of_each_race(self.nodes))
        subject = " ".join(question.split())[:NAME]
        found = _ADDRESS.search(question)
        to = found[0] if found else ""
        if not to:
            if "ask_person" not in self.tools:
                return
            asking = say("plan.ask.address", self.request.language)
            asked = self._add("ask_person", {"question": asking, "expects": "email"}, ())
            to = f"${{{asked.id}.text}}"
            results.append(asked.id)
        self._add("send_email", {"to": to, "subject": subject, "body": body}, tuple(results))

    def _tool(self, part: str) -> bool:
        """True if the part is the words of one tool, for which a node was made."""
        text = bare(part)
        for rule in SINGLE:
            arguments = rule.match(part, text)
            if arguments is None:
                continue
            if rule.tool not in self.tools:
                return False
            if rule is WEATHER:
                arguments = self._weather(part, arguments)
            elif rule.tool == "get_time" and "zone" not in arguments and (at := self._place()):
                arguments = {**arguments, "zone": at}
            lacking = [name for name in rule.needs if name not in arguments]
            known = {
                name: self.request.known[name] for name in lacking if name in self.request.known
            }
            if len(known) < len(lacking):
                return False
            self._add(rule.tool, {**arguments, **known}, ())
            return True
        return False

    def _weather(self, part: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """With the place and the day that stand elsewhere in the question."""
        if "city" in arguments:
            return dict(arguments)
        place, day = self._place(), _DAY.search(self.request.question)
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
            place = _place_in(part, whole=True)
            for node in [one for one in self.nodes if one.tool in ("get_weather", "get_time")]:
                name = "city" if node.tool == "get_weather" else "zone"
                if place and node.arguments.get(name, place) != place:
                    arguments = {**node.arguments, name: place}
                    if all(one.arguments != arguments for one in self.nodes):
                        self._add(node.tool, arguments, ())

    def _place(self) -> str:
        """The place that the question names."""
        return _place_in(self.request.question)

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


def topic_of(question: str) -> str:
    """What a report is about: the question without the words of the order."""
    text = _ORDER_WORDS_EN.sub(" ", _ORDER_WORDS.sub(" ", bare(question)))
    return " ".join(text.split()).strip(" ,，.。;；:：、的") or bare(question)


def _one_of_each_race(nodes: Sequence[Node]) -> list[str]:
    seen: set[str] = set()
    held: list[str] = []
    for node in nodes:
        if not node.race_group or node.race_group not in seen:
            held.append(node.id)
        seen.add(node.race_group)
    return held


def _place_in(text: str, *, whole: bool = False) -> str:
    """The first known place of a text; with `whole`, only if the text is nothing but the place."""
    if whole:
        text = _DAY.sub("", text).strip(" 的,，?？")
        return text if len(text) > 1 and resolve_zone(text) is not None else ""
    for found in _PLACES_EN.finditer(text):
        for words in (found[0], *found[0].split()):
            if len(words) > 2 and resolve_zone(words) is not None:
                return words
    for found in _PLACES_ZH.finditer(text):
        run = found[0]
        for start in range(len(run) - 1):
            for size in (4, 3, 2):
                words = run[start : start + size]
                if len(words) == size and resolve_zone(words) is not None:
                    return words
    return ""
