from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.commands import Commands, picks_of
from bot.platform import Draft
from bot.text.outbound import clean
from core.errors import Denied, WrongUse
from core.knowledge.documents import DocumentInfo, Hit, Kb, Removed
from core.messages import Click, Message, Person, Place
from core.request import Picks
from core.settings import SettingsBook
from core.teammates import MemoryPresence, Roster
from core.texts import catalogue
from core.tools.builtin import BUILTIN

PLACE = Place(platform="slack", workspace="slack:T1", channel="slack:T1/C1", thread="slack:T1/C1/1")
LIN = Person(id="slack:T1/U1", name="Lin", language="zh", time_zone="Asia/Shanghai")
ANN = Person(id="slack:T1/U2", name="Ann", language="en", time_zone="Europe/Berlin")
AT = 1_796_000_000.0


def document(name: str, owner: Person = LIN, **values: object) -> DocumentInfo:
    fields: dict[str, object] = {
        "id": f"id-{name}-{owner.id}", "kb": 1, "name": name, "status": "ready",
        "reason": "", "values": {}, "pages": 12, "passages": 1234, "characters": 1, "version": 1,
        "added_at": AT, "owner": owner.id, "link": "", "first_sentences": "",
    }  # fmt: skip
    return DocumentInfo.model_validate(fields | values)


HIT = Hit(
    passage=1, document="d", name="请假制度.pdf", version=1, page=3, heading="请假 > 年假",
    text="入职满一年，" + "每年有若干假期。" * 20 + "年假为十五天，提前申请。" + "其他规定。" * 30,
    score=0.9, lexical=0.5, vector=0.5, link="", added_at=0,
)  # fmt: skip


@dataclass
class FakeLibrary:
    documents: list[DocumentInfo] = field(default_factory=list)
    hits: list[Hit] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)

    async def kbs(self, audience: Sequence[str]) -> list[Kb]:
        assert "channel:slack:T1/C1" in audience
        return [Kb(id=1, scope="channel:slack:T1/C1", name="", documents=len(self.documents))]

    async def listing(self, kbs: Sequence[int], limit: int = 20) -> list[DocumentInfo]:
        return self.documents[:limit] if 1 in kbs else []

    async def search(self, kbs: Sequence[int], query: str, limit: int = 8) -> list[Hit]:
        return self.hits[:limit] if 1 in kbs else []

    async def find_by_name(self, kbs: Sequence[int], name: str) -> list[DocumentInfo]:
        return [one for one in self.documents if one.name.casefold() == name.casefold()]

    async def delete(self, kbs: Sequence[int], document: str, by: str) -> Removed:
        self.removed.append(document)
        return Removed(name="x", passages=34, versions=2)


def command(text: str, name: str = "kb", author: Person = LIN) -> Message:
    return Message(key="k", kind="command", place=PLACE, author=author, command=name, text=text)


async def said(library: FakeLibrary, message: Message, admins: tuple[str, ...] = ()) -> str:
    book = SettingsBook({"admins": admins} if admins else {})
    commands = Commands(library, book, clock=lambda: AT)
    (draft,) = await commands.run(message)
    return draft.text


@pytest.mark.parametrize(
    ("text", "question", "picks"),
    [
        ("年假几天", "年假几天", Picks()),
        ("mode: rag How many?", "How many?", Picks(mode="rag")),
        ("模式：RAG，年假几天", "年假几天", Picks(mode="rag")),
        (
            "kb: none tools: get_time, semantic_search hi",
            "hi",
            Picks(kb=(), tools=("get_time", "semantic_search")),
        ),
        ("kb: “员工 手册”、b 年假", "年假", Picks(kb=("员工 手册", "b"))),
        ("kb: handbook，年假，几天", "年假，几天", Picks(kb=("handbook",))),
        ("tools=get_time，现在几点", "现在几点", Picks(tools=("get_time",))),
        ("teammate: writer 写周报", "写周报", Picks(teammate="writer")),
        ("同事：研究员，查一下", "查一下", Picks(teammate="研究员")),
        ("what is mode: rag", "what is mode: rag", Picks()),
    ],
)
def test_picks_stand_at_the_start_in_any_order_and_punctuation(
    text: str, question: str, picks: Picks
):
    assert picks_of(text) == (question, picks)


