"""What the outbox and the worker can do on Slack: `bot.platform.Platform` over the Web API."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import aiohttp
from slack_sdk.http_retry.builtin_async_handlers import (
    AsyncConnectionErrorRetryHandler,
    AsyncRateLimitErrorRetryHandler,
)
from slack_sdk.web.async_client import AsyncWebClient
from yarl import URL

from bot.platform import Download, Draft, PlatformLimits, Sign
from bot.slack import ids, render
from bot.slack.account import Account, SlackConfig, check_tokens, who_are_we
from bot.slack.errors import TROUBLE, WrongForm, ours
from bot.slack.files import Files
from bot.slack.people import People
from bot.slack.roots import Root, Roots
from bot.slack.search import Search
from bot.slack.speaker import SCOPE, face, named
from bot.text.outbound import clean
from core.errors import PlatformError, TryLater, Undeliverable, UnknownOutcome
from core.language import answer_language
from core.messages import Attachment, Person, Place
from core.store.port import Store
from core.texts import say

log = logging.getLogger(__name__)

EMOJI: dict[Sign, str] = {
    "seen": "eyes",
    "working": "hourglass_flowing_sand",
    "done": "white_check_mark",
    "failed": "x",
    "stopped": "octagonal_sign",
}
DONE_ALREADY = frozenset({"already_reacted", "no_reaction"})
NO_PLACE_FOR_A_SIGN = frozenset({"message_not_found", "too_many_emoji", "too_many_reactions"})
TIMEOUT = aiohttp.ClientTimeout(total=30, connect=10)
ROOT_CHARS = 1_000
"""How much of a typed command its thread's root message quotes."""
RESPONSE_HOST = "hooks.slack.com"

Call = Callable[..., Awaitable[Any]]


