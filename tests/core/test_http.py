"""The guarded client: what is opened, where a connection goes, what is cut."""

import asyncio
import ipaddress
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st

from core.http import Blocked, GuardedClient, WebError, is_public
from core.texts import say

PUBLIC = "93.184.216.34"


async def public(host: str) -> Sequence[str]:
    return [PUBLIC]


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/", "http://localhost/", "http://LOCALHOST./", "http://a.localhost/",
        "http://[::1]/", "http://[::]/", "http://[::ffff:10.0.0.1]/", "http://[fe80::1%25eth0]/",
        "http://[64:ff9b::7f00:1]/", "http://[2002:7f00:1::]/", "http://[fd00:ec2::254]/",
        "http://[ff02::1]/", "http://169.254.169.254/latest", "http://metadata.google.internal/",
        "http://metadata/", "http://router/", "http://nas.local/", "http://100.64.0.1/",
        "http://168.63.129.16/", "http://198.18.0.7/", "http://224.0.0.1/", "http://255.255.255.255/",
        "http://0/", "http://127.1/", "http://2130706433/", "http://0x7f.1/", "http://0177.0.0.1/",
        "http://127.0.0.1./", "http://１２７.０.０.１/", "http://①②⑦.⓪.⓪.①/", "http://127。0。0。1/",
        "http://user@example.com/", "http://user:pw@example.com/", "http://@example.com/",
        "http://example.com\\@127.0.0.1/", "http://exam ple.com/", "http://example.com\n.evil/",
        "file:///etc/passwd", "gopher://example.com/", "ftp://example.com/", "javascript:alert(1)",
        "data:text/html,x", "//example.com/", "example.com", "", "http://", "http:///x",
        "http://example.com:22/", "http://example.com:6379/", "http://example.com:0/",
        "http://example.com:99999/", "http://" + "a" * 5000 + ".com/",
    ],
)  # fmt: skip
async def test_such_addresses_are_never_opened(url: str) -> None:
    with pytest.raises(Blocked) as blocked:
        await GuardedClient(resolve=public).check(url)
    for language in ("zh", "en"):
        assert say(blocked.value.key, language, **blocked.value.values)


@pytest.mark.parametrize(
    "url",
    [
        "https://example.com/a?b=1#c", "http://93.184.216.34/", "https://docs.example.com:8443/x",
        "https://例子.中国/路径", "https://[2606:4700:4700::1111]/", "http://EXAMPLE.com./",
        "http://[64:ff9b::5db8:d822]/",
    ],
)  # fmt: skip
async def test_public_addresses_are_opened(url: str) -> None:
    assert (await GuardedClient(resolve=public).check(url)).addresses


@pytest.mark.parametrize(
    "answers", [["10.0.0.5"], [PUBLIC, "127.0.0.1"], ["::1"], ["not an address"], ["fe80::1%eth0"]]
)
async def test_a_name_with_any_private_address_is_not_opened(answers: list[str]) -> None:
    async def resolve(host: str) -> Sequence[str]:
        return answers

    with pytest.raises(Blocked):
        await GuardedClient(resolve=resolve).check("http://rebind.example/")


async def test_a_name_without_an_address_is_told_so() -> None:
    async def resolve(host: str) -> Sequence[str]:
        raise OSError

    with pytest.raises(WebError) as error:
        await GuardedClient(resolve=resolve).check("http://gone.example/")
    assert "gone.example" in say(error.value.key, "zh", **error.value.values)


async def test_fake_addresses_of_a_proxy_are_opt_in() -> None:
    async def resolve(host: str) -> Sequence[str]:
        return ["198.18.3.4"]

    with pytest.raises(Blocked):
        await GuardedClient(resolve=resolve).check("http://a.example/")
    assert await GuardedClient(resolve=resolve, fake_ip=True).check("http://a.example/")


@given(st.integers(0, 2**32 - 1))
def test_an_address_and_its_v6_disguises_are_judged_alike(number: int) -> None:
    plain = is_public(ipaddress.IPv4Address(number))
    assert is_public(ipaddress.IPv6Address(0xFFFF << 32 | number)) == plain
    assert is_public(ipaddress.IPv6Address((0x64FF9B << 96) | number)) == plain
    assert not is_public(ipaddress.IPv6Address((0x2002 << 112) | number << 80))
    if plain:
        assert ipaddress.IPv4Address(number).is_global


