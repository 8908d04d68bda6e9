"""What each format gives: text, pages, heading paths, tables, code."""

import email.message
import json

import pytest

from core.knowledge.parse.document import parse
from core.knowledge.parse.model import Block, Parsed
from tests.rigs import documents


def read(name: str, data: bytes | str) -> Parsed:
    return parse(data.encode() if isinstance(data, str) else data, name)


def texts(parsed: Parsed) -> str:
    return "\n".join(block.text for block in parsed.blocks)


# Markdown, text, code


def test_markdown_headings_give_the_path_and_fences_are_code() -> None:
    parsed = read(
        "a.md", "# 手册\n\n前言\n\n## 请假\n\n十天。\n\n```py\n# not a heading\n```\n\nTail"
    )
    assert parsed.title == "手册"
    assert parsed.blocks == (
        Block(heading=("手册",), text="前言"),
        Block(heading=("手册", "请假"), text="十天。"),
        Block(heading=("手册", "请假"), kind="code", text="# not a heading"),
        Block(heading=("手册", "请假"), text="Tail"),
    )


def test_a_deeper_heading_closes_with_its_parent() -> None:
    parsed = read("a.md", "# A\n\n### B\n\nb\n\n## C\n\nc\n\nD\n===\n\nd")
    assert [block.heading for block in parsed.blocks] == [("A", "B"), ("A", "C"), ("D",)]


def test_a_heading_without_text_is_still_found() -> None:
    assert texts(read("a.md", "# Only a heading\n# And another")) == "Only a heading\nAnd another"


def test_comments_of_markdown_and_html_are_not_read() -> None:
    assert "secret" not in texts(read("a.md", "seen <!-- secret --> too"))
    assert "secret" not in texts(read("a.html", "<html><body>seen<!-- secret --></body></html>"))
    assert "<!-- kept -->" in texts(read("a.md", "```\n<!-- kept -->\n```"))


@pytest.mark.parametrize(
    "hidden",
    [
        "<script>\n\nSECRET\n\n</script>",
        "<div style='display:none'>\n\nSECRET\n\n</div>",
        "<span hidden>SECRET</span>",
        "[//]: # (SECRET)",
        "<!-- SECRET\n\nSECRET -->",
    ],
)
def test_hidden_parts_of_markdown_are_not_read(hidden: str) -> None:
    parsed = read("a.md", f"before\n\n{hidden}\n\nafter <b>bold</b> [x]: y")
    assert texts(parsed) == "before\n\nafter <b>bold</b> [x]: y"


def test_a_markdown_table_is_one_block() -> None:
    parsed = read("a.md", "Before:\n| a | b |\n|---|---|\n| 1 | 2 |\n\nafter")
    assert [block.kind for block in parsed.blocks] == ["text", "table", "text"]


def test_code_is_cut_at_top_level_definitions_with_their_comments() -> None:
    parsed = read(
        "a.py",
        "import os\n\n# why\n@cached\ndef load():\n    def inner(): ...\n\nclass K:\n    x = 1\n",
    )
    assert [(b.heading, b.kind) for b in parsed.blocks] == [
        ((), "code"),
        (("load",), "code"),
        (("K",), "code"),
    ]
    assert parsed.blocks[1].text.startswith("# why\n@cached\ndef load")


def test_what_readers_cannot_see_is_not_indexed() -> None:
    hidden = "pay \u202e4321\u202c to\u200b \U000e0041\U000e0042 me\x1b[31m \x00ok"
    assert texts(read("a.txt", hidden)) == "pay 4321 to  me[31m ok"
    assert texts(read("a.txt", "👨\u200d👩\u200d👧")) == "👨\u200d👩\u200d👧"


# Tables and JSON


def test_csv_rows_keep_together_under_their_header() -> None:
    parsed = read("people.csv", '姓名,备注\n张三,"a, b"\n李四,"c|d"\n')
    assert parsed.blocks == (
        Block(
            kind="table", text="| 姓名 | 备注 |\n| --- | --- |\n| 张三 | a, b |\n| 李四 | c\\|d |"
        ),
    )


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_other_delimiters_are_seen(delimiter: str) -> None:
    text = "\n".join(delimiter.join(row) for row in (["a", "b"], ["1", "2"], ["3", "4"]))
    assert "| 1 | 2 |" in texts(read("a.csv", text))


