"""The prompt: the system text of a run, the messages of its thread, and fences round foreign text.

The stable sections stand first, so that a provider's prompt cache can hold them; what changes with
every question (who asks, what time it is, what is remembered of them) stands last. Each section
whose text comes from outside has a budget in tokens.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from datetime import datetime
from typing import Literal
from zoneinfo import ZoneInfo

from core.language.zones import first_zone
from core.messages import Language
from core.model.protocol import ModelMessage
from core.prompt.budget import fitted
from core.prompt.sections import SECTIONS
from core.request import Request, TeammateCard
from core.teammates import DEFAULT
from core.texts import say
from core.tools.tool import Tool

PromptMode = Literal["chat", "tool", "rag", "loop"]

_ABOUT_TOOLS = ("orchestration", "available", "catalog", "team")
"""Sections that say nothing once tools are gone."""
_ANY = {"names": "{}", "lines": "{}"}

NAME_LIMIT = 80
"""Longest display name that goes into the prompt: names are free text of strangers."""


ROLE_TOKENS = 2_000
CATALOG_TOKENS = 1_500
TEAM_TOKENS = 600
STYLE_TOKENS = 300
MEMORY_TOKENS = 1_200

_MEMORY_HEAD = "\n\n[User Memory]\n"


def system_prompt(
    request: Request,
    tools: Sequence[Tool],
    *,
    catalog: Sequence[str] = (),
    last_round: bool = False,
    mode: PromptMode = "loop",
    nonce: str = "",
) -> str:
    """The system text of a run.

    `tools` are those that the request to the model carries; without any, no tool section stands in
    the text. `catalog` has one line for each tool that is there and not loaded. `last_round` says
    instead that tools are gone. `nonce` (of `new_nonce`) adds the rule for texts fenced with it;
    the loop adds that section by itself.
    """
    language = request.language
    parts = [_section("identity", language, name=spoken_name(request.teammate.name))]
    if last_round:
        parts.append(last_round_section(language))
    elif tools:
        parts += [tools_section(language), _section("orchestration", language)]
    if mode == "chat":
        parts.append(_section("chat", language))
    elif mode in ("rag", "loop"):
        parts.append(_section("evidence", language))
        parts.append(_outside(request))
    if request.teammate.role:
        parts.append(_section("role", language, role=fitted(request.teammate.role, ROLE_TOKENS)))
    if tools and not last_round:
        parts += _tool_lists(request, tools, catalog)
    if nonce:
        parts.append(data_section(language, nonce))
    parts.append(_section("language", language))
    parts.append(_asker(request))
    if request.style:
        style = fitted(" ".join(request.style.split()), STYLE_TOKENS)
        parts.append(_section("style", language, style=style))
    if request.memory:
        memory = fitted(request.memory, MEMORY_TOKENS)
        parts.append(_section("memory", language, memory=memory))
    return "\n\n".join(parts)


def spoken_name(name: str) -> str:
    """The name that people see: the default teammate is the bot itself."""
    return "Threadmate" if name in (DEFAULT, TeammateCard().name) else _line(name)


def _tool_lists(request: Request, tools: Sequence[Tool], catalog: Sequence[str]) -> list[str]:
    """What can be called, what can be loaded, who can be asked."""
    language = request.language
    names = ", ".join(tool.name for tool in tools)
    parts = [_section("available", language, names=names)]
    if catalog:
        parts.append(catalog_section(language, catalog))
    cards = [f"- {_line(card.name)}: {_line(card.description)}" for card in request.team]
    if cards:
        lines = fitted("\n".join(cards), TEAM_TOKENS)
        parts.append(_section("team", language, lines=lines))
    return parts


def catalog_section(language: Language, lines: Sequence[str]) -> str:
    """The tools that are there and not loaded, one line each."""
    return _section(
        "catalog", language, lines=fitted("\n".join(f"- {line}" for line in lines), CATALOG_TOKENS)
    )


def with_data_section(system: str, language: Language, nonce: str) -> str:
    """`system` with the rule for fenced texts; `[User Memory]` stays last."""
    section = data_section(language, nonce)
    head, mark, memory = system.partition(_MEMORY_HEAD)
    return f"{head}\n\n{section}{mark}{memory}"


def thread_messages(request: Request) -> list[ModelMessage]:
    """The earlier turns of the thread and the question with its pictures, oldest first."""
    messages: list[ModelMessage] = []
    for turn in request.history:
        asked = f"{_line(turn.person)}: {turn.question}" if turn.person else turn.question
        messages.append(ModelMessage(role="user", text=asked))
        messages.append(ModelMessage(role="assistant", text=turn.answer))
    question = ModelMessage(role="user", text=request.question, pictures=request.pictures)
    messages.append(question)
    return messages


def refusal(language: Language) -> str:
    """The sentence that an answer begins with when the documents do not hold it."""
    return say("prompt.refusal", language)


def outside_label(language: Language) -> str:
    """The label over an answer that does not come from the documents."""
    return say("prompt.outside_label", language)


def tools_section(language: Language) -> str:
    """How tools are to be used."""
    return _section("tools", language)


def last_round_section(language: Language) -> str:
    """That tools are gone."""
    return _section("last_round", language)


def without_tools(system: str, language: Language) -> str:
    """`system` for the last round: its tool section gives way to the word that tools are gone."""
    section, gone = tools_section(language), last_round_section(language)
    if section not in system:
        head, mark, memory = system.partition(_MEMORY_HEAD)
        return f"{head}\n\n{gone}{mark}{memory}"
    parts = system.replace(section, gone).split("\n\n")
    heads = tuple(_section(name, language, **_ANY).partition("{}")[0] for name in _ABOUT_TOOLS)
    return "\n\n".join(part for part in parts if not part.startswith(heads))


def new_nonce() -> str:
    """Eight random characters, made anew for every run, so that no text can close our fence."""
    return secrets.token_hex(4)


def data_section(language: Language, nonce: str) -> str:
    """That fenced text is data."""
    return _section("data", language, nonce=nonce)


def fence(text: str, nonce: str) -> str:
    """`text` between marks that only this run knows. The nonce itself is taken out of the text."""
    return f"<data-{nonce}>\n{text.replace(nonce, '')}\n</data-{nonce}>"


def _section(section: str, language: Language, /, **values: str) -> str:
    zh, en = SECTIONS[section]
    return (zh if language == "zh" else en).format(**values)


def _outside(request: Request) -> str:
    language = request.language
    if request.documents_only:
        return _section("documents_only", language, refusal=refusal(language))
    label = outside_label(language)
    return _section("outside", language, refusal=refusal(language), label=label)


def _asker(request: Request) -> str:
    zone = ZoneInfo(first_zone(request.time_zone))
    local = datetime.fromtimestamp(request.now, zone)
    return _section(
        "asker",
        request.language,
        name=_line(request.asker.name) or "-",
        zone=zone.key,
        time=local.strftime("%Y-%m-%d %H:%M"),
        weekday=say(f"date.weekday.{local.weekday()}", request.language),
    )


def _line(name: str) -> str:
    """A name on one line: line breaks in it could pass for a section of ours."""
    return " ".join(name.split())[:NAME_LIMIT]
