"""Encodings and cleaning: pure functions, property-tested."""

import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.knowledge.parse.clean import clean, close_gaps, table_text
from core.knowledge.parse.decode import decode
from core.knowledge.parse.document import parse
from core.knowledge.parse.outline import Outline
from core.knowledge.parse.plain import code_blocks, read_markdown, read_text

SAMPLES = {
    "gb18030": "这是一份中文的说明文件，用来测试编码。",
    "big5": "這是一份中文的說明文件，用來測試編碼。",
    "cp932": "これは日本語の説明書です。東京都千代田区。",
    "cp949": "안녕하세요 이것은 한국어 문서입니다. 감사합니다.",
    "cp1252": "Größe und Änderung für die Übersicht über Straßen",
    "utf-8-sig": "带标记的文件",
    "utf-16": "UTF-16 text 文字",
    "utf-16-le": "plain ascii in UTF-16 without a mark",
    "utf-32": "四字节",
}


@pytest.mark.parametrize("encoding", SAMPLES)
def test_a_text_file_is_read_in_its_encoding(encoding: str) -> None:
    assert decode(SAMPLES[encoding].encode(encoding)) == SAMPLES[encoding]


def test_a_declared_charset_is_believed_before_a_guess() -> None:
    page = "<meta charset='gb2312'><p>编码</p>"
    assert decode(page.encode("gbk"), declared=True) == page


def test_a_file_cut_inside_a_character_stays_utf8() -> None:
    assert decode("一份很长的说明文件，很多字。".encode() * 5 + b"\xe6").startswith(
        "一份很长的说明"
    )


def everyday_characters() -> str:
    """The 3,755 characters of GB2312's first level."""
    rows = (bytes([lead, trail]) for lead in range(0xB0, 0xD8) for trail in range(0xA1, 0xFF))
    return b"".join(rows).decode("gb2312", "ignore")


@given(st.text(everyday_characters(), min_size=24, max_size=80))
@settings(max_examples=60, deadline=None)
def test_everyday_chinese_is_never_taken_for_another_encoding(text: str) -> None:
    mixed = text[:12] + "，" + text[12:] + "ABC 123\n"
    assert decode(mixed.encode("gb18030")) == mixed


@given(
    st.binary(max_size=300),
    st.sampled_from(["a.txt", "b.pdf", "c.html", "d.eml", "e.json", "f.csv"]),
)
@settings(max_examples=150, deadline=None)
def test_any_bytes_end_in_a_status(data: bytes, name: str) -> None:
    parsed = parse(data, name)
    assert bool(parsed.blocks) == (parsed.status in ("ready", "partial"))


@given(st.text(max_size=200))
def test_cleaning_is_stable_and_leaves_nothing_unseen(text: str) -> None:
    once = clean(text)
    assert clean(once) == once
    assert not any(char in once for char in "\u202e\u200b\ufeff\x00\x1b\r\U000e0041")


def test_gaps_between_chinese_characters_close_and_others_stay() -> None:
    assert close_gaps("关 于 红 军 GUI 工具 （ 一 ）") == "关于红军 GUI 工具（一）"


@given(
    st.lists(st.lists(st.text(string.ascii_letters + "|\n中", max_size=6), max_size=4), max_size=5)
)
def test_a_table_keeps_every_cell_on_its_row(rows: list[list[str]]) -> None:
    lines = table_text(rows).split("\n")
    kept = [row for row in rows if any(cell.strip() for cell in row)]
    assert len(lines) == (len(kept) + 1 if kept else 1)
    for row, line in zip(kept, [lines[0], *lines[2:]], strict=False):
        for cell in row:
            assert " ".join(cell.split()).replace("|", "\\|") in line


WORDS = st.text(string.ascii_letters + "中文。`#|-~> =", min_size=1, max_size=12)


@given(st.lists(WORDS, max_size=20).map("\n".join))
@settings(max_examples=200)
def test_markdown_loses_no_word(text: str) -> None:
    outline = Outline()
    read_markdown(text, outline)
    kept = "".join(piece for block in outline.done() for piece in (*block.heading, block.text))
    for char in set(text) & set(string.ascii_letters + "中文。"):
        if not any(line.lstrip().startswith(("```", "~~~")) for line in text.split("\n")):
            assert char in kept


@given(st.lists(st.text(string.ascii_letters + " 中\t", max_size=10), max_size=20).map("\n".join))
def test_plain_text_keeps_every_visible_character_in_order(text: str) -> None:
    outline = Outline()
    read_text(text, outline)
    kept = "".join(block.text for block in outline.done())
    assert "".join(kept.split()) == "".join(text.split())


@given(
    st.lists(
        st.sampled_from(["def f():", "    x = 1", "# c", "@d", "", "class K:", "}"]), max_size=20
    )
)
def test_code_blocks_lose_no_line_and_keep_their_order(lines: list[str]) -> None:
    joined = [line for _, block in code_blocks(lines) for line in block if line]
    assert joined == [line for line in lines if line]
