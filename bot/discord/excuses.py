"""What is said when an answer cannot stand where it belongs: why, and to whom. Once each."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import Any

from bot.discord import ids, render
from bot.discord.posted import nonce
from bot.discord.threads import Where
from bot.discord.wire import Rest
from bot.platform import Draft
from core.errors import PlatformError
from core.language import language_of
from core.messages import Language, Place
from core.texts import say

log = logging.getLogger(__name__)

MESSAGES = "/channels/{channel_id}/messages"
REASONS = {160006: "most", 160005: "locked", 50024: "kind", 40058: "kind"}


@dataclass
class Excuses:
    """Tells people what went wrong."""

    rest: Rest
    _told: set[str] = field(default_factory=set[str])

    async def not_allowed(self, place: Place, draft: Draft) -> None:
        """The asker is told in private, once for a place."""
        if place.thread in self._told or not draft.people or place.direct:
            return
        self._told.add(place.thread)
        channel = f"<#{ids.raw(place.channel)}>"
        text = say("discord.not_allowed", _language(draft), channel=channel)
        try:
            direct: Any = await self.rest.call(
                "POST", "/users/@me/channels", json={"recipient_id": ids.raw(draft.people[0])}
            )
            body = render.body(Draft(text=text))
            await self.rest.call("POST", MESSAGES, json=body, channel_id=str(direct["id"]))
        except PlatformError as error:
            log.warning("the asker could not be told either: %s", error)

    async def gone(self, where: Where, root: str, draft: Draft) -> None:
        """The thread was deleted under us; who asked may wonder."""
        if root in self._told:
            return
        self._told.add(root)
        body = render.body(Draft(text=say("discord.thread_gone", _language(draft))))
        body["flags"] |= render.SILENT
        body["message_reference"] = {"message_id": root, "fail_if_not_exists": False}
        body |= {"nonce": nonce(f"gone:{root}"), "enforce_nonce": True}
        try:
            await self.rest.call("POST", MESSAGES, json=body, channel_id=where.parent)
        except PlatformError as error:
            log.warning("nobody could be told that a thread is gone: %s", error)

    def with_reason(self, where: Where, place: Place, draft: Draft) -> Draft:
        """The first post that stands in a channel says why."""
        told = f"why:{place.thread}"
        if not where.refused or told in self._told:
            return draft
        self._told.add(told)
        language = _language(draft)
        reason = say(f"discord.no_thread.{REASONS.get(where.refused, 'permission')}", language)
        line = say("discord.no_thread", language, reason=reason)
        footer = "\n".join(part for part in (draft.footer, line) if part)
        return draft.model_copy(update={"footer": footer})


def _language(draft: Draft) -> Language:
    return language_of(draft.text) or "en"
