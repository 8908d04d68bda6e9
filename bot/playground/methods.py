"""The table of Web API methods, and the ones about people, views and the app itself."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass

from bot.playground.call import Call, Method
from bot.playground.limits import SlackError
from bot.playground.rows import Json
from bot.playground.workspace import APP, BOT, BOT_NAME, BOT_USER, TEAM, Workspace


@dataclass(frozen=True)
class Entry:
    run: Method
    scope: str
    """The scope that a bot token needs; empty for none."""


METHODS: dict[str, Entry] = {}

PAGE = 100
"""Slack: objects on a page when no limit is given."""
MOST = 1000


def method(name: str, scope: str = "") -> Callable[[Method], Method]:
    """Put a function into the table under Slack's name of it."""

    def add(run: Method) -> Method:
        METHODS[name] = Entry(run, scope)
        return run

    return add


def cut_page(call: Call, items: list[Json], key: str) -> Json:
    """One page of `items` under `key`, with the cursor of the next."""
    limit = min(max(call.number("limit", PAGE), 1), MOST)
    cursor = call.text("cursor") or "next:0"
    if not cursor.removeprefix("next:").isdigit():
        raise SlackError("invalid_cursor")
    start = int(cursor.removeprefix("next:"))
    rest = start + limit < len(items)
    return {
        key: items[start : start + limit],
        "has_more": rest,
        "response_metadata": {"next_cursor": f"next:{start + limit}" if rest else ""},
    }


@method("api.test")
def api_test(ws: Workspace, call: Call) -> Json:
    return {"args": call.params}


@method("auth.test")
def auth_test(ws: Workspace, call: Call) -> Json:
    return {
        "url": f"{ws.base_url}/",
        "team": "Practice",
        "user": BOT_NAME.lower(),
        "team_id": TEAM,
        "user_id": BOT_USER,
        "bot_id": BOT,
        "is_enterprise_install": False,
    }


@method("team.info", "team:read")
def team_info(ws: Workspace, call: Call) -> Json:
    return {"team": {"id": TEAM, "name": "Practice", "domain": "practice"}}


@method("bots.info", "users:read")
def bots_info(ws: Workspace, call: Call) -> Json:
    if call.text("bot", BOT) != BOT:
        raise SlackError("bot_not_found")
    return {"bot": {"id": BOT, "name": BOT_NAME, "app_id": APP, "user_id": BOT_USER}}


def user_view(ws: Workspace, user: str, locale: bool) -> Json:
    row = ws.person(user)
    shown: Json = {
        "id": user,
        "team_id": TEAM,
        "name": row["name"].lower().replace(" ", "."),
        "real_name": row["name"],
        "tz": row["tz"],
        "deleted": False,
        "is_bot": row["is_bot"],
        "is_restricted": False,
        "profile": {"real_name": row["name"], "display_name": row["name"], "team": TEAM},
    }
    if locale:
        shown["locale"] = row["locale"]
    return shown


@method("users.info", "users:read")
def users_info(ws: Workspace, call: Call) -> Json:
    return {"user": user_view(ws, call.need("user"), call.flag("include_locale"))}


@method("users.list", "users:read")
def users_list(ws: Workspace, call: Call) -> Json:
    views = [user_view(ws, user, call.flag("include_locale")) for user in ws.people]
    return cut_page(call, views, "members")


@method("views.open")
def views_open(ws: Workspace, call: Call) -> Json:
    call.need("trigger_id", "invalid_trigger_id")
    return {"view": _view(call)}


@method("views.publish")
def views_publish(ws: Workspace, call: Call) -> Json:
    user = call.need("user_id")
    ws.person(user)
    view = _view(call)
    ws.rows.put("home", user, view)
    return {"view": view}


def _view(call: Call) -> Json:
    view = call.data("view")
    if not isinstance(view, dict) or view.get("type") not in ("modal", "home"):
        raise SlackError("invalid_arguments")
    return {**view, "id": f"V0{secrets.token_hex(5).upper()}", "team_id": TEAM, "app_id": APP}
