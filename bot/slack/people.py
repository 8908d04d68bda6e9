"""Profiles: name, language and time zone of a person, kept for a while."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from slack_sdk.web.async_client import AsyncWebClient

from bot.slack import ids
from bot.slack.errors import TROUBLE, refusal
from core.messages import Language, Person

log = logging.getLogger(__name__)

KEEP_S = 600.0
"""A profile is asked for again after this long."""
KEEP_FAILED_S = 30.0
"""After a failed lookup the bare id serves this long: a slow Slack is not asked each time."""
WAIT_S = 3.0
"""A lookup never holds up a run for longer."""
PEOPLE = 5_000
"""Profiles kept; the oldest is forgotten first."""


@dataclass
class People:
    """`users.info` behind a small cache."""

    client: AsyncWebClient
    clock: Callable[[], float] = time.monotonic
    _known: OrderedDict[str, tuple[float, Person]] = field(
        default_factory=OrderedDict[str, tuple[float, Person]]
    )

    _asking: dict[str, asyncio.Task[Person]] = field(
        default_factory=dict[str, "asyncio.Task[Person]"]
    )

    def peek(self, person: str) -> Person:
        """What is known now, without asking: at least the id."""
        kept = self._known.get(person)
        return kept[1] if kept else Person(id=person)

    def is_fresh(self, person: str) -> bool:
        """True while nothing would be asked: known, or asked in vain a moment ago."""
        kept = self._known.get(person)
        return kept is not None and kept[0] > self.clock()

    async def get(self, person: str) -> Person:
        """The profile; only the id (or an older profile) if Slack does not tell in time."""
        if self.is_fresh(person):
            return self.peek(person)
        task = self._asking.get(person)
        if task is None:
            # One question for all who ask meanwhile: a burst of messages is one lookup.
            task = asyncio.create_task(self._ask(person))
            self._asking[person] = task
            task.add_done_callback(lambda _: self._asking.pop(person, None))
        return await asyncio.shield(task)

    async def close(self) -> None:
        tasks = list(self._asking.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _ask(self, person: str) -> Person:
        try:
            async with asyncio.timeout(WAIT_S):
                answer = await self.client.users_info(user=ids.raw(person), include_locale=True)
            found, keep = profile(person, answer.get("user") or {}), KEEP_S
        except TROUBLE as error:
            log.warning("no profile of %s: %s", person, refusal(error) or type(error).__name__)
            found, keep = self.peek(person), KEEP_FAILED_S
        self._known[person] = (self.clock() + keep, found)
        self._known.move_to_end(person)
        if len(self._known) > PEOPLE:
            self._known.popitem(last=False)
        return found


def profile(person: str, user: Mapping[str, Any]) -> Person:
    """A Person from `users.info`."""
    shown: Mapping[str, Any] = user.get("profile") or {}
    name = shown.get("display_name") or shown.get("real_name") or user.get("real_name")
    return Person(
        id=person,
        name=str(name or user.get("name") or ""),
        language=language_of(str(user.get("locale") or "")),
        time_zone=str(user.get("tz") or "") or None,
    )


def language_of(locale: str) -> Language | None:
    """`zh-CN` -> zh, `en-GB` -> en, others: not told."""
    match locale[:2].lower():
        case "zh":
            return "zh"
        case "en":
            return "en"
        case _:
            return None
