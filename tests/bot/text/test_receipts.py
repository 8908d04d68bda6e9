import pytest

from bot.platform import Draft
from bot.text.outbound import clean
from bot.text.receipts import MOST_BUTTONS, receipt_draft
from core.knowledge.documents import Receipt
from core.knowledge.parse.model import Skipped

READY = Receipt(document="d1", name="policy.pdf", status="ready", pages=12, passages=34)
LOCKED = Receipt(
    document="d2",
    name="a.pdf",
    status="encrypted",
    reason="parse.encrypted",
    values={"name": "a.pdf"},
)


def test_one_file_is_told_in_one_line():
    assert (
        receipt_draft([READY], "zh").text == "已读入 **policy.pdf** · 12 页 · 34 段，可以提问了。"
    )
    english = receipt_draft([READY], "en").text
    assert english == "Read **policy.pdf** · 12 pages · 34 passages. You can ask about it now."


def test_one_page_and_one_passage_are_singular():
    receipt = READY.model_copy(update={"pages": 1, "passages": 1})
    assert "1 page · 1 passage." in receipt_draft([receipt], "en").text


def test_a_file_without_pages_tells_passages_only():
    receipt = READY.model_copy(update={"pages": 0, "version": 3})
    text = receipt_draft([receipt], "en").text
    assert text.startswith(
        "Read **policy.pdf** · 34 passages · version 3, replaces the one before."
    )


def test_what_was_skipped_is_told_with_why_and_the_way_out():
    skipped = [
        Skipped(page=n, key="parse.page_scanned", values={"pages": str(n)}) for n in range(3, 8)
    ]
    receipt = READY.model_copy(update={"status": "partial", "skipped": tuple(skipped)})
    lines = receipt_draft([receipt], "zh").text.split("\n")
    assert lines[2] == "- 第 3 页没有可读的文字（扫描图片）；需要时请先做文字识别。"
    assert lines[-1] == "- 另有 2 处没有读。"


def test_a_file_that_was_not_read_says_why_and_has_no_button():
    draft = receipt_draft([LOCKED], "en")
    assert "remove the password and upload" in draft.text
    assert draft.buttons == ()


def test_several_files_are_one_list_with_a_button_each():
    draft = receipt_draft(
        [READY, LOCKED, READY.model_copy(update={"document": "d3", "name": "b.md"})], "zh"
    )
    assert draft.text.split("\n") == [
        "已读入 2 个文件，另有 1 个没有读成：",
        "",
        "- **policy.pdf** · 12 页 · 34 段",
        "- **b.md** · 12 页 · 34 段",
        "- ✗ “a.pdf”有密码保护，读不了；请去掉密码后再上传。",
    ]
    assert [(b.action, b.label, b.value) for b in draft.buttons] == [
        ("remove", "移除 policy.pdf", "d1"),
        ("remove", "移除 b.md", "d3"),
    ]
    assert all(button.confirm for button in draft.buttons)


def test_two_hundred_files_stay_readable():
    receipts = [
        READY.model_copy(update={"document": f"d{n}", "name": f"{n}.md"}) for n in range(200)
    ]
    draft = receipt_draft(receipts, "en")
    assert len(draft.text) < 4000
    assert "Also read: 180 files" in draft.text
    assert len(draft.buttons) <= MOST_BUTTONS


def test_a_file_that_was_here_already_is_not_told_as_new():
    draft = receipt_draft([READY.model_copy(update={"duplicate": True})], "en")
    assert "was here already" in draft.text and draft.buttons == ()


def test_another_persons_file_of_the_same_name_is_mentioned():
    draft = receipt_draft([READY.model_copy(update={"needs_click": True})], "zh")
    assert "别人的同名文件" in draft.text


@pytest.mark.parametrize(
    "name", ["a*b*.pdf", "[x](https://evil.example).pdf", "<!channel>.pdf", "a\n# b.pdf", "`x`"]
)
@pytest.mark.parametrize("status", ["ready", "failed"])
def test_a_name_cannot_format_link_or_call(name: str, status: str):
    receipt = READY.model_copy(update={"name": name, "status": status})
    shown = clean(receipt_draft([receipt], "en"), "slack")
    assert "](" not in shown.text and "<!" not in shown.text and "\n#" not in shown.text
    assert "evil.example" not in shown.text


def test_every_reason_has_its_sentence_even_without_a_key():
    receipt = Receipt(document="", name="x.bin", status="failed", values={})
    assert "x.bin" in receipt_draft([receipt], "zh").text
    assert isinstance(receipt_draft([], "zh"), Draft)