class SlackPort:
    """Posts, edits, looks up, downloads. `await open()` first, `await close()` last.

    A process that works runs without a socket (`threadmate worker`) needs no more than this.
    """

    name = ids.NAME
    limits: PlatformLimits = render.LIMITS

    def __init__(self, config: SlackConfig, store: Store) -> None:
        self.config = config
        self.roots = Roots(store)
        self._session: aiohttp.ClientSession | None = None
        self._account: Account | None = None
        self._opening_root = asyncio.Lock()
        self._shows_faces = True
        """Posts may carry a teammate's name; until Slack says that the scope is missing."""

    async def open(self) -> None:
        """Connect and ask Slack who we are; WrongConfig names what is wrong."""
        check_tokens(self.config)
        self._session = aiohttp.ClientSession(timeout=TIMEOUT)
        # A write is never repeated by the SDK: it may have been done, and would be said twice.
        self.writes = self._client([])
        self.reads = self._client(
            [AsyncRateLimitErrorRetryHandler(max_retry_count=2), AsyncConnectionErrorRetryHandler()]
        )
        self.people = People(self.reads)
        self._search = Search(self.reads)
        token = self.config.bot_token.get_secret_value()
        self._files = Files(self.reads, token, self.config.api_url)
        try:
            self._account = await who_are_we(self.writes, self.config)
        except BaseException:
            await self.close()
            raise
        self._shows_faces = SCOPE not in self._account.missing
        if self._account.missing:
            log.warning(say("slack.scopes_missing", "en", scopes=", ".join(self._account.missing)))

    async def close(self) -> None:
        """Let the shared connections go. Calls still work after it, each with one of its own:
        runs that drain after the adapter's stop have their last words.
        """
        if self._session is not None:
            await self.people.close()
            await self._session.close()
            self._session = None

    @property
    def account(self) -> Account:
        """Who we are; known once `open` has returned."""
        assert self._account is not None, "the Slack port was not opened"
        return self._account

    async def post(self, place: Place, draft: Draft, mark: str) -> str:
        thread_ts = await self._thread_ts(place)
        return await self._post(place, draft, mark, thread_ts)

    async def find(self, place: Place, mark: str) -> str | None:
        ts = ids.raw(place.thread)
        if ids.is_command_thread(place.thread):
            root = await self.roots.get(place.thread)
            if root is None or not root.message:
                return None
            ts = ids.raw(root.message)
        found = await self._sent(self._search.marked, ids.raw(place.channel), ts, mark)
        return f"{place.channel}/{found}" if found else None

    async def edit(self, place: Place, message: str, draft: Draft) -> None:
        where = {"channel": ids.raw(place.channel), "ts": ids.raw(message)}
        draft = draft if self._shows_faces else named(draft)
        try:
            content = render.edit_content(draft)
            await self._repeatable(self.writes.chat_update, **where, **content)
        except WrongForm:
            content = {"blocks": [], **render.without_blocks(draft)}
            await self._last_form(self.writes.chat_update, **where, **content)

    async def delete(self, place: Place, message: str) -> None:
        try:
            await self._repeatable(
                self.writes.chat_delete, channel=ids.raw(place.channel), ts=ids.raw(message)
            )
        except Undeliverable as error:
            if error.detail != "message_not_found":
                raise

    async def react(self, place: Place, message: str, sign: Sign, on: bool) -> None:
        if not message:
            return  # A slash command has no message to put a sign on.
        call = self.writes.reactions_add if on else self.writes.reactions_remove
        try:
            await self._repeatable(
                call,
                channel=ids.raw(place.channel),
                timestamp=ids.raw(message),
                name=EMOJI[sign],
            )
        except PlatformError as error:
            if error.detail not in DONE_ALREADY | NO_PLACE_FOR_A_SIGN:
                raise

    async def whisper(self, place: Place, person: str, draft: Draft) -> None:
        where: dict[str, Any] = {"channel": ids.raw(place.channel), "user": ids.raw(person)}
        thread_ts = await self._known_ts(place)
        if thread_ts:
            where["thread_ts"] = thread_ts
        await self._sent(self.writes.chat_postEphemeral, **where, **render.content(draft))

    async def download(self, attachment: Attachment, folder: Path, limit: int) -> Download:
        return await self._files.download(attachment, folder, limit)

    async def person(self, person: str) -> Person:
        return await self.people.get(person)

    def link(self, place: Place, message: str) -> str:
        """Slack: `archives/CHANNEL/pTS` under the workspace's address."""
        ts = ids.raw(message)
        if not (self.account.url and message):
            return ""
        link = f"{self.account.url}archives/{ids.raw(place.channel)}/p{ts.replace('.', '')}"
        root = ids.raw(place.thread)
        if root in ("", ts) or ids.is_command_thread(place.thread):
            return link
        return f"{link}?thread_ts={root}&cid={ids.raw(place.channel)}"

    async def _post(self, place: Place, draft: Draft, mark: str, thread_ts: str) -> str:
        if draft.speaker is None or not self._shows_faces:
            return await self._posted(place, named(draft), mark, thread_ts, {})
        try:
            return await self._posted(place, draft, mark, thread_ts, face(draft.speaker))
        except Undeliverable as error:
            if not error.detail.startswith("missing_scope"):
                raise
        log.warning("posts cannot carry a teammate's name: the scope %s is missing", SCOPE)
        self._shows_faces = False
        return await self._posted(place, named(draft), mark, thread_ts, {})

    async def _posted(
        self, place: Place, draft: Draft, mark: str, thread_ts: str, who: dict[str, Any]
    ) -> str:
        payload = {**render.post_payload(draft, mark, thread_ts), **who}
        channel = ids.raw(place.channel)
        try:
            answer = await self._sent(self.writes.chat_postMessage, channel=channel, **payload)
        except WrongForm as error:
            log.warning("Slack refused the form of a post (%s); sent as text", error.detail)
            payload.pop("blocks", None)
            payload |= render.without_blocks(draft)
            answer = await self._last_form(self.writes.chat_postMessage, channel=channel, **payload)
        return f"{place.channel}/{answer['ts']}"

    async def _thread_ts(self, place: Place) -> str:
        """`thread_ts` of the place; the root of a command's thread is posted if it is not yet."""
        if not ids.is_command_thread(place.thread):
            return ids.raw(place.thread)
        async with self._opening_root:
            root = await self.roots.get(place.thread)
            if root is None:
                raise Undeliverable(f"no such command: {place.thread}")
            message = root.message or await self._open_root(place, root)
        return ids.raw(message)

    async def _known_ts(self, place: Place) -> str:
        if not ids.is_command_thread(place.thread):
            return ids.raw(place.thread)
        root = await self.roots.get(place.thread)
        return ids.raw(root.message) if root else ""

    async def _open_root(self, place: Place, root: Root) -> str:
        channel = place.model_copy(update={"thread": f"{place.channel}/"})
        mark = f"root:{root.thread}"
        message = await self.find(channel, mark) if root.state == "opening" else None
        if message is None:
            await self.roots.opening(root.thread)
            try:
                message = await self._post(channel, quoted(root), mark, "")
            except Undeliverable:
                await self._say_not_here(root)
                raise
        await self.roots.opened(root.thread, message)
        return message

    async def _say_not_here(self, root: Root) -> None:
        """We may not post where the command was typed; only its response address is left."""
        person = self.people.peek(root.person)
        text = say("slack.not_here", answer_language(root.line, person, "en"))
        url = URL(root.response_url)
        trusted = url.host == RESPONSE_HOST or (
            url.is_absolute() and url.origin() == URL(self.config.api_url).origin()
        )
        if not trusted:
            return
        body = {"response_type": "ephemeral", "text": text}
        try:
            async with (
                aiohttp.ClientSession(timeout=TIMEOUT) as session,
                session.post(url, json=body, allow_redirects=False) as answer,
            ):
                log.info("a command was typed where we may not post; told so: %s", answer.status)
        except (aiohttp.ClientError, TimeoutError) as error:
            log.warning("the person could not be told either: %s", type(error).__name__)

    async def _sent(self, call: Call, *values: Any, **arguments: Any) -> Any:
        try:
            return await call(*values, **arguments)
        except TROUBLE as error:
            raise ours(error) from error

    async def _repeatable(self, call: Call, **arguments: Any) -> Any:
        """A call that may be made again without harm: a lost answer only means another try."""
        try:
            return await self._sent(call, **arguments)
        except UnknownOutcome as error:
            raise TryLater(error.detail) from error

    async def _last_form(self, call: Call, **arguments: Any) -> Any:
        try:
            return await self._sent(call, **arguments)
        except WrongForm as error:
            raise Undeliverable(error.detail) from error

    def _client(self, retries: list[Any]) -> AsyncWebClient:
        return AsyncWebClient(
            token=self.config.bot_token.get_secret_value(),
            base_url=self.config.api_url,
            session=self._session,
            retry_handlers=retries,
        )


def quoted(root: Root) -> Draft:
    """The root message of a command's thread: who typed what."""
    line = render.cut_chars(root.line, ROOT_CHARS)
    quote = "\n".join(f"> {part}" for part in line.splitlines())
    draft = Draft(text=f"<@{ids.raw(root.person)}>\n{quote}", people=(root.person,))
    return clean(draft, ids.NAME)
