"""Drafts to Slack's payloads: a `markdown` block, small print, buttons, and a plain fallback."""

from __future__ import annotations

import re
from typing import Any

from bot.platform import Button, Draft, PlatformLimits
from bot.slack import ids
from bot.slack.entities import escape
from bot.text.markdown import plain as without_marks
from core.language import language_of
from core.texts import say

Payload = dict[str, Any]

MARKDOWN_CHARS = 12_000
"""Slack: all `markdown` blocks of one message together; longer is `msg_blocks_too_long`."""
TEXT_CHARS = 40_000
"""Slack: chat.postMessage cuts `text` there."""
UPDATE_BYTES = 4_000
"""Slack: chat.update refuses longer `text` (UTF-8) as `msg_too_long`."""
BLOCKS = 50
"""Slack: blocks of one message."""
CONTEXT_CHARS = 3_000
"""Slack: a text object of a `context` block."""
CONTEXT_ELEMENTS = 10
"""Slack: elements of a `context` block."""
ACTIONS = 25
"""Slack: elements of an `actions` block."""
BUTTON_CHARS = 75
"""Slack: the text of a button."""
VALUE_CHARS = 2_000
"""Slack: the value of a button."""
CONFIRM_TITLE_CHARS, CONFIRM_TEXT_CHARS, CONFIRM_BUTTON_CHARS = 100, 300, 30
"""Slack: a confirmation dialog."""
EVENT_TYPE = "threadmate_post"
"""The type of our messages' metadata; its payload carries the outbox's mark."""

LIMITS = PlatformLimits(
    post_chars=11_500,
    edit_bytes=UPDATE_BYTES,
    # Slack: about one message a second into a channel, with short bursts.
    post_gap_s=1.0,
    # Slack: chat.update is Tier 3, 50 and more a minute in the workspace.
    edit_gap_s=1.2,
)
"""A little under `MARKDOWN_CHARS`, so that closing a code fence never crosses it."""

_LINK = re.compile(r"\[([^\[\]]+)\]\((https?://[^\s()<>]+)\)")
_MENTION = re.compile(r"<@([A-Z0-9]+)>")


def post_payload(draft: Draft, mark: str, thread_ts: str | None) -> Payload:
    """Arguments of chat.postMessage. No previews: they fetch an address before anyone clicks."""
    payload: Payload = {
        **content(draft),
        "unfurl_links": False,
        "unfurl_media": False,
        "metadata": {"event_type": EVENT_TYPE, "event_payload": {"mark": mark}},
    }
    if thread_ts:
        payload["thread_ts"] = thread_ts
    return payload


def content(draft: Draft) -> Payload:
    """`text` and `blocks` of a post."""
    blocks = blocks_of(draft)
    fallback = cut_chars(fallback_of(draft), TEXT_CHARS)
    return {"text": fallback, "blocks": blocks} if blocks else {"text": fallback}


def edit_content(draft: Draft) -> Payload:
    """`text` and `blocks` of an edit. Where blocks show the text, the fallback may be cut."""
    blocks = blocks_of(draft)
    if not any(block["type"] == "markdown" for block in blocks):
        return {"text": escaped(draft, draft.text or draft.footer), "blocks": blocks}
    return {"text": cut_bytes(fallback_of(draft), UPDATE_BYTES), "blocks": blocks}


def without_blocks(draft: Draft) -> Payload:
    """The whole text where Slack refused the blocks; buttons stay."""
    parts = [escaped(draft, part) for part in (draft.text, draft.footer) if part]
    payload: Payload = {"text": cut_chars("\n".join(parts) or " ", TEXT_CHARS)}
    if draft.buttons:
        shown = cut_chars(payload["text"], CONTEXT_CHARS)
        section = {"type": "section", "text": {"type": "mrkdwn", "text": shown}}
        # Blocks hide `text`: with a text longer than a section the buttons have to go.
        if shown == payload["text"]:
            payload["blocks"] = [section, *_actions(draft.buttons)]
    return payload


def blocks_of(draft: Draft) -> list[Payload]:
    """Blocks, or none if the text does not fit a message's `markdown` blocks."""
    if len(draft.text) > MARKDOWN_CHARS:
        return []
    blocks: list[Payload] = []
    if draft.text.strip():
        blocks.append({"type": "markdown", "text": draft.text})
    if draft.footer.strip():
        blocks.append(_context(draft.footer))
    blocks.extend(_actions(draft.buttons))
    return blocks[:BLOCKS]


