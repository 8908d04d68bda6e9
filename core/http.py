"""The one way out to the web: http and https to public addresses, checked, pinned, limited.

Everything that fetches a URL which a person, a model, a page or a file named goes through
`GuardedClient`. Each hop's name is resolved once, every address that came back is checked, and
the connection goes to those addresses only, so that a second answer of the name server changes
nothing. No cookies, no proxies from the environment, no credentials across origins.
"""

from __future__ import annotations

import asyncio
import ipaddress
import re
import socket
import unicodedata
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Awaitable,
    Callable,
    Collection,
    Mapping,
    Sequence,
)
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

from core.errors import ThreadmateError
from core.texts.counts import megabytes

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolve = Callable[[str], Awaitable[Sequence[str]]]
"""Name -> addresses as text; raises OSError if there is none."""

WEB_PORTS = frozenset({80, 443, 8080, 8443})
"""Ports of web servers. Others belong to mail, databases and caches that answer to HTTP as well."""

MAX_URL, MAX_REDIRECTS, MAX_PINS = 4096, 5, 1000
MAX_BODY, CHUNK = 10 * 2**20, 65_536
SECONDS = 20.0
REDIRECTS = {301, 302, 303, 307, 308}
SECRET_HEADERS = {"authorization", "cookie", "proxy-authorization", "x-api-key"}

BLOCKED_V4 = [
    ipaddress.IPv4Network(net)
    for net in (
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16",
        "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16",
        "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
        "168.63.129.16/32",  # Azure's host agent: a public number that only the machine reaches
    )
]  # fmt: skip
"""IANA's special-purpose registry: private, shared, loopback, link-local, test, multicast."""
FAKE_IP = ipaddress.IPv4Network("198.18.0.0/15")
"""Benchmark range; Clash and other proxies answer every name from it, hence the opt-in."""
PUBLIC_V6 = ipaddress.IPv6Network("2000::/3")
BLOCKED_V6 = [
    ipaddress.IPv6Network(net)
    for net in ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", "2620:4f:8000::/48")
]
"""Teredo, benchmarks, documentation and 6to4, which carry or stand for other addresses."""
NAT64 = ipaddress.IPv6Network("64:ff9b::/96")

INNER_NAMES = re.compile(
    r"(?:^|\.)(?:localhost|localdomain|local|internal|intranet|lan|home|corp|private|arpa|onion"
    r"|svc|test|invalid|metadata)$"
)
"""Endings that name no public host."""
NUMERIC = re.compile(r"(?:^|\.)(?:0x[0-9a-f]*|\d+)$")
"""A last label that browsers and libc read as an IPv4 address, in whatever form."""
USERINFO = re.compile(r"[a-zA-Z]+:/*[^/?#]*@")
UNSAFE = re.compile(r"[\x00-\x20\x7f\\<>\"^`{|}\u00a0\u2028\u2029]")


class WebError(ThreadmateError):
    """A URL could not be fetched; carries the sentence for a person."""

    key = "web.unreachable"


class Blocked(WebError):
    """The URL is one that we do not open."""

    key = "web.private"


@dataclass(frozen=True)
class Target:
    """A checked hop: where to connect, and as whom to speak."""

    url: URL
    addresses: tuple[str, ...]


@dataclass(frozen=True)
class Answer:
    """A whole response; `body` is decoded by its content encoding and inside the limit."""

    url: str
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def content_type(self) -> str:
        return self.headers.get("content-type", "").split(";")[0].strip().lower()


def unwrap(address: Address) -> Address:
    """The IPv4 address inside a mapped or NAT64 one: that is where packets go."""
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped:
            return address.ipv4_mapped
        if address in NAT64:
            return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address


def is_public(address: Address, fake_ip: bool = False) -> bool:
    """Whether the address belongs to the public internet. `fake_ip` admits 198.18.0.0/15."""
    address = unwrap(address)
    if isinstance(address, ipaddress.IPv4Address):
        if address in FAKE_IP:
            return fake_ip
        return not any(address in net for net in BLOCKED_V4)
    return address in PUBLIC_V6 and not any(address in net for net in BLOCKED_V6)


