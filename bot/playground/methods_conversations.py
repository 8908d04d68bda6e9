"""Web API: channels, their members and their history."""

from __future__ import annotations

from bot.playground.call import Call
from bot.playground.limits import SlackError
from bot.playground.methods import cut_page, method
from bot.playground.methods_chat import bot_channel
from bot.playground.rows import Json
from bot.playground.workspace import BOT_USER, TEAM, Workspace


def channel_view(ws: Workspace, channel: str) -> Json:
    row = ws.channels[channel]
    shown: Json = {
        "id": channel,
        "created": row["created"],
        "is_archived": False,
        "is_im": "im" in row,
        "is_mpim": False,
        "is_channel": "im" not in row,
        "is_group": False,
        "is_private": "im" in row,
        "is_ext_shared": False,
        "is_member": BOT_USER in row["members"],
        "context_team_id": TEAM,
    }
    if "im" in row:
        return {**shown, "user": row["im"]}
    return {
        **shown,
        "name": row["name"],
        "name_normalized": row["name"],
        "topic": {"value": row["topic"]},
        "purpose": {"value": row["topic"]},
        "num_members": len(row["members"]),
    }


@method("conversations.list", "channels:read")
def conversations_list(ws: Workspace, call: Call) -> Json:
    kinds = call.text("types", "public_channel").split(",")
    views = [channel_view(ws, channel) for channel in ws.channels]
    wanted = [v for v in views if ("im" if v["is_im"] else "public_channel") in kinds]
    return cut_page(call, wanted, "channels")


@method("users.conversations", "channels:read")
def users_conversations(ws: Workspace, call: Call) -> Json:
    answer = conversations_list(ws, call)
    answer["channels"] = [v for v in answer["channels"] if v["is_member"]]
    return answer


@method("conversations.info", "channels:read")
def conversations_info(ws: Workspace, call: Call) -> Json:
    channel = ws.channel(call.need("channel", "channel_not_found"))
    return {"channel": channel_view(ws, channel)}


@method("conversations.members", "channels:read")
def conversations_members(ws: Workspace, call: Call) -> Json:
    channel = ws.channel(call.need("channel", "channel_not_found"))
    return cut_page(call, ws.channels[channel]["members"], "members")


@method("conversations.join", "channels:join")
def conversations_join(ws: Workspace, call: Call) -> Json:
    channel = ws.channel(call.need("channel", "channel_not_found"))
    if "im" in ws.channels[channel]:
        raise SlackError("method_not_supported_for_channel_type")
    joined = ws.join(channel, BOT_USER)
    answer: Json = {"channel": channel_view(ws, channel)}
    return answer if joined else {**answer, "warning": "already_in_channel"}


@method("conversations.leave", "channels:manage")
def conversations_leave(ws: Workspace, call: Call) -> Json:
    ws.leave(bot_channel(ws, call), BOT_USER)
    return {}


@method("conversations.open", "im:write")
def conversations_open(ws: Workspace, call: Call) -> Json:
    if call.has("channel"):
        channel = ws.channel(call.text("channel"))
    else:
        users = call.need("users", "users_list_not_supplied").split(",")
        if len(users) > 1:
            raise SlackError("method_not_supported_for_channel_type")
        channel = ws.direct(users[0])
    shown = channel_view(ws, channel) if call.flag("return_im") else {"id": channel}
    return {"channel": shown, "no_op": True, "already_open": True}


@method("conversations.history", "channels:history")
def conversations_history(ws: Workspace, call: Call) -> Json:
    """Roots and broadcasts, newest first."""
    channel = bot_channel(ws, call)
    roots = [m for m in ws.timeline(channel) if _in_channel(m)]
    messages = [m for m in roots if _within(call, m["ts"])]
    return _messages(ws, call, messages[::-1])


@method("conversations.replies", "channels:history")
def conversations_replies(ws: Workspace, call: Call) -> Json:
    """The root, then the replies, oldest first; the root comes on every page, as in Slack."""
    channel, root = bot_channel(ws, call), call.need("ts")
    try:
        asked = ws.find(channel, root)
    except SlackError:
        raise SlackError("thread_not_found") from None
    thread = ws.thread(channel, asked.get("thread_ts") or root)
    first = [m for m in thread if "thread_ts" not in m]
    replies = [m for m in thread if "thread_ts" in m and _within(call, m["ts"])]
    return _messages(ws, call, first + replies)


def _messages(ws: Workspace, call: Call, messages: list[Json]) -> Json:
    metadata = call.flag("include_all_metadata")
    page = cut_page(call, messages, "messages")
    page["messages"] = [ws.view(m, metadata) for m in page["messages"]]
    return page


def _in_channel(message: Json) -> bool:
    return "thread_ts" not in message or message.get("subtype") == "thread_broadcast"


def _within(call: Call, ts: str) -> bool:
    oldest, latest = call.text("oldest", "0"), call.text("latest", "9999999999")
    try:
        low, here, high = float(oldest), float(ts), float(latest)
    except ValueError:
        raise SlackError("invalid_ts_oldest") from None
    return low <= here <= high if call.flag("inclusive") else low < here < high
