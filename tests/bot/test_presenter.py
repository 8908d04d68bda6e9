import asyncio
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.platform import Draft
from bot.presenter import Presenter, View
from bot.presenter import presenter as timing
from bot.presenter.plan import duration, plan_text
from bot.text.outbound import clean
from core.errors import LostRun
from core.events import (
    Answer,
    Body,
    Done,
    Event,
    Failed,
    ModeChosen,
    Notice,
    RunStarted,
    StepDone,
    StepFailed,
    StepStarted,
    Stopped,
    TextDelta,
    TextTakenBack,
    Thought,
    event,
)
from core.journal import Claim
from core.messages import Message, Person, Place
from core.settings import Settings
from core.sources import Source

PLACE = Place(platform="slack", workspace="slack:T1", channel="slack:T1/C1", thread="slack:T1/C1/1")
ASKER = Person(id="slack:T1/U1", name="Lin")
MESSAGE = Message(key="slack:T1:C1:1", kind="ask", place=PLACE, author=ASKER, text="年假几天？")
CLAIM = Claim("slack:T1:C1:1", 1, "channel:slack:T1/C1", "slack:T1/U1")
RESUMED = Claim("slack:T1:C1:1", 2, "channel:slack:T1/C1", "slack:T1/U1")
SOURCE = Source(
    mark=1, document="policy.pdf", document_id="d1", version=1, page=3, heading="请假 > 年假"
)


@dataclass
class FakeOutbox:
    """Keeps what each key shows, every draft of it, and the order of first posts."""

    drafts: dict[str, list[Draft]] = field(default_factory=dict)
    settled: list[str] = field(default_factory=list)
    fails: dict[str, Exception] = field(default_factory=dict)
    seen: asyncio.Event = field(default_factory=asyncio.Event)

    async def show(self, claim: Claim, key: str, place: Place, draft: Draft) -> None:
        if key in self.fails:
            raise self.fails[key]
        self.drafts.setdefault(key, []).append(draft)
        self.seen.set()

    async def settle(self, claim: Claim, key: str) -> None:
        self.settled.append(key)

    def last(self, key: str) -> Draft:
        return self.drafts[key][-1]


class Clock:
    """Time that only moves when a test moves it."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Stream:
    """A run's events; a number among the bodies lets so many seconds pass."""

    clock: Clock
    bodies: Iterable[Body | float]
    closed: bool = False

    async def events(self) -> AsyncIterator[Event]:
        number = 0
        try:
            for body in self.bodies:
                if isinstance(body, float):
                    self.clock.now += body
                    continue
                number += 1
                yield event("run", number, "threadmate", "", body)
        finally:
            self.closed = True


async def present(
    *bodies: Body | float,
    claim: Claim = CLAIM,
    message: Message = MESSAGE,
    outbox: FakeOutbox | None = None,
    **values: object,
) -> tuple[FakeOutbox, Answer | None, Stream]:
    outbox, clock = outbox or FakeOutbox(), Clock()
    stream = Stream(clock, bodies)
    presenter = Presenter(outbox, clock=clock)
    answer = await presenter.present(
        claim, message, stream.events(), Settings.model_validate(values)
    )
    return outbox, answer, stream


def begun(language: str = "zh") -> RunStarted:
    return RunStarted.model_validate({"language": language, "question": "年假几天？"})


def done(text: str = "十五天 [1]。", **values: object) -> Done:
    fields = {"text": text, "language": "zh", "mode": "rag", "teammate": "threadmate"} | values
    return Done(answer=Answer.model_validate(fields))


def step(number: int, title: str = "查找资料") -> StepStarted:
    return StepStarted(id=f"s{number}", step="search", title=title)


def step_done(number: int, title: str = "查找资料", summary: str = "3 处") -> StepDone:
    return StepDone(id=f"s{number}", title=title, ms=240, summary=summary)


async def test_a_quick_run_is_one_post_with_sources_and_its_steps_in_small_print():
    outbox, answer, _ = await present(begun(), step(1), step_done(1), done(sources=(SOURCE,)))
    assert list(outbox.drafts) == ["post:answer:1"]
    draft = outbox.last("post:answer:1")
    assert draft.text == "十五天 [1]。"
    assert draft.footer == "[1] policy.pdf · 第 3 页 · 请假 > 年假\n✓ 查找资料 · 3 处 · 0.2 秒"
    assert draft.buttons == ()
    assert answer is not None and answer.text == "十五天 [1]。"
    assert "post:answer:1" in outbox.settled


