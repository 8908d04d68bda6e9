"""Events in: kept before they are acknowledged, once, from a real socket."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from pydantic import SecretStr

from bot.platform import Button, Draft
from bot.playground.call import Call
from bot.playground.server import PracticeServer
from bot.playground.workspace import BOT_USER
from bot.slack.account import SlackConfig
from bot.slack.adapter import SlackAdapter
from bot.slack.manifest import BOT_SCOPES
from core.errors import StoreFull, TryLater, WrongConfig
from core.store.sqlite import SqliteStore
from core.texts import say
from tests.bot.slack import payloads
from tests.bot.slack.conftest import HANDBOOK, LIN, ME, NORA, RANDOM, Kept, Rig, config
from tests.rigs.slack_faults import SlackFaults


async def test_a_mention_is_kept_once_although_slack_sends_two_events(rig: Rig) -> None:
    rig.server.say(HANDBOOK, LIN, f"{ME} 年假几天？")
    (message,) = await rig.taken()
    await rig.quiet()
    assert (message.kind, message.text) == ("ask", "年假几天？")
    assert rig.inbox.arrivals == [message.key]


async def test_a_second_and_third_delivery_of_one_event_start_nothing_new(rig: Rig) -> None:
    ts = rig.server.say(HANDBOOK, LIN, f"{ME} hi")
    (message,) = await rig.taken()
    await rig.quiet()
    team = rig.adapter.account.us.team
    same = payloads.event(team=team, channel=HANDBOOK, user=LIN, ts=ts, text=f"{ME} hi")
    rig.faults.duplicate()
    for attempt in (1, 2):
        assert await rig.faults.again(same, attempt).done()
    assert set(rig.inbox.arrivals) == {message.key}
    assert len(rig.inbox.arrivals) >= 3


async def test_a_retry_whose_first_delivery_never_arrived_is_taken(rig: Rig) -> None:
    rig.faults.retry_quickly()
    rig.faults.lose(2)
    rig.server.say(HANDBOOK, LIN, f"{ME} hi")
    (message,) = await rig.taken()
    assert message.text == "hi"


@pytest.mark.parametrize("mention_first", [True, False])
async def test_the_files_of_a_mention_are_kept_whichever_event_comes_first(
    rig: Rig, mention_first: bool
) -> None:
    said = {
        "team": rig.adapter.account.us.team,
        "channel": HANDBOOK,
        "user": LIN,
        "text": f"{ME} sum it up",
    }
    whole = payloads.event(**said, subtype="file_share", files=[payloads.file()])
    bare = payloads.event("app_mention", **said)
    bodies = (bare, whole) if mention_first else (whole, bare)
    first, second = (asyncio.ensure_future(rig.adapter.take(one)) for one in bodies)
    await asyncio.gather(first, second)
    (message,) = rig.inbox.all
    assert [file.name for file in message.attachments] == ["policy.pdf"]
    assert rig.inbox.arrivals == [message.key]


async def test_a_mention_whose_message_event_never_comes_is_looked_up_with_its_files(
    server: PracticeServer, store: SqliteStore
) -> None:
    server._subscribed = frozenset({"app_mention"})  # pyright: ignore[reportPrivateUsage]
    inbox = Kept()
    adapter = SlackAdapter(config(server), store, inbox)
    adapter.twins.wait_s = 0.05
    await adapter.start()
    try:
        ts = server.say(HANDBOOK, LIN, f"{ME} sum it up", files=[("policy.md", b"# Leave")])
        team = adapter.account.us.team
        bare = payloads.event(
            "app_mention", team=team, channel=HANDBOOK, user=LIN, ts=ts, text=f"{ME} sum it up"
        )
        await adapter.take(bare)
        await server.wait_for(lambda: not server.hub.envelopes)
        (message,) = inbox.all
        assert [file.name for file in message.attachments] == ["policy.md"]
    finally:
        await adapter.stop()


async def test_an_event_that_cannot_be_kept_is_not_acknowledged_and_comes_again(
    rig: Rig,
) -> None:
    rig.faults.retry_quickly(0.3)
    rig.inbox.refuse, rig.inbox.refusals = StoreFull(), 2
    rig.server.say(HANDBOOK, LIN, f"{ME} hi")
    (message,) = await rig.taken()
    await rig.quiet()
    assert message.text == "hi"
    assert any(attempt for _, attempt in rig.server.hub.delivered)


async def test_a_command_that_cannot_be_kept_is_told_so_since_slack_does_not_bring_it_again(
    rig: Rig,
) -> None:
    rig.inbox.refuse, rig.inbox.refusals = StoreFull(), -1
    rig.server.command(HANDBOOK, LIN, "/ask", "年假几天？")
    await rig.server.wait_for(lambda: rig.server.whispers)
    assert rig.server.whispers[0]["message"]["text"] == say("error.store_full", "zh")


async def test_a_bug_while_an_event_is_taken_ends_nothing_and_acknowledges_nothing(
    rig: Rig, caplog: pytest.LogCaptureFixture
) -> None:
    rig.faults.retry_quickly(0.3)
    rig.inbox.refuse, rig.inbox.refusals = RuntimeError("a bug"), 1
    rig.server.say(HANDBOOK, LIN, "", files=[("a.md", b"# A")])
    (message,) = await rig.taken()
    await rig.quiet()
    assert message.kind == "file"
    assert "a bug" in caplog.text


async def test_half_of_an_emoji_in_a_question_loses_nothing(rig: Rig) -> None:
    rig.server.say(HANDBOOK, LIN, f"{ME} 年假几天 \ud83d")
    (message,) = await rig.taken()
    assert message.text == "年假几天 \ufffd"
    assert message.model_dump_json()


async def test_an_untagged_reply_is_ours_only_in_an_active_thread(rig: Rig) -> None:
    ours = rig.server.say(HANDBOOK, LIN, "root")
    other = rig.server.say(HANDBOOK, LIN, "another root")
    rig.inbox.threads.add(rig.place(ours).thread)
    rig.server.say(HANDBOOK, LIN, "and in 2027?", thread=ours)
    rig.server.say(HANDBOOK, LIN, "just us here", thread=other)
    await rig.taken()
    await rig.quiet()
    assert [message.text for message in rig.inbox.all] == ["and in 2027?"]


async def test_people_who_talk_to_each_other_in_an_active_thread_are_left_alone(
    rig: Rig,
) -> None:
    root = rig.server.say(HANDBOOK, LIN, "root")
    rig.inbox.threads.add(rig.place(root).thread)
    await rig.adapter.post(rig.place(root), Draft(text="15 days"), "run#post:answer:1")
    await rig.quiet()
    for person, text in ((LIN, "hm, sure?"), (NORA, "I think so"), (LIN, "ok")):
        rig.server.say(HANDBOOK, person, text, thread=root)
        await rig.quiet()
    rig.server.say(HANDBOOK, NORA, f"<@{LIN}> lunch?", thread=root)
    await rig.quiet()
    assert [message.text for message in rig.inbox.all] == ["hm, sure?"]


async def test_two_quick_questions_in_one_thread_are_both_kept_in_order(rig: Rig) -> None:
    root = rig.server.say(HANDBOOK, LIN, f"{ME} one")
    rig.server.say(HANDBOOK, LIN, f"{ME} two", thread=root)
    rig.server.say(RANDOM, NORA, f"{ME} elsewhere")
    messages = await rig.taken(3)
    assert sorted(message.text for message in messages) == ["elsewhere", "one", "two"]
    threads = {message.text: message.place.thread for message in messages}
    assert threads["one"] == threads["two"] != threads["elsewhere"]


async def test_an_upload_without_a_word_is_kept_as_files(rig: Rig) -> None:
    rig.server.say(HANDBOOK, NORA, "", files=[("a.md", b"# A"), ("b.csv", b"x,y")])
    (message,) = await rig.taken()
    assert message.kind == "file"
    assert [file.name for file in message.attachments] == ["a.md", "b.csv"]


async def test_only_an_edit_that_adds_a_mention_asks(rig: Rig) -> None:
    ts = rig.server.say(HANDBOOK, LIN, "how many days?")
    rig.server.edit(HANDBOOK, ts, f"{ME} how many days?")
    await rig.taken()
    rig.server.edit(HANDBOOK, ts, f"{ME} how many days exactly?")
    await rig.quiet()
    assert [message.text for message in rig.inbox.all] == ["how many days?"]
    assert [message.text for message in rig.inbox.edits] == ["how many days exactly?"]


async def test_a_deleted_message_is_told_to_whoever_holds_it(rig: Rig) -> None:
    ts = rig.server.say(HANDBOOK, LIN, f"{ME} secret")
    await rig.taken()
    rig.server.delete(HANDBOOK, ts)
    await rig.server.wait_for(lambda: rig.gone or None)
    assert rig.gone[0][1] == rig.place(ts).thread


async def test_a_click_is_kept_with_its_button_and_thread(rig: Rig) -> None:
    root = rig.server.say(HANDBOOK, LIN, "root")
    buttons = (Button(action="remove", label="Remove", value="d42"),)
    held = await rig.adapter.post(rig.place(root), Draft(text="kept", buttons=buttons), "r#p")
    ts = held.rsplit("/", 1)[-1]
    envelope = rig.server.click(HANDBOOK, ts, "remove:0", NORA)
    assert await envelope.done()
    (message,) = await rig.taken()
    assert message.click is not None
    assert (message.click.action, message.click.value) == ("remove", "d42")
    assert message.click.message == held
    assert message.place.thread == rig.place(root).thread


async def test_a_greeting_is_said_once_in_two_languages_on_invitation(rig: Rig) -> None:
    rig.faults.retry_quickly(0.3)
    ws = rig.server.workspace
    ws.add_channel("C0NEW", "new", "random", [LIN])
    rig.faults.duplicate()
    rig.server.invite("C0NEW", by=LIN)
    await rig.server.wait_for(lambda: rig.server.from_bot("C0NEW"))
    await rig.quiet()
    (greeting,) = [m for m in rig.server.from_bot("C0NEW") if m.get("subtype") != "channel_join"]
    text = greeting["blocks"][0]["text"]
    assert say("slack.greeting", "zh") in text
    assert say("slack.greeting", "en") in text


async def test_what_arrives_at_a_stop_is_not_acknowledged_and_comes_to_the_next_start(
    rig: Rig, store: SqliteStore
) -> None:
    await rig.adapter.stop()
    rig.server.say(HANDBOOK, LIN, f"{ME} hi")
    assert not rig.inbox.messages
    again = SlackAdapter(config(rig.server), store, rig.inbox)
    await again.start()
    try:
        (message,) = await rig.taken()
        assert message.text == "hi"
    finally:
        await again.stop()


async def test_a_stop_waits_for_what_is_being_kept(rig: Rig) -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()
    accept = rig.inbox.accept

    async def slow(message: Any) -> None:
        begun.set()
        await go_on.wait()
        await accept(message)

    rig.inbox.accept = slow  # type: ignore[method-assign]
    rig.server.say(HANDBOOK, LIN, "", files=[("a.md", b"# A")])
    await begun.wait()
    stopping = asyncio.ensure_future(rig.adapter.stop())
    go_on.set()
    await stopping
    assert len(rig.inbox.messages) == 1
    await rig.quiet()


async def test_runs_that_drain_after_a_stop_still_have_their_last_words(
    rig: Rig, tmp_path: Path
) -> None:
    root = rig.server.say(HANDBOOK, LIN, "", files=[("a.md", b"# A")])
    (message,) = await rig.taken()
    await rig.adapter.stop()
    posted = await rig.adapter.post(rig.place(root), Draft(text="…"), "run#post:receipt")
    await rig.adapter.edit(rig.place(root), posted, Draft(text="kept"))
    assert (await rig.adapter.download(message.attachments[0], tmp_path, 1_000)).size == 3
    assert rig.server.from_bot(HANDBOOK, root)[0]["blocks"][0]["text"] == "kept"


async def test_an_author_who_is_known_comes_with_name_language_and_zone(rig: Rig) -> None:
    await rig.adapter.person(f"slack:{rig.adapter.account.us.team}/{LIN}")
    rig.server.say(HANDBOOK, LIN, f"{ME} hi")
    (message,) = await rig.taken()
    assert message.author.name == "林悦"
    assert (message.author.language, message.author.time_zone) == ("zh", "Asia/Shanghai")


# Tokens


async def start_with(server: PracticeServer, store: SqliteStore, **tokens: str) -> WrongConfig:
    values = {"bot_token": server.bot_token, "app_token": server.app_token, **tokens}
    made = SlackConfig(
        bot_token=SecretStr(values["bot_token"]),
        app_token=SecretStr(values["app_token"]),
        api_url=server.api_url,
    )
    with pytest.raises(WrongConfig) as caught:
        await SlackAdapter(made, store, Kept()).start()
    return caught.value


def sentence(error: WrongConfig) -> str:
    return say(error.key, "en", **error.values)


async def test_a_wrong_bot_token_is_named(server: PracticeServer, store: SqliteStore) -> None:
    error = await start_with(server, store, bot_token="xoxb-wrong")
    assert "SLACK_BOT_TOKEN" in sentence(error)
    assert "invalid_auth" in sentence(error)


async def test_a_wrong_app_token_is_named(server: PracticeServer, store: SqliteStore) -> None:
    error = await start_with(server, store, app_token="xapp-wrong")
    assert "SLACK_APP_TOKEN" in sentence(error)


async def test_swapped_tokens_are_told_apart(server: PracticeServer, store: SqliteStore) -> None:
    error = await start_with(server, store, bot_token=server.app_token, app_token=server.bot_token)
    assert "SLACK_BOT_TOKEN holds another kind of token" in sentence(error)


async def test_a_slack_that_is_not_there_is_no_wrong_config(
    server: PracticeServer, store: SqliteStore
) -> None:
    faults = SlackFaults(server)
    faults.server_error("auth.test", 503)
    with pytest.raises(TryLater):
        await SlackAdapter(config(server), store, Kept()).start()


def scopes_are(server: PracticeServer, *scopes: str) -> None:
    """Slack tells a token's scopes in a header of every answer."""

    async def before(call: Call) -> web.StreamResponse | None:
        if call.method != "auth.test":
            return None
        body = {"ok": True, "team_id": "T0PRACTICE", "user_id": BOT_USER, "bot_id": "B0"}
        return web.json_response(body, headers={"X-OAuth-Scopes": ",".join(scopes)})

    server.before_request = before


async def test_a_token_that_may_not_post_is_refused_with_the_scope_named(
    server: PracticeServer, store: SqliteStore
) -> None:
    scopes_are(server, "files:read")
    assert "chat:write" in sentence(await start_with(server, store))


async def test_other_scopes_that_are_missing_are_named_and_the_rest_works(
    server: PracticeServer, store: SqliteStore, caplog: pytest.LogCaptureFixture
) -> None:
    scopes_are(server, *(scope for scope in BOT_SCOPES if scope != "files:read"))
    adapter = SlackAdapter(config(server), store, Kept())
    await adapter.start()
    try:
        assert adapter.account.missing == ("files:read",)
        assert "files:read" in caplog.text
    finally:
        await adapter.stop()