def test_json_gives_paths() -> None:
    parsed = read("a.json", json.dumps({"name": "Bo", "jobs": [{"city": "巴黎", "tags": [1, 2]}]}))
    assert texts(parsed) == "name: Bo\njobs[0].city: 巴黎\njobs[0].tags: 1, 2"
    assert parsed.blocks[1].heading == ("jobs",)


def test_json_lines_and_broken_json_lose_nothing() -> None:
    assert "[1].a: 2" in texts(read("a.jsonl", '{"a": 1}\n{"a": 2}\n'))
    assert '{"a": ' in texts(read("a.json", '{"a": '))
    assert read("deep.json", "[" * 60_000).blocks[0].kind == "code"


# HTML and mail


def test_html_gives_headings_lists_tables_and_title() -> None:
    parsed = read(
        "a.html",
        "<!doctype html><title>标题</title><body><h1>一</h1><p>段落<p>next<ul><li>x<li>y</ul>"
        "<h2>二</h2><table><tr><th>k<th>v<tr><td>1<td>2</table><pre>a\n  b</pre>",
    )
    assert parsed.title == "标题"
    assert parsed.blocks == (
        Block(heading=("一",), text="段落\n\nnext\n\n- x\n- y"),
        Block(heading=("一", "二"), kind="table", text="| k | v |\n| --- | --- |\n| 1 | 2 |"),
        Block(heading=("一", "二"), kind="code", text="a\n  b"),
    )


@pytest.mark.parametrize(
    "hidden",
    [
        "<script>SECRET</script>",
        "<style>.x{color:red} SECRET</style>",
        "<p style='display:none'>SECRET</p>",
        "<div style='VISIBILITY : hidden'><p>SECRET</p></div>",
        "<span hidden>SECRET</span>",
        "<p style='font-size:0px'>SECRET",
        "<div style='position:absolute;left:-9999px'>SECRET</div>",
        "<style>.gone, p.x { display: none }</style><div class='a gone'>SECRET</div>",
        "<template><p>SECRET</p></template>",
        "<noscript>SECRET</noscript>",
        "<!-- SECRET -->",
    ],
)
def test_hidden_parts_of_a_page_are_not_read(hidden: str) -> None:
    parsed = read("a.html", f"<html><head></head><body><p>before</p>{hidden}<p>after</p></body>")
    assert texts(parsed) == "before\n\nafter"


def test_a_mail_gives_its_header_body_and_attachments() -> None:
    mail = email.message.EmailMessage()
    mail["Subject"], mail["From"], mail["To"] = "年会安排", "a@b.example", "c@d.example"
    mail.set_content("见附件。", charset="utf-8", cte="base64")
    mail.add_attachment("周五 18 点", filename="时间.txt")
    parsed = read("x.eml", mail.as_bytes())
    assert (parsed.status, parsed.title) == ("ready", "年会安排")
    assert "Subject: 年会安排" in texts(parsed) and "见附件。" in texts(parsed)
    assert parsed.blocks[-1] == Block(heading=("时间.txt",), text="周五 18 点")
    assert mail.get_payload(0).get_payload().strip() not in texts(parsed)  # type: ignore[union-attr]


def test_a_mail_in_html_only_is_read_without_its_hidden_parts() -> None:
    mail = email.message.EmailMessage()
    mail["Subject"], mail["From"], mail["To"] = "s", "a@b.example", "c@d.example"
    mail.set_content("<p>seen</p><p hidden>SECRET</p>", subtype="html")
    assert "seen" in texts(read("x.eml", mail.as_bytes()))
    assert "SECRET" not in texts(read("x.eml", mail.as_bytes()))


# Office, PDF, archives


