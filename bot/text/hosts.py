"""Which addresses a text may link to, and how the others are shown: readable, but no link."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

_SAFE_HOST = re.compile(r"[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?)*")
_IP6 = re.compile(r"\[[0-9a-f:.]+\]")
_NESTED = re.compile(r"(?:[a-z][a-z0-9+.-]*:)?[/\\]{2}[^/\\?#&\s]+", re.I)
_SHOWN_HOST = re.compile(r"(?:\[[0-9A-Fa-f:.]+\]|[\w.-]+)(?::\d{1,5}(?!\w))?")
_PLAIN_PART = re.compile(
    r"[A-Za-z][A-Za-z_-]{0,23}(?:\.[A-Za-z]{1,5})?|v?\d{1,2}(?:\.\d{1,3}){0,2}"
)
MOST_PARTS = 4
"""Parts of a path that are shown of a disarmed address."""


@dataclass(frozen=True)
class Allowed:
    """Hosts that links may name: exact names, `name:port`, or `*.name` for all below it."""

    hosts: frozenset[str]

    @staticmethod
    def of(hosts: Sequence[str]) -> Allowed:
        return Allowed(frozenset(host.strip().casefold() for host in hosts if host.strip()))

    def host(self, host: str, port: int | None, scheme: str) -> bool:
        names = {host, host.removeprefix("www."), f"www.{host}"}
        if port is not None and port != {"http": 80, "https": 443}[scheme]:
            return any(f"{name}:{port}" in self.hosts for name in names)
        if names & self.hosts:
            return True
        labels = host.split(".")
        return any(f"*.{'.'.join(labels[n:])}" in self.hosts for n in range(1, len(labels)))

    def link(self, url: str) -> bool:
        """True if every reader of `url` goes to an allowed host, and to no other by way of it."""
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError:
            return False
        scheme, host = parts.scheme.casefold(), (parts.hostname or "").casefold()
        if scheme not in ("http", "https") or not url[len(scheme) :].startswith("://"):
            return False
        if "@" in parts.netloc or "\\" in url or "%" in parts.netloc or parts.netloc[-1:] == ":":
            return False
        plain = _SAFE_HOST.fullmatch(host) or _IP6.fullmatch(f"[{host}]")
        if not plain or not self.host(host, port, scheme):
            return False
        return not self._leads_on(url[len(scheme) + 3 + len(parts.netloc) :])

    def _leads_on(self, rest: str) -> bool:
        """True if the path or query names another address: an open redirect, a preview service."""
        for _ in range(3):
            for found in _NESTED.findall(rest):
                bare = found.split("//", 1)[-1].split("\\", 1)[-1]
                if "." in bare and not self.link(f"https://{bare}"):
                    return True
            rest = unquote(rest)
        return False


def defanged(url: str) -> str:
    """An address for reading only: `docs[.]example[.]com/guide/…`.

    No scheme, dots of the host in brackets, and of the path only plain words: what a person
    recognises the place by stays, and nothing that could carry data out.
    """
    rest = re.sub(r"^[A-Za-z0-9+.\-]*:[/\\]*|^[/\\]+", "", url)
    authority, mark, tail = _cut(rest)
    found = _SHOWN_HOST.match(authority.rsplit("@", 1)[-1])
    shown = found.group()[:100].replace(".", "[.]") if found else ""
    parts: list[str] = []
    for part in tail.split("?")[0].split("#")[0].split("/")[:MOST_PARTS] if mark == "/" else []:
        if not _PLAIN_PART.fullmatch(part):
            break
        parts.append(part)
    shown = "/".join([shown, *parts])
    left = rest[len("/".join([authority, *parts])) :].rstrip("/")
    return shown + ("" if not left else left[0] + "…" if left[0] in "?#" else "/…")


def _cut(rest: str) -> tuple[str, str, str]:
    found = re.search(r"[/\\?#]", rest)
    if found is None:
        return rest, "", ""
    return rest[: found.start()], found.group(), rest[found.end() :]
