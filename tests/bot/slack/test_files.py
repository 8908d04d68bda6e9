"""Downloads: the file itself or a sentence; the token to Slack only."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from bot.playground.transfer import LOGIN_PAGE
from core.errors import KnowledgeError
from core.messages import Attachment
from core.texts import say
from tests.bot.slack.conftest import HANDBOOK, LIN, Rig

PDF = b"%PDF-1.7\n" + b"x" * 50_000
LIMIT = 1_000_000


async def shared(rig: Rig, name: str = "policy.pdf", data: bytes = PDF) -> Attachment:
    rig.server.say(HANDBOOK, LIN, "", files=[(name, data)])
    (message,) = await rig.taken()
    return message.attachments[0]


def answer_with(rig: Rig, response: Callable[[], web.StreamResponse]) -> None:
    """Every download is answered with this instead of the file."""

    async def before(call: Any) -> web.StreamResponse | None:
        return response() if call.method == "files.download" else None

    rig.server.before_request = before


def moved(url: str) -> web.Response:
    return web.Response(status=302, headers={"Location": url})


async def refused(rig: Rig, attachment: Attachment, folder: Path, limit: int = LIMIT) -> str:
    """The sentence a person gets; nothing is left on the disk."""
    with pytest.raises(KnowledgeError) as caught:
        await rig.adapter.download(attachment, folder, limit)
    assert not list(folder.iterdir())
    return say(caught.value.key, "en", **caught.value.values)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "downloads"
    made.mkdir()
    return made


async def test_a_file_arrives_whole_under_a_name_of_ours(rig: Rig, folder: Path) -> None:
    attachment = await shared(rig, "../../etc/passwd.pdf")
    got = await rig.adapter.download(attachment, folder, LIMIT)
    assert got.path.read_bytes() == PDF
    assert got.size == len(PDF)
    assert got.path.parent == folder
    assert "passwd" not in got.path.name


async def test_a_file_without_an_address_is_looked_up(rig: Rig, folder: Path) -> None:
    attachment = (await shared(rig)).model_copy(update={"handle": ""})
    got = await rig.adapter.download(attachment, folder, LIMIT)
    assert got.size == len(PDF)
    assert rig.calls("files.info") == 1


async def test_the_sign_in_page_in_place_of_a_file_names_the_missing_scope(
    rig: Rig, folder: Path
) -> None:
    attachment = await shared(rig)
    rig.server.scopes = {"chat:write"}
    assert "files:read" in await refused(rig, attachment, folder)


async def test_the_sign_in_page_as_a_picture_is_no_picture(rig: Rig, folder: Path) -> None:
    attachment = await shared(rig, "chart.png")
    answer_with(rig, lambda: web.Response(text=LOGIN_PAGE, content_type="image/png"))
    assert "files:read" in await refused(rig, attachment, folder)


async def test_the_sign_in_page_behind_a_redirect_is_no_file(rig: Rig, folder: Path) -> None:
    attachment = await shared(rig, "page.html", b"<!doctype html><p>leave</p>")
    pages = iter(
        [
            moved(f"{rig.server.url}/files-pri/signin/x"),
            web.Response(text=LOGIN_PAGE, content_type="text/html"),
        ]
    )
    answer_with(rig, lambda: next(pages))
    assert "files:read" in await refused(rig, attachment, folder)


async def test_an_html_file_that_somebody_shared_is_a_file(rig: Rig, folder: Path) -> None:
    data = b"<!doctype html><html><body>15 days</body></html>"
    attachment = await shared(rig, "policy.html", data)
    got = await rig.adapter.download(attachment, folder, LIMIT)
    assert got.path.read_bytes() == data


async def test_a_missing_scope_at_the_lookup_is_named_too(rig: Rig, folder: Path) -> None:
    attachment = (await shared(rig)).model_copy(update={"handle": ""})
    rig.server.scopes = {"chat:write"}
    assert "files:read" in await refused(rig, attachment, folder)


async def test_a_file_over_the_limit_is_not_fetched(rig: Rig, folder: Path) -> None:
    attachment = await shared(rig)
    told = await refused(rig, attachment, folder, limit=1_000)
    assert "the limit is 0.1 MB" in told
    assert rig.calls("files.download") == 0


async def test_a_file_that_is_larger_than_it_said_is_stopped_on_the_way(
    rig: Rig, folder: Path
) -> None:
    attachment = (await shared(rig)).model_copy(update={"size": 0})
    assert "the limit is" in await refused(rig, attachment, folder, limit=10_000)


async def test_a_file_cut_short_once_is_fetched_again(rig: Rig, folder: Path) -> None:
    attachment = await shared(rig)
    bodies = iter([PDF[:20_000], PDF])
    answer_with(rig, lambda: web.Response(body=next(bodies), content_type="application/pdf"))
    got = await rig.adapter.download(attachment, folder, LIMIT)
    assert got.path.read_bytes() == PDF
    assert len(list(folder.iterdir())) == 1


async def test_a_file_cut_short_twice_is_told(rig: Rig, folder: Path) -> None:
    attachment = await shared(rig)
    answer_with(rig, lambda: web.Response(body=PDF[:20_000], content_type="application/pdf"))
    assert "broke off" in await refused(rig, attachment, folder)


async def test_a_deleted_file_is_told(rig: Rig, folder: Path) -> None:
    attachment = await shared(rig)
    answer_with(rig, lambda: web.Response(status=404))
    assert "deleted" in await refused(rig, attachment, folder)


async def test_a_file_kept_outside_of_slack_is_not_fetched(rig: Rig, folder: Path) -> None:
    attachment = (await shared(rig)).model_copy(
        update={"handle": "https://drive.example/d/1", "size": 0}
    )
    assert "drive.example" in await refused(rig, attachment, folder)


@dataclass
class Stranger:
    """Another host that a redirect leads to."""

    url: str
    seen: list[dict[str, str]] = field(default_factory=list[dict[str, str]])


@pytest.fixture
async def stranger() -> AsyncIterator[Stranger]:
    made = Stranger("")

    async def answer(request: web.Request) -> web.Response:
        made.seen.append(dict(request.headers))
        return web.Response(body=PDF)

    app = web.Application()
    app.router.add_get("/{tail:.*}", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    made.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    yield made
    await runner.cleanup()


async def test_a_redirect_to_another_host_never_gets_the_token(
    rig: Rig, folder: Path, stranger: Stranger
) -> None:
    attachment = await shared(rig)
    answer_with(rig, lambda: moved(f"{stranger.url}/steal"))
    assert "outside Slack" in await refused(rig, attachment, folder)
    assert not stranger.seen


async def test_redirects_that_never_end_are_told(rig: Rig, folder: Path) -> None:
    attachment = await shared(rig)
    answer_with(rig, lambda: moved(f"{rig.server.url}/files-pri/again/x"))
    assert "redirects" in await refused(rig, attachment, folder)