def test_an_installations_own_tools_can_be_picked():
    box = BUILTIN.copy()
    box.register("get_balance", lambda bound: None)
    commands = Commands(FakeLibrary(), SettingsBook(), toolbox=box)
    asked, picks = commands.question(command("tools: get_balance、get_time 余额", name="ask"))
    assert (asked.text, picks) == ("余额", Picks(tools=("get_balance", "get_time")))
    with pytest.raises(WrongUse) as caught:
        commands.question(command("tools: get_blance 余额", name="ask"))
    assert "get_balance" in str(caught.value.values)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("mode: fast x", "command.pick_unknown"),
        ("tools: shell x", "command.pick_unknown"),
        ("mode:", "command.pick_empty"),
        ("kb: mode: rag x", "command.pick_empty"),
    ],
)
def test_a_pick_that_cannot_be_names_what_can(text: str, key: str):
    with pytest.raises(WrongUse) as caught:
        picks_of(text)
    assert caught.value.key == key
    assert (
        "get_time" in str(caught.value.values)
        or "rag" in str(caught.value.values)
        or "none" in str(caught.value.values)
    )


@given(st.text('modekbtls:：,，、 "“”ragnone文！\n', max_size=40))
@settings(max_examples=200, deadline=None)
def test_any_text_is_read_or_refused_with_a_sentence(text: str):
    try:
        question, _ = picks_of(text)
    except WrongUse as error:
        assert error.key in catalogue()
    else:
        assert question in text


def test_help_is_ten_lines_at_most_in_both_languages():
    for text in catalogue()["command.help"]:
        assert len([line for line in text.split("\n") if line]) <= 10


async def test_help_and_stop_without_a_run_are_answered():
    assert "/kb list" in await said(FakeLibrary(), command("", "help"))
    assert (
        await said(FakeLibrary(), command("", "stop", ANN))
        == "No answer is under way in this thread."
    )


async def test_the_list_is_a_table_in_the_persons_time_zone():
    library = FakeLibrary(
        [
            document("请假制度.pdf"),
            document("a|b.md", pages=0, status="needs_ocr", passages=0, added_at=AT - 31_536_000),
        ]
    )
    assert (await said(library, command("列表"))).split("\n") == [
        "2 个文档，时间按 Asia/Shanghai：",
        "",
        "| 文档 | 页 | 段 | 加入 |",
        "| --- | --: | --: | --- |",
        "| 请假制度.pdf | 12 | 1,234 | 11\u201130\u00a008:53 |",
        r"| a\|b.md · 扫描件，需 OCR | – | – | 2025‑11‑30 |",
    ]
    english = await said(library, command("", author=ANN))
    assert "times are Europe/Berlin" in english and "11\u201130\u00a001:53" in english


async def test_an_empty_list_says_how_to_add_documents():
    assert "拖进这个频道" in await said(FakeLibrary(), command("list"))


async def test_a_long_list_says_how_many_are_not_shown():
    library = FakeLibrary([document(f"{n}.md") for n in range(100)])
    assert "更早的 70 个文档没有列出" in await said(library, command("list"))


async def test_search_shows_page_heading_and_the_words_around():
    text = await said(FakeLibrary(hits=[HIT]), command("search 年假 为"))
    lines = text.split("\n")
    assert lines[0] == "“年假 为”找到 1 处："
    assert lines[2] == "1. **请假制度.pdf** · 第 3 页 · 请假 > 年假".replace(">", r"\>")
    assert "年假为十五天" in lines[3] and len(lines[3]) < 180


async def test_search_for_nothing_and_in_vain_says_so():
    assert "要找什么" in await said(FakeLibrary(), command("search"))
    assert "没有找到“x”" in await said(FakeLibrary(), command("search x"))
    faint = HIT.model_copy(update={"score": 0.04})
    assert "没有找到“x”" in await said(FakeLibrary(hits=[faint]), command("search x"))


async def test_the_owner_and_an_admin_may_delete_and_nobody_else():
    library = FakeLibrary([document("a.pdf")])
    assert "只有上传者或管理员" not in await said(library, command("delete A.pdf"))
    assert library.removed == [library.documents[0].id]
    assert "someone else" in await said(library, command("delete a.pdf", author=ANN))
    assert len(library.removed) == 1
    removed = await said(library, command("删除 “a.pdf”", author=ANN), admins=(ANN.id,))
    assert removed == "Removed “a.pdf” (34 passages · 2 versions). Answers will no longer use it."


