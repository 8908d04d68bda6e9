"""Posts that ask a person: what would be done exactly, and what became of it."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from bot.platform import Button, Draft, Speaker
from bot.text.invisible import without_invisible
from bot.text.leaks import without_machine_talk
from bot.text.listing import local_time
from bot.text.markdown import escaped
from bot.text.measure import clipped
from core.messages import Language
from core.needs import Asked
from core.rights import EVERYBODY
from core.texts import say

REST_CHARS = 700
"""Kept free beside the arguments: the question, the small print, a mention."""

MOST_PEOPLE = 5
"""Approvers that are named and called."""

LONGEST_TITLE = 200


def need_draft(
    asked: Asked, approvers: Sequence[str], room: int, speaker: Speaker | None = None
) -> Draft:
    """What a person is asked, with buttons for an approval.

    `approvers` are the people who decide instead of the asker, if the channel names some; `room`
    is the longest text of a post.
    """
    if asked.body.need.what == "answer":
        return _question(asked, speaker)
    return _approval(asked, approvers, room, speaker)


def settled_draft(asked: Asked, now: float, speaker: Speaker | None = None) -> Draft:
    """The post of a need that nobody has to decide any more: who said what, when; no buttons."""
    body, decision = asked.body, asked.decision
    title = escaped(clipped(body.need.title, LONGEST_TITLE))
    if decision is None or asked.state != "decided":
        key = "needs.expired" if asked.state == "expired" else "needs.void"
        return Draft(text=say(key, body.language, title=title), speaker=speaker)
    if body.need.what == "answer":
        # The question stands, for the answer below it; that it waits is over.
        time = local_time(decision.at, body.time_zone, now)
        footer = say("needs.answered", body.language, time=time)
        return _question(asked, speaker).model_copy(update={"footer": footer})
    key = "needs.approved" if decision.yes else "needs.rejected"
    return Draft(
        text=say(key, body.language, who=called(decision.by), title=title),
        footer=local_time(decision.at, body.time_zone, now),
        people=(decision.by,),
        speaker=speaker,
    )


def called(person: str) -> str:
    """A person's id as a mention."""
    return f"<@{person.rsplit('/', 1)[-1]}>"


def _question(asked: Asked, speaker: Speaker | None) -> Draft:
    body = asked.body
    key = "needs.reply_email" if body.need.expects == "email" else "needs.reply_here"
    question = body.need.question or body.need.title
    return Draft(
        text=say("needs.question", body.language, who=called(body.asker), question=question),
        footer=say(key, body.language, time=_until(asked)),
        people=(body.asker,),
        speaker=speaker,
    )


def _approval(asked: Asked, approvers: Sequence[str], room: int, speaker: Speaker | None) -> Draft:
    body, language = asked.body, asked.body.language
    named = tuple(one for one in approvers if one != EVERYBODY)
    people = named[:MOST_PEOPLE] or (body.asker,)
    who = " ".join(called(person) for person in people)
    title = escaped(clipped(body.need.title, LONGEST_TITLE))
    text = say("needs.ask", language, who=who, title=title)
    if body.need.arguments:
        exactly = say("needs.exactly", language, tool=body.need.tool)
        shown = arguments_shown(body.need.arguments, room - REST_CHARS, language)
        text = f"{text}\n\n{exactly}\n{shown}"
    return Draft(
        text=text,
        footer=_small_print(asked, approvers),
        buttons=(
            Button(action="approve", label=say("needs.approve", language), value=body.id),
            Button(action="reject", label=say("needs.reject", language), value=body.id),
        ),
        people=people,
        speaker=speaker,
    )


def _small_print(asked: Asked, approvers: Sequence[str]) -> str:
    language, time = asked.body.language, _until(asked)
    key = "needs.who_listed" if approvers else "needs.who"
    key = "needs.who_anybody" if EVERYBODY in approvers else key
    return say(key, language, time=time)


def names_of(people: Sequence[str], language: Language) -> str:
    """People as a list of mentions that read well in a sentence."""
    return ("、" if language == "zh" else ", ").join(called(one) for one in people[:MOST_PEOPLE])


def arguments_shown(arguments: dict[str, object], room: int, language: Language) -> str:
    """The exact arguments, one a line, as code: nothing in them becomes markup."""
    held = seen(plain_arguments(arguments))
    cut = held if len(held) <= room else held[:room].rstrip()
    fence = "`" * max(3, *(len(run) + 1 for run in re.findall("`+", cut) or [""]))
    shown = f"{fence}\n{cut}\n{fence}"
    if cut == held:
        return shown
    return f"{shown}\n{say('needs.cut', language, count=f'{len(held) - len(cut):,}')}"


def seen(text: str) -> str:
    """`text` as code, with what the outbound filter would take out of it spelled ⟨U+202E⟩: nobody
    may allow a mail whose hidden half they were not shown."""
    if without_invisible(text) != text:
        text = "".join(sign if sign in "\n\t" or _shows(sign) else _spelled(sign) for sign in text)
    if without_invisible(text) != text:
        # Signs that only hide together, as marks piled on a letter do.
        text = "".join(sign if sign.isascii() else _spelled(sign) for sign in text)
    if without_machine_talk(text) != text:
        text = re.sub(r"[<\[]", lambda sign: _spelled(sign[0]), text)
    return text


def _shows(sign: str) -> bool:
    return without_invisible(sign) == sign


def _spelled(sign: str) -> str:
    return f"⟨U+{ord(sign):04X}⟩"


def plain_arguments(arguments: dict[str, object]) -> str:
    """`name: value` lines."""
    return "\n".join(f"{name}: {_value(value)}" for name, value in arguments.items())


def _value(value: object) -> str:
    """Texts as they are, the rest as JSON; a text of several lines begins on its own."""
    if not isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    return f"\n{value}" if "\n" in value else value


def _until(asked: Asked) -> str:
    return local_time(asked.body.expires_at, asked.body.time_zone, asked.body.asked_at)
