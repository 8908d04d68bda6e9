"""How Slack's Markdown and mrkdwn look on the page; data never becomes markup."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import Page

from bot.playground.server import PracticeServer

pytestmark = pytest.mark.asyncio(loop_scope="module")

SHOW = """async ([kind, text]) => {
    const module = await import(`/page/${kind}.js`);
    return module[kind](text).innerHTML;
}"""


@pytest_asyncio.fixture(loop_scope="module")
async def ready(page: Page) -> AsyncIterator[Page]:
    server = PracticeServer()
    await server.start()
    await page.goto(f"{server.url}/?person=U0NORA&language=en")
    await page.wait_for_selector(".entry")
    yield page
    # First the page: one that is left without its server tries to come back, and says so.
    await page.close()
    await server.stop()


MARKDOWN = {
    "**bold** and *it* and ~~no~~": ("<p><strong>bold</strong> and <em>it</em> and <s>no</s></p>"),
    "这是**粗体**文字": "<p>这是<strong>粗体</strong>文字</p>",
    # CommonMark: a run behind a full stop and before a letter closes nothing.
    "**重要：**请注意": "<p>**重要：**请注意</p>",
    "***both***": "<p><strong><em>both</em></strong></p>",
    "snake_case_name": "<p>snake_case_name</p>",
    "2 * 3 * 4": "<p>2 * 3 * 4</p>",
    "`a * b`": "<p><code>a * b</code></p>",
    r"\*plain\*": "<p>*plain*</p>",
    "## Head": "<h4>Head</h4>",
    "> quote\n> more": "<blockquote><p>quote<br>more</p></blockquote>",
    "a\n\nb": "<p>a</p><p>b</p>",
    "---": "<hr>",
    "<script>alert(1)</script>": "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>",
    "<img src=x onerror=alert(1)>": "<p>&lt;img src=x onerror=alert(1)&gt;</p>",
    "[x](javascript:alert(1))": "<p><span>x</span></p>",
    "a &lt; b &amp; c": "<p>a &lt; b &amp; c</p>",
    "<@U0LIN>": '<p><span class="mention">@林悦</span></p>',
    "<!here>": '<p><span class="mention crowd">@here</span></p>',
}

MRKDWN = {
    "*bold* _it_ ~no~ `code`": (
        "<p><strong>bold</strong> <em>it</em> <s>no</s> <code>code</code></p>"
    ),
    "这是*粗体*文字": "<p>这是*粗体*文字</p>",
    "&gt; quoted\nafter": "<blockquote>quoted</blockquote><p>after</p>",
    "&lt;b&gt;": "<p>&lt;b&gt;</p>",
    "<javascript:alert(1)|x>": "<p>&lt;javascript:alert(1)|x&gt;</p>",
}


async def test_markdown_looks_as_in_slack(ready: Page) -> None:
    for text, shown in MARKDOWN.items():
        assert await ready.evaluate(SHOW, ["markdown", text]) == shown, text


async def test_mrkdwn_looks_as_in_slack(ready: Page) -> None:
    for text, shown in MRKDWN.items():
        assert await ready.evaluate(SHOW, ["mrkdwn", text]) == shown, text


async def test_lists_nest_and_tables_align(ready: Page) -> None:
    nested = "1. one\n2. two\n   - deep\n   - er\n\n- next"
    shown = await ready.evaluate(SHOW, ["markdown", nested])
    assert shown == (
        '<ol start="1"><li><span class="item">one</span></li>'
        '<li><span class="item">two</span><ul><li><span class="item">deep</span></li>'
        '<li><span class="item">er</span></li></ul></li></ol>'
        '<ul><li><span class="item">next</span></li></ul>'
    )
    table = await ready.evaluate(SHOW, ["markdown", "| a | b |\n|---|--:|\n| `x|y` | 2 |"])
    assert '<th class="end">b</th>' in table
    plain = await ready.evaluate(SHOW, ["markdown", r"| a | b |" + "\n|---|--:|\n| 1 \\| 2 | 3 |"])
    assert "<td>1 | 2</td>" in plain


async def test_links_go_to_a_new_tab_without_a_referrer(ready: Page) -> None:
    shown = await ready.evaluate(
        SHOW, ["markdown", "[p](https://a.example/x) https://b.example/y。"]
    )
    assert 'href="https://a.example/x"' in shown
    assert 'href="https://b.example/y"' in shown
    assert shown.count('rel="noopener noreferrer"') == 2


async def test_code_fences_keep_every_sign(ready: Page) -> None:
    shown = await ready.evaluate(SHOW, ["markdown", "```py\na  < **b**\n\n<c>\n```"])
    assert '<pre tabindex="0"><code>a  &lt; **b**\n\n&lt;c&gt;</code></pre>' in shown


async def test_hard_markup_ends_in_time(ready: Page) -> None:
    for text in ("*" * 3000, "**a" * 800, "[" * 2000, "`" * 1001 + "a", "> " * 300 + "x"):
        spent = """async (text) => {
            const {markdown} = await import("/page/markdown.js");
            const start = performance.now();
            markdown(text);
            return performance.now() - start;
        }"""
        assert await ready.evaluate(spent, text) < 3000, text[:10]