async def test_of_documents_with_one_name_the_own_one_is_meant():
    library = FakeLibrary([document("a.pdf"), document("a.pdf", ANN)])
    await said(library, command("delete a.pdf", author=ANN))
    assert library.removed == [library.documents[1].id]


async def test_an_ambiguous_name_is_listed_with_numbers_that_can_be_used():
    boss = ANN.model_copy(update={"id": "slack:T1/U3"})
    library = FakeLibrary([document("a.pdf"), document("a.pdf", ANN, pages=3)])
    text = await said(library, command("delete a.pdf", author=boss), admins=(boss.id,))
    assert "1. **a.pdf** · 12 pages" in text and "2. **a.pdf** · 3 pages" in text
    assert library.removed == []
    await said(library, command("delete a.pdf 2", author=boss), admins=(boss.id,))
    assert library.removed == [library.documents[1].id]


async def test_an_unknown_name_is_answered_with_near_ones():
    library = FakeLibrary([document("leave policy.pdf"), document("请假制度.pdf")])
    assert "是不是：请假制度.pdf" in await said(library, command("delete 请假"))
    assert "Did you mean leave policy.pdf" in await said(
        library, command("delete leav policy.pdf", author=ANN)
    )
    assert "没有叫“zzz”" in await said(library, command("delete zzz"))


async def test_wrong_use_of_kb_lists_what_can_be_used():
    assert "`search 词语`" in await said(FakeLibrary(), command("frob"))
    assert "要移除哪个" in await said(FakeLibrary(), command("delete"))
    assert "想问什么" in await said(FakeLibrary(), command("", "ask"))


def click(author: Person, value: str) -> Message:
    made = Click(action="remove", value=value, message="m")
    return Message(key="k", kind="click", place=PLACE, author=author, click=made)


async def test_the_remove_button_works_for_the_owner_and_is_denied_to_others():
    library = FakeLibrary([document("a.pdf")])
    commands = Commands(library, SettingsBook())
    with pytest.raises(Denied):
        await commands.remove(click(ANN, library.documents[0].id))
    (draft,) = await commands.remove(click(LIN, library.documents[0].id))
    assert draft.text.startswith("已移除“a.pdf”")
    (draft,) = await commands.remove(click(LIN, "other"))
    assert draft.text == "这个文档已经不在这里了。"


ROOT = Person(id="slack:T1/U9", name="Root")


@pytest.mark.parametrize(("who", "may"), [(LIN, True), (ANN, False), (ROOT, True)])
@pytest.mark.parametrize("by_button", [True, False])
async def test_what_a_teammate_wrote_is_removed_by_whom_it_was_written_for_and_by_admins_alone(
    who: Person, may: bool, by_button: bool
):
    writer = Person(id="teammate:writer", name="writer")
    report = document("报告.md", writer, asked_by=LIN.id)
    library = FakeLibrary([report, document("a.md", ANN)])
    commands = Commands(library, SettingsBook({"admins": (ROOT.id,)}))
    with nullcontext() if may or not by_button else pytest.raises(Denied):
        if by_button:
            await commands.remove(click(who, report.id))
        else:
            await commands.run(command("delete 报告.md", author=who))
    assert library.removed == ([report.id] if may else [])


def test_an_ask_command_becomes_a_bare_question_with_picks():
    commands = Commands(FakeLibrary(), SettingsBook())
    message, picks = commands.question(command("mode: rag 年假", "ask"))
    assert (message.text, picks) == ("年假", Picks(mode="rag"))
    with pytest.raises(WrongUse):
        commands.question(command("mode: rag", "ask"))
    mention = Message(key="k", kind="ask", place=PLACE, author=LIN, text="mode: x")
    assert commands.question(mention) == (mention, Picks())


