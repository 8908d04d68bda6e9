"""The Web API, called by Slack's own client."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground.seed import HANDBOOK, LIN, NORA
from bot.playground.server import PracticeServer
from bot.playground.workspace import BOT_USER


def error_of(caught: pytest.ExceptionInfo[SlackApiError]) -> str:
    return str(caught.value.response["error"])


async def refusal(call: Any) -> str:
    with pytest.raises(SlackApiError) as caught:
        await call
    return error_of(caught)


def blocks(*given: dict[str, Any]) -> list[dict[str, Any]]:
    return list(given)


def section(text: str) -> dict[str, Any]:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text}}


async def test_a_post_is_seen_and_an_edit_and_a_deletion_too(
    server: PracticeServer, client: AsyncWebClient
) -> None:
    posted = await client.chat_postMessage(channel=HANDBOOK, text="first")
    await client.chat_update(channel=HANDBOOK, ts=posted["ts"], text="second")
    assert [m["text"] for m in server.messages(HANDBOOK)] == ["second"]
    await client.chat_delete(channel=HANDBOOK, ts=posted["ts"])
    assert server.messages(HANDBOOK) == []


def plain(text: str) -> dict[str, Any]:
    return {"type": "plain_text", "text": text}


@pytest.mark.parametrize("way", ["json", "form", "query"])
async def test_parameters_may_come_as_json_form_or_query(server: PracticeServer, way: str) -> None:
    sent = {"channel": HANDBOOK, "text": "hi", "blocks": json.dumps([section("*hi*")])}
    headers = {"Authorization": f"Bearer {server.bot_token}"}
    url = f"{server.api_url}chat.postMessage"
    async with aiohttp.ClientSession(headers=headers) as session:
        match way:
            case "json":
                call = session.post(url, json={**sent, "blocks": [section("*hi*")]})
            case "form":
                call = session.post(url, data=sent)
            case _:
                call = session.get(url, params=sent)
        async with call as response:
            assert (await response.json())["ok"]
    assert server.messages(HANDBOOK)[0]["blocks"][0]["text"]["text"] == "*hi*"


async def test_metadata_comes_back_only_to_who_asks_for_it(
    server: PracticeServer, client: AsyncWebClient
) -> None:
    mark = {"event_type": "mark", "event_payload": {"key": "k1"}}
    root = server.say(HANDBOOK, LIN, "root")
    await client.chat_postMessage(channel=HANDBOOK, thread_ts=root, text="a", metadata=mark)
    plain = await client.conversations_replies(channel=HANDBOOK, ts=root)
    full = await client.conversations_replies(channel=HANDBOOK, ts=root, include_all_metadata=True)
    assert "metadata" not in plain["messages"][1]
    assert full["messages"][1]["metadata"] == mark
    bad: Any = {"event_type": "mark"}
    call = client.chat_postMessage(channel=HANDBOOK, text="a", metadata=bad)
    assert await refusal(call) == "invalid_metadata_format"


@pytest.mark.parametrize(
    ("given", "error"),
    [
        (blocks(section("x" * 3001)), "invalid_blocks"),
        (blocks(*[{"type": "divider"}] * 51), "invalid_blocks"),
        (
            blocks({"type": "header", "text": {"type": "plain_text", "text": "x" * 151}}),
            "invalid_blocks",
        ),
        (
            blocks({"type": "context", "elements": [{"type": "mrkdwn", "text": "x"}] * 11}),
            "invalid_blocks",
        ),
        (blocks({"type": "actions", "elements": []}), "invalid_blocks"),
        (blocks({"type": "markdown", "text": "x" * 12_001}), "invalid_blocks"),
        (blocks(*[{"type": "markdown", "text": "x" * 7_000}] * 2), "msg_blocks_too_long"),
        (blocks({"type": "wish"}), "invalid_blocks"),
        (blocks(section("")), "invalid_blocks"),
    ],
)
async def test_blocks_over_slacks_limits_are_refused_by_name(
    client: AsyncWebClient, given: list[dict[str, Any]], error: str
) -> None:
    call = client.chat_postMessage(channel=HANDBOOK, text="x", blocks=given)
    assert await refusal(call) == error


async def test_blocks_at_the_limits_pass(client: AsyncWebClient) -> None:
    given = blocks(section("x" * 3000), {"type": "markdown", "text": "x" * 12_000})
    assert (await client.chat_postMessage(channel=HANDBOOK, text="x", blocks=given))["ok"]


async def test_long_posts_are_cut_and_long_edits_are_refused(
    server: PracticeServer, client: AsyncWebClient
) -> None:
    posted = await client.chat_postMessage(channel=HANDBOOK, text="x" * 40_001)
    assert len(server.messages(HANDBOOK)[0]["text"]) == 40_000
    fits, over = "字" * 1333, "字" * 1334
    await client.chat_update(channel=HANDBOOK, ts=posted["ts"], text=fits)
    call = client.chat_update(channel=HANDBOOK, ts=posted["ts"], text=over)
    assert await refusal(call) == "msg_too_long"
    assert server.messages(HANDBOOK)[0]["text"] == fits


async def test_wrong_calls_get_slacks_names(server: PracticeServer, client: AsyncWebClient) -> None:
    theirs = server.say(HANDBOOK, LIN, "mine")
    update = client.chat_update
    assert await refusal(client.chat_postMessage(channel="C404", text="x")) == "channel_not_found"
    nothing = client.api_call("chat.postMessage", json={"channel": HANDBOOK})
    assert await refusal(nothing) == "no_text"
    assert await refusal(update(channel=HANDBOOK, ts=theirs, text="x")) == "cant_update_message"
    assert await refusal(update(channel=HANDBOOK, ts="1.000001", text="x")) == "message_not_found"
    assert await refusal(client.users_info(user="U404")) == "user_not_found"
    assert await refusal(client.api_call("no.such")) == "unknown_method"
    assert (
        await refusal(client.conversations_replies(channel=HANDBOOK, ts="1.1"))
        == "thread_not_found"
    )
    stranger = AsyncWebClient(token="xoxb-wrong", base_url=server.api_url)
    assert await refusal(stranger.auth_test()) == "invalid_auth"
    server.workspace.leave(HANDBOOK, BOT_USER)
    assert await refusal(client.chat_postMessage(channel=HANDBOOK, text="x")) == "not_in_channel"


async def test_a_reaction_put_twice_or_missing_is_named(
    server: PracticeServer, client: AsyncWebClient
) -> None:
    ts = server.say(HANDBOOK, LIN, "hi")
    on = {"channel": HANDBOOK, "timestamp": ts, "name": "eyes"}
    await client.reactions_add(**on)
    assert await refusal(client.reactions_add(**on)) == "already_reacted"
    got = await client.reactions_get(channel=HANDBOOK, timestamp=ts)
    assert got["message"]["reactions"] == [{"name": "eyes", "users": [BOT_USER], "count": 1}]
    await client.reactions_remove(**on)
    assert await refusal(client.reactions_remove(**on)) == "no_reaction"
    assert "reactions" not in server.messages(HANDBOOK)[0]


async def test_history_has_roots_newest_first_and_replies_have_the_thread(
    server: PracticeServer, client: AsyncWebClient
) -> None:
    first = server.say(HANDBOOK, LIN, "one")
    server.say(HANDBOOK, NORA, "reply", thread=first)
    server.say(HANDBOOK, LIN, "two")
    history = await client.conversations_history(channel=HANDBOOK)
    assert [m["text"] for m in history["messages"]] == ["two", "one"]
    assert history["messages"][1]["reply_count"] == 1
    replies = await client.conversations_replies(channel=HANDBOOK, ts=first)
    assert [m["text"] for m in replies["messages"]] == ["one", "reply"]
    later = await client.conversations_history(channel=HANDBOOK, oldest=first)
    assert [m["text"] for m in later["messages"]] == ["two"]


async def test_pages_of_history_join_to_the_whole(
    server: PracticeServer, client: AsyncWebClient
) -> None:
    texts = [f"m{number}" for number in range(7)]
    for text in texts:
        server.say(HANDBOOK, LIN, text)
    seen: list[str] = []
    async for page in await client.conversations_history(channel=HANDBOOK, limit=3):
        seen += [m["text"] for m in page["messages"]]
    assert seen == texts[::-1]


async def test_a_deleted_root_with_replies_leaves_a_tombstone(
    server: PracticeServer, client: AsyncWebClient
) -> None:
    root = server.say(HANDBOOK, LIN, "root")
    server.say(HANDBOOK, NORA, "reply", thread=root)
    server.delete(HANDBOOK, root)
    kept = await client.conversations_replies(channel=HANDBOOK, ts=root)
    assert [m.get("subtype") for m in kept["messages"]] == ["tombstone", None]


async def test_profiles_tell_locale_and_zone(client: AsyncWebClient) -> None:
    user = (await client.users_info(user=LIN, include_locale=True))["user"]
    assert (user["locale"], user["tz"]) == ("zh-CN", "Asia/Shanghai")


async def test_a_file_goes_up_and_comes_down_with_the_token(
    server: PracticeServer, client: AsyncWebClient
) -> None:
    root = server.say(HANDBOOK, LIN, "root")
    await client.files_upload_v2(
        channel=HANDBOOK, content=b"hello", filename="a b.txt", thread_ts=root
    )
    file = server.messages(HANDBOOK, root)[1]["files"][0]
    url = file["url_private_download"]
    async with aiohttp.ClientSession() as session:
        headers = {"Authorization": f"Bearer {server.bot_token}"}
        async with session.get(url, headers=headers) as response:
            assert await response.read() == b"hello"
        async with session.get(url) as response:
            assert response.status == 200
            assert "Sign in" in await response.text()


async def test_without_files_read_the_sign_in_page_comes_with_200(
    server: PracticeServer, client: AsyncWebClient, tmp_path: Path
) -> None:
    paper = tmp_path / "paper.pdf"
    paper.write_bytes(b"%PDF-1.7 ...")
    server.say(HANDBOOK, LIN, files=[paper])
    server.scopes = {"chat:write"}
    file = server.messages(HANDBOOK)[0]["files"][0]
    headers = {"Authorization": f"Bearer {server.bot_token}"}
    async with (
        aiohttp.ClientSession(headers=headers) as session,
        session.get(file["url_private_download"]) as response,
    ):
        assert (response.status, response.content_type) == (200, "text/html")
    with pytest.raises(SlackApiError) as caught:
        await client.files_info(file=file["id"])
    assert caught.value.response["needed"] == "files:read"


async def test_strict_servers_take_one_post_a_second_and_channel() -> None:
    server = PracticeServer(strict=True)
    await server.start()
    client = AsyncWebClient(token=server.bot_token, base_url=server.api_url)
    await client.chat_postMessage(channel=HANDBOOK, text="one")
    with pytest.raises(SlackApiError) as caught:
        await client.chat_postMessage(channel=HANDBOOK, text="two")
    await server.stop()
    assert caught.value.response.status_code == 429
    assert caught.value.response.headers["Retry-After"] == "1"


async def test_a_permalink_leads_to_the_message_on_the_page(
    server: PracticeServer, client: AsyncWebClient
) -> None:
    ts = server.say(HANDBOOK, LIN, "here", files=[("a.txt", b"x")])
    link = (await client.chat_getPermalink(channel=HANDBOOK, message_ts=ts))["permalink"]
    file = server.messages(HANDBOOK)[0]["files"][0]["permalink"]
    async with aiohttp.ClientSession() as session:
        for address in (link, file):
            async with session.get(address, allow_redirects=False) as response:
                assert response.headers["Location"] == f"/#/{HANDBOOK}/{ts}"


async def test_other_sites_and_rebound_names_cannot_act(server: PracticeServer) -> None:
    body = {"person": LIN, "channel": HANDBOOK, "text": "from elsewhere"}
    async with aiohttp.ClientSession() as session:
        async with session.post(f"{server.url}/do/say", json=body) as response:
            assert response.status == 403
        async with session.get(f"{server.url}/", headers={"Host": "evil.example"}) as response:
            assert response.status == 403
    assert server.messages(HANDBOOK) == []
