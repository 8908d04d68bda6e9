"""What Slack refuses: its documented limits and the names of its errors."""

from __future__ import annotations

import json
from typing import Any

from bot.playground.rows import Json

TEXT_CHARS = 40_000
"""chat.postMessage: longer text is cut."""
UPDATE_BYTES = 4_000
"""chat.update: longer text (UTF-8) is refused as `msg_too_long`."""
MARKDOWN_CHARS = 12_000
"""`markdown` blocks of one message together, and `markdown_text`."""
BLOCKS = 50
SECTION_CHARS = 3_000
HEADER_CHARS = 150
ACTIONS = 25
CONTEXT_ELEMENTS = 10
BUTTON_CHARS = 75
VALUE_CHARS = 2_000
ACTION_ID_CHARS = 255
METADATA_BYTES = 16_384

BLOCK_TYPES = frozenset(
    (
        *("actions", "alert", "card", "carousel", "container", "context", "context_actions"),
        *("divider", "file", "header", "image", "input", "markdown", "plan", "rich_text"),
        *("section", "table", "task_card", "video"),
    )
)


class SlackError(Exception):
    """An answer `{"ok": false, "error": name}`; `details` are further fields of the answer."""

    def __init__(self, name: str, **details: Any) -> None:
        super().__init__(name)
        self.name = name
        self.details = details


def check_update_text(text: str) -> None:
    if len(text.encode("utf-8", "replace")) > UPDATE_BYTES:
        raise SlackError("msg_too_long")


def check_metadata(metadata: Any) -> None:
    """`metadata` is `{event_type, event_payload}` and small."""
    well_formed = (
        isinstance(metadata, dict)
        and isinstance(metadata.get("event_type"), str)
        and isinstance(metadata.get("event_payload"), dict)
    )
    if not well_formed:
        raise SlackError("invalid_metadata_format")
    if len(json.dumps(metadata).encode()) > METADATA_BYTES:
        raise SlackError("metadata_too_large")


def check_blocks(blocks: Any) -> list[Json]:
    """The blocks of a message; raises `invalid_blocks` with the place of the first fault."""
    if not isinstance(blocks, list):
        raise _fault("must be an array", "")
    if len(blocks) > BLOCKS:
        raise _fault(f"no more than {BLOCKS} items allowed", "")
    markdown = 0
    for number, block in enumerate(blocks):
        if not isinstance(block, dict) or block.get("type") not in BLOCK_TYPES:
            raise _fault("unsupported type", f"/{number}/type")
        _check_block(block, number)
        if block["type"] == "markdown":
            markdown += len(str(block.get("text", "")))
    if markdown > MARKDOWN_CHARS:
        raise SlackError("msg_blocks_too_long")
    return blocks


def _check_block(block: Json, number: int) -> None:
    match block["type"]:
        case "markdown":
            _check_length(block.get("text"), MARKDOWN_CHARS, f"/{number}/text")
        case "section":
            _check_section(block, number)
        case "header":
            _check_text(block.get("text"), HEADER_CHARS, f"/{number}/text", ("plain_text",))
        case "actions":
            _check_actions(block, number)
        case "context":
            _check_context(block, number)
        case _:
            pass


def _check_section(block: Json, number: int) -> None:
    if "text" not in block and "fields" not in block:
        raise _fault("missing required field: text", f"/{number}")
    if "text" in block:
        _check_text(block["text"], SECTION_CHARS, f"/{number}/text")
    accessory = block.get("accessory")
    if isinstance(accessory, dict) and accessory.get("type") == "button":
        _check_button(accessory, f"/{number}/accessory")


def _check_actions(block: Json, number: int) -> None:
    elements = block.get("elements")
    if not isinstance(elements, list) or not 1 <= len(elements) <= ACTIONS:
        raise _fault(f"must have 1 to {ACTIONS} items", f"/{number}/elements")
    for place, element in enumerate(elements):
        if isinstance(element, dict) and element.get("type") == "button":
            _check_button(element, f"/{number}/elements/{place}")
    ids = [e["action_id"] for e in elements if isinstance(e, dict) and e.get("action_id")]
    if len(ids) != len(set(ids)):
        raise _fault("`action_id` must be unique in a block", f"/{number}/elements")


def _check_context(block: Json, number: int) -> None:
    elements = block.get("elements")
    if not isinstance(elements, list) or not 1 <= len(elements) <= CONTEXT_ELEMENTS:
        raise _fault(f"must have 1 to {CONTEXT_ELEMENTS} items", f"/{number}/elements")
    for place, element in enumerate(elements):
        if isinstance(element, dict) and element.get("type") != "image":
            _check_text(element, SECTION_CHARS, f"/{number}/elements/{place}")


def _check_button(button: Json, place: str) -> None:
    _check_text(button.get("text"), BUTTON_CHARS, f"{place}/text", ("plain_text",))
    _check_longest(button.get("value", ""), VALUE_CHARS, f"{place}/value")
    _check_longest(button.get("action_id", ""), ACTION_ID_CHARS, f"{place}/action_id")
    if button.get("style", "primary") not in ("primary", "danger"):
        raise _fault("must be one of primary, danger", f"{place}/style")


def _check_text(
    text: Any, longest: int, place: str, kinds: tuple[str, ...] = ("plain_text", "mrkdwn")
) -> None:
    if not isinstance(text, dict) or text.get("type") not in kinds:
        raise _fault(f"must be a {' or '.join(kinds)} object", place)
    _check_length(text.get("text"), longest, f"{place}/text")


def _check_length(text: Any, longest: int, place: str) -> None:
    if not isinstance(text, str) or not text:
        raise _fault("must be more than 0 characters", place)
    _check_longest(text, longest, place)


def _check_longest(text: Any, longest: int, place: str) -> None:
    if len(str(text)) > longest:
        raise _fault(f"must be less than {longest + 1} characters", place)


def _fault(what: str, place: str) -> SlackError:
    message = f"[ERROR] {what} [json-pointer:/blocks{place}]"
    return SlackError("invalid_blocks", response_metadata={"messages": [message]})