def test_word_keeps_headings_and_leaves_hidden_runs_out() -> None:
    body = (
        documents.paragraph("制度", "Heading1")
        + documents.paragraph("年假十天。")
        + documents.paragraph("SECRET", hidden=True)
        + documents.paragraph("病假", "Heading2")
        + documents.paragraph("五天。")
    )
    parsed = read("a.docx", documents.docx(body))
    assert parsed.blocks == (
        Block(heading=("制度",), text="年假十天。"),
        Block(heading=("制度", "病假"), text="五天。"),
    )


def test_slides_and_sheets_are_pages() -> None:
    slides = read("a.pptx", documents.pptx([("目标", "增长 20%"), ("Plan", "**hire** two")]))
    assert slides.pages == 2
    assert [(b.page, b.heading, b.text) for b in slides.blocks] == [
        (1, ("目标",), "增长 20%"),
        (2, ("Plan",), "hire two"),
    ]
    sheets = read(
        "a.xlsx", documents.xlsx({"一月": [["a", "b"], ["1", "x"]], "Feb": [["c"], ["2"]]})
    )
    assert [(b.page, b.heading, b.kind) for b in sheets.blocks] == [
        (1, ("一月",), "table"),
        (2, ("Feb",), "table"),
    ]


def test_a_pdf_gives_pages_and_headings_by_size_and_number() -> None:
    body = [
        (10.0, "Ordinary words that fill the page from its left to its right end, line by line")
    ] * 4
    parsed = read(
        "a.pdf",
        documents.pdf(
            [
                [(20.0, "Travel rules"), *body, (10.0, "2.1 Trains")],
                [*body, (10.0, "3.1 45.00 12,300 2024")],
            ]
        ),
    )
    assert (parsed.status, parsed.pages) == ("ready", 2)
    assert [(b.page, b.heading) for b in parsed.blocks] == [
        (1, ("Travel rules",)),
        (1, ("Travel rules", "2.1 Trains")),
        (2, ("Travel rules", "2.1 Trains")),
    ]
    # Wrapped lines are one sentence again.
    assert "line by line Ordinary words" in parsed.blocks[0].text


def test_scanned_pages_between_others_are_named() -> None:
    parsed = read("a.pdf", mixed_pdf())
    assert (parsed.status, parsed.pages) == ("partial", 3)
    assert [(s.page, s.values["pages"]) for s in parsed.skipped] == [(2, "2-3")]
    assert parsed.values["read"] == "1"


def mixed_pdf() -> bytes:
    import io

    import pypdfium2

    source = pypdfium2.PdfDocument(documents.pdf([[(12.0, "A page with a whole line of text.")]]))
    scans = pypdfium2.PdfDocument(documents.scan_pdf(2))
    source.import_pages(scans)
    target = io.BytesIO()
    source.save(target)
    scans.close()
    source.close()
    return target.getvalue()


def test_the_bytes_decide_not_the_ending() -> None:
    assert texts(read("a.pdf", documents.docx(documents.paragraph("in Word")))) == "in Word"
    assert texts(read("a.docx", "普通文本")) == "普通文本"
    assert read("report", documents.pdf([[(12.0, "Report of the whole year")]])).pages == 1


def test_an_archive_is_read_one_level_deep() -> None:
    data = documents.archive(
        {
            "../../evil/说明.md": "# 标题\n\n正文",
            "b.zip": documents.archive({"c.txt": "deep"}),
            "d/": "",
        }
    )
    parsed = read("a.zip", data)
    assert parsed.status == "partial"
    assert parsed.blocks[0].text == "evil/说明.md\nb.zip\nd"
    assert parsed.blocks[1] == Block(heading=("evil/说明.md", "标题"), text="正文")
    assert [skip.key for skip in parsed.skipped] == ["parse.nested_archive"]


def test_mojibake_is_not_taken_for_text() -> None:
    data = "关于红军作战的原则，一九三七年八月一日".encode("gbk").decode("latin-1").encode()
    assert (read("a.txt", data).status, read("a.txt", data).reason) == ("failed", "parse.garbled")