def parse_url(text: str, ports: Collection[int], origins: Collection[str]) -> URL:
    """The URL in its one form; raises Blocked for what we do not open, whatever it resolves to."""
    if len(text) > MAX_URL or UNSAFE.search(text):
        raise Blocked(key="web.malformed")
    try:
        url = URL(text)
        port = url.port
        host = (url.raw_host or "").rstrip(".")
    except (ValueError, UnicodeError):
        raise Blocked(key="web.malformed") from None
    if url.scheme not in ("http", "https"):
        raise Blocked(key="web.scheme", scheme=url.scheme or "?")
    if not host or "%" in host or port is None:
        raise Blocked(key="web.malformed")
    if USERINFO.match(text):
        raise Blocked(key="web.userinfo")
    host = unicodedata.normalize("NFKC", host).lower()
    url = url.with_host(host)
    if origin(url) in origins:
        return url
    if port not in ports:
        raise Blocked(key="web.port", port=port)
    check_name(host)
    return url


def origin(url: URL) -> str:
    return str(url.origin())


def check_name(host: str) -> None:
    """Raise Blocked for names that no public host has, and for numbers in odd forms."""
    if ":" in host:
        return
    if NUMERIC.search(host):
        try:
            ipaddress.IPv4Address(host)
        except ValueError:
            raise Blocked(key="web.malformed") from None
    elif "." not in host or INNER_NAMES.search(host):
        raise Blocked(key="web.private", host=host)


def literal(host: str) -> Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