def fallback_of(draft: Draft) -> str:
    """For notifications, screen readers and search, where blocks show the text itself."""
    return escaped(draft, without_marks(draft.text) or draft.text or draft.footer)


def escaped(draft: Draft, text: str) -> str:
    """Text as Slack's `text` shows it. Only `draft.people` are mentioned."""
    known = {ids.raw(person) for person in draft.people} & set(_MENTION.findall(text))
    text = escape(text)
    for user in known:
        text = text.replace(f"&lt;@{user}&gt;", f"<@{user}>")
    return text or " "


def cut_bytes(text: str, limit: int) -> str:
    """The longest start of `text` within `limit` bytes of UTF-8, characters whole, with `…`."""
    data = text.encode("utf-8", "replace")
    if len(data) <= limit:
        return text
    return _whole_escape(data[: limit - 3].decode("utf-8", "ignore")) + "…"


def cut_chars(text: str, limit: int) -> str:
    return text if len(text) <= limit else _whole_escape(text[: limit - 1]) + "…"


def _whole_escape(text: str) -> str:
    """Without a half `&am` at the end."""
    return re.sub(r"&[a-z]{0,3}$", "", text)


def _context(footer: str) -> Payload:
    """Small print. Without links it is plain text, so that `my_file_v2.pdf` keeps its name."""
    pieces = [footer[at : at + 2_000] for at in range(0, len(footer), 2_000)]
    if _LINK.search(footer):
        # Whole lines, so that no link is cut in two.
        pieces = _lines(footer, 2_000)
    elements = [_small(piece) for piece in pieces[:CONTEXT_ELEMENTS] if piece.strip()]
    return {"type": "context", "elements": elements}


def _small(text: str) -> Payload:
    if not _LINK.search(text):
        return {"type": "plain_text", "text": text, "emoji": False}
    parts: list[str] = []
    last = 0
    for link in _LINK.finditer(text):
        parts.append(escape(text[last : link.start()]))
        label = escape(link.group(1)).replace("|", "¦")
        parts.append(f"<{escape(link.group(2))}|{label}>")
        last = link.end()
    parts.append(escape(text[last:]))
    return {"type": "mrkdwn", "text": cut_chars("".join(parts), CONTEXT_CHARS)}


def _lines(text: str, limit: int) -> list[str]:
    pieces: list[str] = []
    for line in text.splitlines():
        if pieces and len(pieces[-1]) + 1 + len(line) <= limit:
            pieces[-1] += "\n" + line
        else:
            pieces.append(line[:limit])
    return pieces


def _actions(buttons: tuple[Button, ...]) -> list[Payload]:
    elements = [_button(button, number) for number, button in enumerate(buttons)]
    return [
        {"type": "actions", "elements": elements[at : at + ACTIONS]}
        for at in range(0, len(elements), ACTIONS)
    ]


def _button(button: Button, number: int) -> Payload:
    """Action ids are unique in a message; `events.py` reads the part before the colon."""
    made: Payload = {
        "type": "button",
        "action_id": f"{button.action}:{number}",
        "text": {
            "type": "plain_text",
            "text": cut_chars(button.label, BUTTON_CHARS),
            "emoji": True,
        },
        "value": button.value[:VALUE_CHARS],
    }
    if button.danger:
        made["style"] = "danger"
    if button.confirm:
        made["confirm"] = _confirm(button)
    return made


def _confirm(button: Button) -> Payload:
    language = language_of(f"{button.confirm} {button.label}") or "en"

    def words(text: str, limit: int) -> Payload:
        return {"type": "plain_text", "text": cut_chars(text, limit)}

    return {
        "title": words(button.label, CONFIRM_TITLE_CHARS),
        "text": words(button.confirm, CONFIRM_TEXT_CHARS),
        "confirm": words(button.label, CONFIRM_BUTTON_CHARS),
        "deny": words(say("slack.keep", language), CONFIRM_BUTTON_CHARS),
        **({"style": "danger"} if button.danger else {}),
    }
