"""The application itself: who the bot is, where the gateway is, commands, fresh file links."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from bot.playground.discord import views
from bot.playground.discord.call import Call
from bot.playground.discord.commands import Commands
from bot.playground.discord.compose import Composer
from bot.playground.discord.errors import invalid_form, unknown
from bot.playground.discord.guild import APP, BOT, BOT_NAME, GUILD, GUILD_NAME, Guild
from bot.playground.discord.limits import command_faults
from bot.playground.discord.rest import Routes
from bot.playground.rows import Json

CONTENT_FLAG = 1 << 19
"""GATEWAY_MESSAGE_CONTENT_LIMITED: the switch is on, for an app in few guilds."""
_FILE = re.compile(r"/attachments/\d+/(\d+)/")


class AppRoutes:
    def __init__(
        self,
        guild: Guild,
        composer: Composer,
        commands: Commands,
        gateway_url: Callable[[], str],
        identified: Callable[[], int],
        content: bool,
    ) -> None:
        self._guild = guild
        self._composer = composer
        self._commands = commands
        self._gateway_url = gateway_url
        self._identified = identified
        self._content = content

    def add(self, routes: Routes) -> None:
        routes.add("GET /users/@me", "user.me", self.me)
        routes.add("PATCH /users/@me", "user.edit", self.me)
        routes.add("GET /users/@me/guilds", "user.guilds", self.guilds)
        routes.add("POST /users/@me/channels", "user.direct", self.direct)
        routes.add("GET /users/{user_id}", "user.get", self.user)
        routes.add("GET /gateway", "gateway.get", self.gateway)
        routes.add("GET /gateway/bot", "gateway.get", self.gateway)
        routes.add("GET /oauth2/applications/@me", "app.me", self.app)
        routes.add("GET /applications/@me", "app.me", self.app)
        routes.add("PATCH /applications/@me", "app.edit", self.app)
        routes.add("POST /attachments/refresh-urls", "file.refresh", self.refresh)
        for scope in ("", "/guilds/{guild_id}"):
            base = f"/applications/{{application_id}}{scope}/commands"
            routes.add(f"GET {base}", "command.list", self.commands)
            routes.add(f"PUT {base}", "command.overwrite", self.overwrite)
            routes.add(f"POST {base}", "command.create", self.create)
            routes.add(f"DELETE {base}/{{command_id}}", "command.delete", self.delete)

    async def me(self, call: Call) -> Json:
        return {**views.user(self._guild, BOT), "verified": True, "mfa_enabled": False}

    async def guilds(self, call: Call) -> list[Json]:
        place = next(c for c, row in self._guild.channels.items() if row["type"] == 0)
        may = views.app_permissions(self._guild, place)
        return [
            {
                "id": GUILD,
                "name": GUILD_NAME,
                "icon": None,
                "owner": False,
                "permissions": may,
                "features": [],
            }
        ]

    async def direct(self, call: Call) -> Json:
        channel = self._guild.direct(str(call.fields.get("recipient_id")))
        return views.channel(self._guild, self._guild.channel(channel))

    async def user(self, call: Call) -> Json:
        return views.user(self._guild, call.params["user_id"])

    async def gateway(self, call: Call) -> Json:
        left = 1_000 - self._identified()
        limit = {"total": 1_000, "remaining": left, "reset_after": 86_400_000, "max_concurrency": 1}
        return {"url": self._gateway_url(), "shards": 1, "session_start_limit": limit}

    async def app(self, call: Call) -> Json:
        owner = next(p for p, row in self._guild.people.items() if not row["bot"])
        return {
            "id": APP,
            "name": BOT_NAME,
            "icon": None,
            "description": "",
            "bot_public": True,
            "bot_require_code_grant": False,
            "owner": views.user(self._guild, owner),
            "bot": views.user(self._guild, BOT),
            "verify_key": "0" * 64,
            "team": None,
            "flags": CONTENT_FLAG if self._content else 0,
            "approximate_guild_count": 1,
            "redirect_uris": [],
        }

    async def refresh(self, call: Call) -> Json:
        """Undocumented at Discord, and used by its own clients."""
        urls: list[str] = call.fields.get("attachment_urls") or []
        shown: list[Json] = []
        for url in urls:
            found = _FILE.search(url)
            file = found[1] if found and found[1] in self._guild.files else None
            fresh = views.file_url(self._guild, file) if file else url
            shown.append({"original": url, "refreshed": fresh})
        return {"refreshed_urls": shown}

    # Commands

    async def commands(self, call: Call) -> list[Json]:
        return self._commands.of(self._scope(call))

    async def overwrite(self, call: Call) -> list[Json]:
        scope, bodies = self._scope(call), call.body
        if not isinstance(bodies, list):
            raise invalid_form(["commands: must be a list"])
        self._composer.check(call, command_faults(bodies))
        return self._commands.overwrite(scope, bodies)

    async def create(self, call: Call) -> Json:
        scope = self._scope(call)
        self._composer.check(call, command_faults([call.fields]))
        return self._commands.upsert(scope, call.fields)

    async def delete(self, call: Call) -> None:
        self._scope(call)
        self._commands.drop(call.params["command_id"])

    def _scope(self, call: Call) -> Any:
        if call.params["application_id"] != APP:
            raise unknown("Application")
        scope = call.params.get("guild_id")
        if scope not in (None, GUILD):
            raise unknown("Guild")
        return scope