async def system_resolve(host: str) -> Sequence[str]:
    """The system's own answer."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(item[4][0]) for item in found))


class Pinned(AbstractResolver):
    """Gives the connector the addresses that were checked for a hop, and knows no others."""

    def __init__(self) -> None:
        self._pins: dict[str, tuple[str, ...]] = {}

    def pin(self, host: str, addresses: tuple[str, ...]) -> None:
        self._pins[host] = addresses
        while len(self._pins) > MAX_PINS:
            del self._pins[next(iter(self._pins))]

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        addresses = self._pins.get(host)
        if not addresses:
            raise OSError(f"{host} was not checked")
        return [pinned_address(host, address, port) for address in addresses]

    async def close(self) -> None:
        self._pins.clear()


def pinned_address(host: str, address: str, port: int) -> ResolveResult:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    return ResolveResult(
        hostname=host, host=address, port=port, family=family, proto=0,
        flags=socket.AI_NUMERICHOST,
    )  # fmt: skip


class GuardedClient:
    """Fetches public URLs.

    `origins` are exact origins (`http://127.0.0.1:8901`) that the operator named: a platform's or
    a file host's address that may be private. `ports` are allowed besides `WEB_PORTS`. `fake_ip`
    admits 198.18.0.0/15 for machines behind a proxy that answers names from it.
    """

    def __init__(
        self,
        *,
        origins: Collection[str] = (),
        ports: Collection[int] = (),
        fake_ip: bool = False,
        resolve: Resolve = system_resolve,
        agent: str = "threadmate",
    ) -> None:
        self.origins = frozenset(origin(URL(text)) for text in origins)
        self.ports = WEB_PORTS | frozenset(ports)
        self.fake_ip = fake_ip
        self._resolve = resolve
        self._agent = agent
        self._pinned = Pinned()
        self._session: aiohttp.ClientSession | None = None

    async def check(self, text: str) -> Target:
        """Resolve and check one URL; raises Blocked, or WebError if the name has no address."""
        url = parse_url(text, self.ports, self.origins)
        host = url.raw_host or ""
        number = literal(host)
        if number is not None:
            addresses: tuple[str, ...] = (str(number),)
        else:
            try:
                addresses = tuple(await self._resolve(host))
            except OSError:
                raise WebError(key="web.unknown_host", host=host) from None
        if not addresses:
            raise WebError(key="web.unknown_host", host=host)
        if origin(url) not in self.origins:
            self._check_addresses(host, addresses)
        return Target(url, addresses)

    def _check_addresses(self, host: str, addresses: Sequence[str]) -> None:
        """All of them: a name with one private address among public ones wants to be tried."""
        for text in addresses:
            address = literal(text)
            if address is None or not is_public(address, self.fake_ip):
                raise Blocked(key="web.private", host=host)

    async def get(
        self,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        limit: int = MAX_BODY,
        seconds: float = SECONDS,
    ) -> Answer:
        """The response to a GET, redirects followed; WebError if it cannot be had.

        `limit` is bytes of the decoded body, `seconds` the time for everything.
        """
        async with self._deadline(url, seconds), self._open(url, headers or {}, limit) as answer:
            parts = [part async for part in limited(answer, limit)]
        return Answer(str(answer.url), answer.status, lower(answer.headers), b"".join(parts))

    async def download(
        self,
        url: str,
        path: Path,
        *,
        headers: Mapping[str, str] | None = None,
        limit: int = MAX_BODY,
        seconds: float = 300.0,
    ) -> Answer:
        """Like `get`, with the body written to `path`; the answer's own body is its first 4 KiB.

        A file that was begun and not finished is removed.
        """
        head = bytearray()
        file = await asyncio.to_thread(path.open, "wb")
        try:
            async with (
                self._deadline(url, seconds),
                self._open(url, headers or {}, limit) as answer,
            ):
                async for part in limited(answer, limit):
                    head += part[: 4096 - len(head)]
                    await asyncio.to_thread(file.write, part)
        except BaseException:
            await asyncio.to_thread(path.unlink, missing_ok=True)
            raise
        finally:
            await asyncio.to_thread(file.close)
        return Answer(str(answer.url), answer.status, lower(answer.headers), bytes(head))

    @asynccontextmanager
    async def _deadline(self, url: str, seconds: float) -> AsyncGenerator[None]:
        """Our errors for the client library's, and one time limit over all hops."""
        host = re.sub(r"^[a-z]+://([^/?#]*).*", r"\1", url, flags=re.S)[:100]
        try:
            async with asyncio.timeout(seconds):
                yield
        except TimeoutError:
            raise WebError(key="web.too_slow", host=host, seconds=f"{seconds:g}") from None
        except (aiohttp.ClientError, ValueError) as error:
            raise WebError(str(error), key="web.unreachable", host=host) from None

    @asynccontextmanager
    async def _open(
        self, text: str, headers: Mapping[str, str], limit: int
    ) -> AsyncGenerator[aiohttp.ClientResponse]:
        """The last response of a chain of redirects, each hop checked like the first."""
        for _ in range(MAX_REDIRECTS + 1):
            target = await self.check(text)
            self._pinned.pin(target.url.raw_host or "", target.addresses)
            answer = await self._ensure().get(target.url, headers=headers, allow_redirects=False)
            try:
                place = answer.headers.get("Location")
                if answer.status not in REDIRECTS or not place:
                    if (answer.content_length or 0) > limit:
                        raise too_large(target.url, limit)
                    yield answer
                    return
                onward = target.url.join(URL(place))
                if onward.absolute and origin(onward) != origin(target.url):
                    headers = without_secrets(headers)
                text = str(onward)
            finally:
                answer.close()
        raise WebError(key="web.redirects", limit=MAX_REDIRECTS)

    def _ensure(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(
                    resolver=self._pinned, use_dns_cache=False, limit=20
                ),
                cookie_jar=aiohttp.DummyCookieJar(),
                trust_env=False,
                headers={"User-Agent": self._agent},
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=10, sock_read=60),
            )
        return self._session

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *raised: object) -> None:
        await self.close()


async def limited(answer: aiohttp.ClientResponse, limit: int) -> AsyncIterator[bytes]:
    """The body in parts; raises WebError once it is over `limit` bytes after decoding."""
    size = 0
    async for part in answer.content.iter_chunked(CHUNK):
        size += len(part)
        if size > limit:
            raise too_large(answer.url, limit)
        yield part


def too_large(url: URL, limit: int) -> WebError:
    return WebError(key="web.too_large", host=url.host or "", limit=megabytes(limit))


def without_secrets(headers: Mapping[str, str]) -> dict[str, str]:
    return {name: text for name, text in headers.items() if name.lower() not in SECRET_HEADERS}


def lower(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.lower(): text for name, text in headers.items()}