async def test_longer_work_shows_a_plan_with_a_stop_button_and_closes_it():
    outbox, _, _ = await present(
        begun(), step(1), 1.0, step_done(1), 1.0, step(2, "读 policy.pdf"), 1.0,
        step_done(2, "读 policy.pdf", ""), 0.5, done(),
    )  # fmt: skip
    first, last = outbox.drafts["post:plan"][0], outbox.last("post:plan")
    assert [button.action for button in first.buttons] == ["stop"]
    assert first.buttons[0].value == CLAIM.run
    assert last.buttons == ()
    assert last.text.split("  \n") == [
        "✓ 查找资料 · 3 处 · 0.2 秒",
        "✓ 读 policy.pdf · 0.2 秒",
        "2 步 · 3.5 秒",
    ]
    assert outbox.last("post:answer:1").footer == ""
    assert list(outbox.drafts) == ["post:plan", "post:answer:1"]


async def test_a_plan_comes_while_a_step_is_still_at_work(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(timing, "QUICK_S", 0.0)
    outbox, go = FakeOutbox(), asyncio.Event()

    async def events() -> AsyncIterator[Event]:
        yield event("run", 1, "t", "", begun())
        yield event("run", 2, "t", "", step(1))
        await go.wait()
        yield event("run", 3, "t", "", done())

    running = asyncio.create_task(Presenter(outbox).present(CLAIM, MESSAGE, events(), Settings()))
    while "▸ 查找资料" not in outbox.drafts.get("post:plan", [Draft(text="")])[-1].text:
        outbox.seen.clear()
        await outbox.seen.wait()
    go.set()
    assert await running is not None


async def test_a_failed_step_says_why():
    outbox, _, _ = await present(
        begun("en"), step(1, "Look up"), 1.0,
        StepFailed(id="s1", title="Look up", ms=900, reason="timed out"), 1.0, done(language="en"),
    )  # fmt: skip
    assert "✗ Look up · timed out · 0.9 s" in outbox.last("post:plan").text


async def test_model_steps_are_not_counted_and_a_slow_model_can_be_stopped():
    outbox, _, _ = await present(
        begun(), StepStarted(id="m", step="model", title="模型"), 3.0,
        ModeChosen(mode="chat", reason="x"), done(),
    )  # fmt: skip
    assert outbox.drafts["post:plan"][0].text == "▸ 正在思考"
    assert outbox.last("post:plan").text == "用时 3.0 秒"


async def test_the_answer_is_shown_as_it_is_written_and_its_unsafe_end_waits():
    outbox, _, _ = await present(
        begun(), TextDelta(text="年假有十五天。" * 30), 1.0,
        TextDelta(text="见 https://evil.ex"), 1.0, TextDelta(text="ample/x 。"), 1.0, done("完。"),
    )  # fmt: skip
    shown = [draft.text for draft in outbox.drafts["post:answer:1"]]
    assert len(shown) >= 3
    assert shown[0].startswith("年假有十五天。")
    assert shown[-1] == "完。"
    for draft in outbox.drafts["post:answer:1"]:
        assert "evil.ex" not in clean(draft, "slack").text
    assert [b.action for b in outbox.drafts["post:answer:1"][0].buttons] == ["stop"]


async def test_text_that_is_taken_back_is_void_at_once():
    outbox, _, _ = await present(
        begun(), TextDelta(text="Let me look that up. " * 20), 1.0, TextDelta(text="So "), 1.0,
        TextTakenBack(reason="call"), 1.0, Thought(text="Let me look"), 1.0, done("Fifteen."),
    )  # fmt: skip
    shown = [draft.text for draft in outbox.drafts["post:answer:1"]]
    assert shown[0].startswith("Let me look")
    assert shown[-2] == "重新组织答案……"
    assert shown[-1] == "Fifteen."


async def test_a_short_thought_before_a_call_is_not_shown_as_an_answer():
    outbox, _, _ = await present(
        begun(), TextDelta(text="I will look."), TextTakenBack(reason="call"), done("Fifteen.")
    )
    assert [draft.text for draft in outbox.drafts["post:answer:1"]] == ["Fifteen."]


async def test_posts_that_a_shorter_text_no_longer_fills_say_so():
    outbox, _, _ = await present(
        begun(),
        TextDelta(text="word " * 2000),
        1.0,
        TextDelta(text="and "),
        TextTakenBack(reason="cut"),
        1.0,
        done("Short."),
    )
    assert outbox.last("post:answer:1").text == "Short."
    assert outbox.last("post:answer:2").text == "（这一条已并入上文。）"


async def test_a_long_answer_is_several_posts_and_sources_stand_under_the_last():
    text = "\n\n".join(f"段落 {n}：" + "请假需要提前三天申请。" * 30 for n in range(10))
    outbox, _, _ = await present(begun(), done(text, sources=(SOURCE,)))
    keys = list(outbox.drafts)
    assert keys == [f"post:answer:{n}" for n in range(1, len(keys) + 1)] and len(keys) > 2
    assert all(len(outbox.last(key).text.encode()) <= 4000 for key in keys)
    assert [bool(outbox.last(key).footer) for key in keys] == [False] * (len(keys) - 1) + [True]
    assert outbox.settled[: len(keys)] == keys


async def test_no_answer_is_more_than_ten_posts_and_what_was_cut_is_said():
    outbox, _, _ = await present(begun("en"), done("a" * 120_000, language="en"))
    assert len(outbox.drafts) == 10
    end = outbox.last("post:answer:10").text
    assert "characters were not posted" in end
    assert all(len(drafts[-1].text) <= 4000 for drafts in outbox.drafts.values())


async def test_a_refusal_has_no_sources():
    outbox, _, _ = await present(begun(), done("暂无相关内容。", refused=True, sources=(SOURCE,)))
    assert outbox.last("post:answer:1").footer == ""


async def test_a_failure_is_one_clear_sentence():
    outbox, answer, _ = await present(begun(), Failed(key="error.model", text="模型没能回答。"))
    assert answer is None
    assert [d.text for d in outbox.drafts["post:answer:1"]] == ["模型没能回答。"]


async def test_a_failure_keeps_what_was_written_and_closes_its_code():
    outbox, _, _ = await present(
        begun(),
        TextDelta(text="像这样：\n```py\nx = 1\n"),
        Failed(key="error.model", text="连接断了。"),
    )
    assert outbox.last("post:answer:1").text == "像这样：\n```py\nx = 1\n```\n\n连接断了。"


async def test_a_stop_is_said_and_closes_the_plan():
    outbox, answer, _ = await present(
        begun(), step(1), 1.0, ModeChosen(mode="rag", reason="x"), Stopped(by="slack:T1/U2")
    )
    assert answer is None
    assert outbox.last("post:plan").text.split("  \n") == ["· 查找资料", "已停止 · 1.0 秒"]
    draft = outbox.last("post:answer:1")
    assert clean(draft, "slack").text == "已由 <@U2> 停止。"


async def test_a_stream_that_ends_without_an_end_is_said_as_not_finished():
    outbox, answer, _ = await present(begun())
    assert answer is None
    assert "没有完成" in outbox.last("post:answer:1").text


async def test_each_notice_stands_above_the_answer_once():
    notice = Notice(key="x", text="模型连不上，下面是文档原文。")
    # The agent says what of a question was cut; said here too it would stand there twice.
    asked = MESSAGE.model_copy(update={"cut": 80_000})
    outbox, _, _ = await present(begun(), notice, notice, done("原文。"), message=asked)
    assert outbox.last("post:answer:1").text == "*模型连不上，下面是文档原文。*\n\n原文。"


async def test_with_steps_as_replies_each_step_is_a_post():
    outbox, _, _ = await present(
        begun(), step(1), 1.0, step_done(1), 1.0, step(2, "读"), step_done(2, "读"), 1.0, done(),
        steps="replies",
    )  # fmt: skip
    assert list(outbox.drafts) == ["post:plan", "post:step:s1", "post:step:s2", "post:answer:1"]
    assert outbox.last("post:step:s1").text == "✓ 查找资料 · 3 处 · 0.2 秒"
    assert outbox.last("post:plan").text == "2 步 · 3.0 秒"
    assert outbox.last("post:plan").buttons == ()


async def test_a_resumed_run_shows_its_plan_again_so_that_it_is_closed():
    outbox, _, _ = await present(begun(), step(1), step_done(1), done(), claim=RESUMED)
    assert outbox.last("post:plan").buttons == ()
    assert outbox.last("post:plan").text == "✓ 查找资料 · 3 处 · 0.2 秒"


async def test_links_may_name_hosts_of_the_asker_the_operator_and_the_sources():
    asked = MESSAGE.model_copy(update={"text": "看 https://asker.example/x"})
    source = SOURCE.model_copy(update={"link": "https://team.slack.example/archives/C1/p1"})
    text = "https://asker.example/y https://op.example/ https://team.slack.example/z https://evil.example/"
    outbox, _, _ = await present(
        begun(), done(text, sources=(source,)), message=asked, hosts=("op.example",)
    )
    shown = clean(outbox.last("post:answer:1"), "slack")
    assert shown.text == text.replace("https://evil.example/", "`evil[.]example`")
    assert "(https://team.slack.example/archives/C1/p1)" in shown.footer


async def test_the_stream_is_closed_when_a_post_raises():
    outbox = FakeOutbox(fails={"post:plan": LostRun("x")})
    clock = Clock()
    stream = Stream(clock, [begun(), step(1), 1.0, step_done(1), 1.0, step(2), done()])
    with pytest.raises(LostRun):
        await Presenter(outbox, clock=clock).present(CLAIM, MESSAGE, stream.events(), Settings())
    assert stream.closed


async def test_the_stream_is_closed_when_the_presenter_is_cancelled():
    closed = asyncio.Event()

    async def events() -> AsyncIterator[Event]:
        try:
            yield event("run", 1, "t", "", begun())
            await asyncio.Event().wait()
        finally:
            closed.set()

    running = asyncio.create_task(
        Presenter(FakeOutbox()).present(CLAIM, MESSAGE, events(), Settings())
    )
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert closed.is_set()


async def test_an_error_of_the_run_reaches_the_caller():
    async def events() -> AsyncIterator[Event]:
        yield event("run", 1, "t", "", begun())
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        await Presenter(FakeOutbox()).present(CLAIM, MESSAGE, events(), Settings())


BODIES = st.lists(
    st.sampled_from(
        [
            TextDelta(text="一些文字 **和**" * 20), TextDelta(text="```py\n"), TextDelta(text="x"),
            TextTakenBack(reason="r"), step(1), step(2), step_done(1), step_done(2), 0.4, 1.5,
            StepFailed(id="s2", title="x", ms=5, reason="r"), Notice(key="n", text="注意"),
        ]
    ),
    max_size=25,
)  # fmt: skip
ENDINGS = st.sampled_from(
    [done(), done(""), Failed(key="k", text="坏了。"), Stopped(by="slack:T1/U1")]
)


@given(BODIES, ENDINGS, st.sampled_from(["card", "replies"]), st.sampled_from([CLAIM, RESUMED]))
@settings(max_examples=60, deadline=None)
def test_however_a_run_goes_it_ends_without_buttons_and_with_one_answer(
    bodies: list[Body | float], ending: Body, steps: str, claim: Claim
):
    outbox, _, stream = asyncio.run(present(begun(), *bodies, ending, claim=claim, steps=steps))
    assert stream.closed
    assert all(drafts[-1].buttons == () for drafts in outbox.drafts.values())
    assert all(draft.text.strip() for drafts in outbox.drafts.values() for draft in drafts)
    assert outbox.drafts["post:answer:1"]
    assert set(outbox.drafts) <= set(outbox.settled)


def test_a_long_plan_counts_its_first_steps():
    view = View("en")
    for number in range(20):
        view = view.fold(event("run", number + 1, "t", "", step_done(number, f"Step {number}", "")))
    lines = plan_text(view, 1.0).split("  \n")
    assert lines[0] == "· 12 steps earlier"
    assert len(lines) == 10


def test_titles_cannot_format_the_plan():
    view = View("en").fold(event("run", 1, "t", "", step(1, "a\n# b **c** `d` " + "x" * 300)))
    text = plan_text(view, 1.0)
    assert "\n#" not in text and r"\*\*c\*\* \`d\`" in text and len(text) < 200


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0.0, "0.1 s"), (2.14, "2.1 s"), (12.4, "12 s"), (65, "1 min 5 s")],
)
def test_durations_are_short(seconds: float, shown: str):
    assert duration(seconds, "en") == shown
