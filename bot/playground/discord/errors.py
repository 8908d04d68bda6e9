"""How Discord refuses: an HTTP status, a JSON error code and its message."""

from __future__ import annotations

from collections.abc import Sequence

from bot.playground.rows import Json


class DiscordError(Exception):
    """An answer `{"code": ..., "message": ...}`; Discord: topics/opcodes-and-status-codes."""

    def __init__(self, status: int, code: int, message: str, errors: Json | None = None) -> None:
        super().__init__(f"{status} {code} {message}")
        self.status = status
        self.code = code
        self.message = message
        self.errors = errors

    @property
    def body(self) -> Json:
        body: Json = {"message": self.message, "code": self.code}
        if self.errors:
            body["errors"] = self.errors
        return body


def unauthorized() -> DiscordError:
    return DiscordError(401, 0, "401: Unauthorized")


def unknown(what: str) -> DiscordError:
    """`what` is one of `UNKNOWN`: `Channel`, `Message`, ..."""
    return DiscordError(404, UNKNOWN[what], f"Unknown {what}")


UNKNOWN = {
    "Application": 10002,
    "Channel": 10003,
    "Guild": 10004,
    "Member": 10007,
    "Message": 10008,
    "User": 10013,
    "Emoji": 10014,
    "Webhook": 10015,
    "Interaction": 10062,
    "Application Command": 10063,
}


def missing_access() -> DiscordError:
    return DiscordError(403, 50001, "Missing Access")


def missing_permissions() -> DiscordError:
    return DiscordError(403, 50013, "Missing Permissions")


def invalid_form(lines: Sequence[str]) -> DiscordError:
    """50035 with each fault at its place; a line reads `content: what is wrong`."""
    errors: Json = {}
    for line in lines:
        place, _, what = line.partition(": ")
        at = errors
        for part in place.split("."):
            at = at.setdefault(part, {})
        at.setdefault("_errors", []).append({"code": "BASE_TYPE_INVALID", "message": what})
    return DiscordError(400, 50035, "Invalid Form Body", errors)