class Server:
    """A loopback server that redirects, cuts, drips and tells what it was sent."""

    def __init__(self) -> None:
        self.origin = ""
        self.seen: list[web.Request] = []

    async def answer(self, request: web.Request) -> web.StreamResponse:
        self.seen.append(request)
        match request.path:
            case "/to":
                return web.Response(status=302, headers={"Location": request.query["u"]})
            case "/loop":
                return web.Response(status=302, headers={"Location": "/loop"})
            case "/big":
                return web.Response(body=b"x" * 300_000)
            case "/zipped":
                response = web.Response(body=b"0" * 3_000_000)
                response.enable_compression(web.ContentCoding.gzip)
                return response
            case "/slow":
                await asyncio.sleep(30)
                return web.Response()
            case "/cookie":
                response = web.Response(text="fine")
                response.set_cookie("id", "1")
                return response
            case _:
                return web.Response(text="fine")


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    made = Server()
    app = web.Application()
    app.router.add_get("/{tail:.*}", made.answer)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    host, port = runner.addresses[0][:2]
    made.origin = f"http://{host}:{port}"
    yield made
    await runner.cleanup()


@pytest.fixture
async def client(server: Server) -> AsyncIterator[GuardedClient]:
    async with GuardedClient(origins=[server.origin], resolve=public) as made:
        yield made


async def test_an_origin_that_the_operator_named_is_opened(
    server: Server, client: GuardedClient
) -> None:
    answer = await client.get(server.origin + "/x")
    assert (answer.status, answer.body, answer.content_type) == (200, b"fine", "text/plain")
    with pytest.raises(Blocked):
        await GuardedClient(resolve=public).get(server.origin + "/x")


@pytest.mark.parametrize(
    "place", ["http://169.254.169.254/", "http://localhost/", "file:///etc/passwd", "//10.0.0.1/x"]
)
async def test_every_redirect_is_checked_like_the_first_address(
    server: Server, client: GuardedClient, place: str
) -> None:
    with pytest.raises(Blocked):
        await client.get(f"{server.origin}/to?u={place}")


async def test_redirects_end(server: Server, client: GuardedClient) -> None:
    with pytest.raises(WebError) as error:
        await client.get(server.origin + "/loop")
    assert error.value.key == "web.redirects"


async def test_the_connection_goes_to_the_address_that_was_checked(server: Server) -> None:
    port = server.origin.rsplit(":", 1)[1]
    asked: list[str] = []

    async def resolve(host: str) -> Sequence[str]:
        # The second answer of a rebinding name server is never asked for.
        asked.append(host)
        return ["127.0.0.1"] if len(asked) == 1 else ["203.0.113.9"]

    origin = f"http://platform.example:{port}"
    async with GuardedClient(origins=[origin], resolve=resolve) as client:
        assert (await client.get(origin + "/x")).body == b"fine"
    assert asked == ["platform.example"]


async def test_secrets_stay_with_the_origin_they_were_given_for(server: Server) -> None:
    port = server.origin.rsplit(":", 1)[1]
    other = f"http://other.example:{port}"

    async def resolve(host: str) -> Sequence[str]:
        return ["127.0.0.1"]

    async with GuardedClient(origins=[server.origin, other], resolve=resolve) as client:
        token = {"Authorization": "Bearer xoxb-1"}
        await client.get(f"{server.origin}/to?u={server.origin}/same", headers=token)
        await client.get(f"{server.origin}/to?u={other}/far", headers=token)
    sent = {request.path: "Authorization" in request.headers for request in server.seen}
    assert sent == {"/to": True, "/same": True, "/far": False}


@pytest.mark.parametrize("path", ["/big", "/zipped"])
async def test_a_body_over_the_limit_is_not_read(
    server: Server, client: GuardedClient, path: str
) -> None:
    with pytest.raises(WebError) as error:
        await client.get(server.origin + path, limit=100_000)
    assert error.value.key == "web.too_large"


async def test_a_slow_server_is_given_up(server: Server, client: GuardedClient) -> None:
    with pytest.raises(WebError) as error:
        await client.get(server.origin + "/slow", seconds=0.2)
    assert error.value.key == "web.too_slow"


async def test_no_cookie_is_kept(server: Server, client: GuardedClient) -> None:
    await client.get(server.origin + "/cookie")
    await client.get(server.origin + "/x")
    assert "Cookie" not in server.seen[-1].headers


async def test_a_download_that_fails_leaves_no_file(
    server: Server, client: GuardedClient, tmp_path: Path
) -> None:
    target = tmp_path / "file"
    with pytest.raises(WebError):
        await client.download(server.origin + "/big", target, limit=100_000)
    assert not target.exists()
    answer = await client.download(server.origin + "/big", target)
    assert target.stat().st_size == 300_000 and len(answer.body) == 4096
