"""Web API: posting, editing, deleting, reacting."""

from __future__ import annotations

import secrets

from bot.playground.call import Call
from bot.playground.limits import (
    MARKDOWN_CHARS,
    SlackError,
    check_blocks,
    check_metadata,
    check_update_text,
)
from bot.playground.methods import method
from bot.playground.rows import Json
from bot.playground.workspace import APP, BOT, BOT_USER, Workspace


def bot_channel(ws: Workspace, call: Call) -> str:
    """The channel of a call, which the bot must be in; a person's id means their conversation."""
    name = call.need("channel", "channel_not_found")
    channel = ws.direct(name) if name in ws.people else ws.channel(name)
    if BOT_USER not in ws.channels[channel]["members"]:
        raise SlackError("not_in_channel")
    return channel


def content(call: Call, edit: bool = False) -> Json:
    """Text and blocks of a message to write, checked against Slack's limits."""
    fields: Json = {}
    if call.has("blocks"):
        fields["blocks"] = with_ids(check_blocks(call.data("blocks", "invalid_blocks_format")))
    if call.has("markdown_text"):
        if call.has("text") or call.has("blocks"):
            raise SlackError("markdown_text_conflict")
        if len(call.text("markdown_text")) > MARKDOWN_CHARS:
            raise SlackError("msg_too_long")
        block = {"type": "markdown", "text": call.text("markdown_text")}
        fields["blocks"] = with_ids([block])
    if call.has("attachments"):
        fields["attachments"] = call.data("attachments")
    if call.has("text") or call.has("markdown_text"):
        fields["text"] = call.text("text") or call.text("markdown_text")
    if not fields:
        raise SlackError("no_text")
    if edit and "text" in fields:
        check_update_text(fields["text"])
    if call.has("metadata"):
        metadata = call.data("metadata", "invalid_metadata_format")
        check_metadata(metadata)
        fields["metadata"] = metadata
    return fields


def with_ids(blocks: list[Json]) -> list[Json]:
    """Slack gives every block and button an id if the app did not."""
    made: list[Json] = []
    for block in blocks:
        named: Json = {**block, "block_id": block.get("block_id") or secrets.token_hex(3)}
        if named["type"] == "actions":
            named["elements"] = [_with_action_id(element) for element in named["elements"]]
        made.append(named)
    return made


def _with_action_id(element: Json) -> Json:
    return {**element, "action_id": element.get("action_id") or secrets.token_hex(3)}


def own_message(ws: Workspace, channel: str, ts: str, error: str) -> Json:
    message = ws.find(channel, ts)
    if message["user"] != BOT_USER or message.get("subtype") == "tombstone":
        raise SlackError(error)
    return message


def identity(call: Call) -> Json:
    """Who a message shows as."""
    shown: Json = {"bot_id": BOT, "app_id": APP}
    if call.has("username"):
        shown["username"] = call.text("username")
    # Slack: an address counts before an emoji.
    if call.has("icon_url"):
        shown["icons"] = {"image_48": call.text("icon_url")}
    elif call.has("icon_emoji"):
        shown["icons"] = {"emoji": call.text("icon_emoji")}
    return shown


@method("chat.postMessage", "chat:write")
def post_message(ws: Workspace, call: Call) -> Json:
    channel = bot_channel(ws, call)
    fields = content(call)
    text = fields.pop("text", "")
    root = call.text("thread_ts") or None
    message = ws.post(channel, BOT_USER, text, thread_ts=root, **identity(call), **fields)
    return {"channel": channel, "ts": message["ts"], "message": ws.view(message)}


@method("chat.update", "chat:write")
def update(ws: Workspace, call: Call) -> Json:
    channel, ts = bot_channel(ws, call), call.need("ts")
    own_message(ws, channel, ts, "cant_update_message")
    fields = content(call, edit=True)
    # Slack: text without blocks takes the blocks away; blocks without text keep the old text.
    if "text" in fields and "blocks" not in fields:
        fields["blocks"] = None
    message = ws.change(channel, ts, fields)
    shown = ws.view(message)
    return {"channel": channel, "ts": ts, "text": message["text"], "message": shown}


@method("chat.delete", "chat:write")
def delete(ws: Workspace, call: Call) -> Json:
    channel, ts = bot_channel(ws, call), call.need("ts")
    own_message(ws, channel, ts, "cant_delete_message")
    ws.remove(channel, ts)
    return {"channel": channel, "ts": ts}


@method("chat.postEphemeral", "chat:write")
def post_ephemeral(ws: Workspace, call: Call) -> Json:
    channel, user = bot_channel(ws, call), call.need("user")
    if user not in ws.channels[channel]["members"]:
        raise SlackError("user_not_in_channel")
    fields = {"text": "", **content(call), "user": BOT_USER, **identity(call)}
    if call.has("thread_ts"):
        fields["thread_ts"] = call.text("thread_ts")
    shown = ws.whisper(channel, user, fields)
    return {"message_ts": shown["ts"]}


@method("chat.getPermalink")
def get_permalink(ws: Workspace, call: Call) -> Json:
    channel = ws.channel(call.need("channel", "channel_not_found"))
    ts = call.need("message_ts")
    ws.find(channel, ts)
    return {"channel": channel, "permalink": permalink(ws, channel, ts)}


def permalink(ws: Workspace, channel: str, ts: str) -> str:
    return f"{ws.base_url}/archives/{channel}/p{ts.replace('.', '')}"


@method("reactions.add", "reactions:write")
def reactions_add(ws: Workspace, call: Call) -> Json:
    return _react(ws, call, on=True)


@method("reactions.remove", "reactions:write")
def reactions_remove(ws: Workspace, call: Call) -> Json:
    return _react(ws, call, on=False)


def _react(ws: Workspace, call: Call, on: bool) -> Json:
    channel = bot_channel(ws, call)
    name = call.need("name", "invalid_name").strip(":")
    ws.react(channel, call.need("timestamp", "no_item_specified"), name, BOT_USER, on)
    return {}


@method("reactions.get", "reactions:read")
def reactions_get(ws: Workspace, call: Call) -> Json:
    channel = bot_channel(ws, call)
    message = ws.find(channel, call.need("timestamp", "no_item_specified"))
    return {"type": "message", "channel": channel, "message": ws.view(message)}
