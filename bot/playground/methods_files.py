"""Web API: files. Their bytes travel over `transfer.py`."""

from __future__ import annotations

import mimetypes

from bot.playground.call import Call
from bot.playground.limits import SlackError
from bot.playground.methods import cut_page, method
from bot.playground.methods_chat import bot_channel
from bot.playground.rows import Json
from bot.playground.workspace import APP, BOT, BOT_USER, Workspace


def guess_mime(name: str) -> str:
    return mimetypes.guess_type(name)[0] or "application/octet-stream"


@method("files.info", "files:read")
def files_info(ws: Workspace, call: Call) -> Json:
    return {"file": ws.file_view(call.need("file", "file_not_found"))}


@method("files.list", "files:read")
def files_list(ws: Workspace, call: Call) -> Json:
    views = [ws.file_view(file) for file, row in ws.files.items() if row["ready"]]
    if call.has("channel"):
        views = [v for v in views if call.text("channel") in v["channels"]]
    return cut_page(call, views, "files")


@method("files.delete", "files:write")
def files_delete(ws: Workspace, call: Call) -> Json:
    file = call.need("file", "file_not_found")
    if ws.files.get(file, {}).get("user") != BOT_USER:
        raise SlackError("cant_delete_file" if file in ws.files else "file_not_found")
    ws.remove_file(file)
    return {}


@method("files.getUploadURLExternal", "files:write")
def get_upload_url(ws: Workspace, call: Call) -> Json:
    name = call.need("filename")
    if call.number("length", 0) <= 0:
        raise SlackError("invalid_arguments")
    file = ws.add_file(name, BOT_USER, mime=guess_mime(name))
    return {"upload_url": f"{ws.base_url}/upload/v1/{file}", "file_id": file}


@method("files.completeUploadExternal", "files:write")
def complete_upload(ws: Workspace, call: Call) -> Json:
    wanted = call.data("files")
    if not isinstance(wanted, list) or not wanted:
        raise SlackError("invalid_arguments")
    ids = [str(f.get("id")) for f in wanted if isinstance(f, dict)]
    for file in ids:
        if not ws.files.get(file, {}).get("ready"):
            raise SlackError("file_not_found")
    for given in wanted:
        if given.get("title"):
            ws.change_file(given["id"], {"title": given["title"]})
    if call.has("channel_id") or call.has("channels"):
        _share(ws, call, ids)
    return {"files": [ws.file_view(file) for file in ids]}


def _share(ws: Workspace, call: Call, ids: list[str]) -> None:
    first = call.text("channel_id") or call.text("channels").split(",")[0]
    channel = bot_channel(ws, Call(call.method, {"channel": first}, call.token))
    ws.post(
        channel,
        BOT_USER,
        call.text("initial_comment"),
        thread_ts=call.text("thread_ts") or None,
        files=ids,
        subtype="file_share",
        bot_id=BOT,
        app_id=APP,
    )
