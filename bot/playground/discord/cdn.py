"""File links: signed, and dead after their time."""

from __future__ import annotations

import hmac
from urllib.parse import quote

from aiohttp import web

from bot.playground.discord.guild import Guild
from bot.playground.discord.views import signature

GONE = "This content is no longer available."


class Cdn:
    """Answers `/attachments/...?ex=&is=&hm=`; anything not signed by this server is a 404."""

    def __init__(self, guild: Guild) -> None:
        self._guild = guild
        self.served: list[str] = []
        """Ids of files that were fetched."""

    async def send(self, request: web.Request) -> web.StreamResponse:
        file, query = request.match_info["file"], request.query
        row = self._guild.files.get(file)
        until, since = query.get("ex", ""), query.get("is", "")
        if row is None or not self._valid(file, until, since, query.get("hm", "")):
            return web.Response(status=404, text=GONE)
        blob = self._guild.blob(file)
        if not blob.exists():
            return web.Response(status=404, text=GONE)
        self.served.append(file)
        headers = {
            "Content-Type": row["mime"] or "application/octet-stream",
            "Content-Disposition": f"attachment; filename*=UTF-8''{quote(row['name'])}",
            "X-Content-Type-Options": "nosniff",
        }
        return web.FileResponse(blob, headers=headers)

    def _valid(self, file: str, until: str, since: str, mark: str) -> bool:
        if not hmac.compare_digest(mark, signature(self._guild, file, until, since)):
            return False
        return int(until, 16) > self._guild.clock.now()