@pytest.mark.parametrize("hostile", ["<!channel>", "[x](https://evil.example)", "@everyone", "`"])
async def test_hostile_names_and_queries_come_out_harmless(hostile: str):
    library = FakeLibrary([document(f"{hostile}.pdf")], [HIT.model_copy(update={"text": hostile})])
    for text in ("list", f"search {hostile}", f"delete {hostile}", f"delete {hostile}.pdf"):
        commands = Commands(library, SettingsBook())
        for draft in await commands.run(command(text)):
            shown = clean(draft, "slack").text
            assert "<!" not in shown and "@everyone" not in shown and "evil.example" not in shown


# Teammates.


@dataclass
class Bench:
    """A roster, and who is present where."""

    folder: Path
    presence: MemoryPresence = field(default_factory=MemoryPresence)

    async def said(
        self, text: str, author: Person = LIN, name: str = "teammate", **place: object
    ) -> str:
        commands = Commands(
            FakeLibrary(),
            SettingsBook({"admins": ("slack:T1/U9",)}),
            clock=lambda: AT,
            roster=Roster(self.folder),
            presence=self.presence,
        )
        asked = command(text, name, author).model_copy(update={"place": _place(**place)})
        (draft,) = await commands.run(asked)
        return draft.text


def _place(**changes: object) -> Place:
    return PLACE.model_copy(update=changes)


async def test_teammates_are_listed_with_their_faces_and_who_answers_here(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    told = await bench.said("")
    assert "🔎 **researcher**" in told
    assert told.count("现在由我答") == 1
    here = next(line for line in told.splitlines() if "现在由我答" in line)
    assert "generalist" in here
    await bench.said("use writer")
    here = next(line for line in (await bench.said("列表")).splitlines() if "现在由我答" in line)
    assert "writer" in here


@pytest.mark.parametrize(
    "text",
    ["use researcher", "use @Researcher", "换 研究员", "切换：研究员", "researcher", "@研究员"],
)
async def test_a_teammate_takes_a_thread_over(tmp_path: Path, text: str) -> None:
    bench = Bench(tmp_path)
    told = await bench.said(text)
    assert "researcher" in told
    assert await bench.presence.present(PLACE) == "researcher"
    other = _place(thread="slack:T1/C1/2")
    assert await bench.presence.present(other) == ""


async def test_a_thread_is_given_back(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    await bench.said("use writer")
    for word in ("default", "默认"):
        assert "我来回答" in await bench.said(f"use {word}")
        assert await bench.presence.present(PLACE) == ""


async def test_in_a_direct_conversation_a_switch_holds_for_all_of_it(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    await bench.said("use writer", direct=True)
    assert await bench.presence.present(_place(direct=True, thread="slack:T1/C1/9")) == "writer"


async def test_a_card_is_shown_in_the_readers_language(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    english = await bench.said("show librarian", ANN)
    assert "`write_document`" in english and "You keep the knowledge base" in english
    chinese = await bench.said("show 馆员")
    assert "你管理知识库" in chinese
    assert "every tool that only reads" in await bench.said("show generalist", ANN)
    await bench.said("use writer")
    assert "writer" in await bench.said("show")


async def test_an_unknown_teammate_is_answered_with_the_known_ones(tmp_path: Path) -> None:
    for text in ("use lawyer", "show lawyer", "lawyer"):
        told = await Bench(tmp_path).said(text, ANN)
        assert "lawyer" in told and "researcher" in told
    assert "writer" in await Bench(tmp_path).said("use", ANN)


async def test_only_admins_are_told_about_broken_files(tmp_path: Path) -> None:
    (tmp_path / "lawyer.md").write_text("---\nmode: fast\n---\nrole", "utf-8")
    admin = ANN.model_copy(update={"id": "slack:T1/U9"})
    assert "lawyer.md, line 2" in await Bench(tmp_path).said("", admin)
    assert "lawyer.md" not in await Bench(tmp_path).said("", ANN)


async def test_a_listed_teammate_cannot_break_out_of_its_line(tmp_path: Path) -> None:
    (tmp_path / "evil.md").write_text(
        "---\nname: evil\ndescription: '*x* <!here> [y](https://z.example)'\n---\nrole", "utf-8"
    )
    told = await Bench(tmp_path).said("", ANN)
    assert "*x*" not in told.replace("\\*x\\*", "")
    shown = clean(Draft(text=told), "slack").text
    assert "<!here>" not in shown and "z.example)" not in shown
