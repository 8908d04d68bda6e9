"""Print the sample 请假制度.pdf from its text: `python -m tests.rigs.sample_pdf` (needs Chromium).

The PDF is part of the repository; this is how it is made anew when its text changes.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from playwright.async_api import async_playwright

from tests.rigs.browser import ARGUMENTS, chromium

SAMPLES = Path(__file__).parents[2] / "bot" / "playground" / "samples"

PAGES: tuple[tuple[tuple[str, tuple[str, ...]], ...], ...] = (
    (
        (
            "一、适用范围",
            (
                "本制度适用于全体正式员工与试用期员工，自 2026 年 1 月 1 日起执行。",
                "实习生的请假由导师批准，按实际出勤计算补贴。",
            ),
        ),
        (
            "二、年假",
            (
                "员工每年享有 12 天带薪年假，入职满五年后为 15 天。",
                "入职第一年按月折算，每满一个月计 1 天。",
                "未休完的年假最多可结转 5 天，有效期至次年 3 月 31 日，逾期作废。",
            ),
        ),
    ),
    (
        (
            "三、病假",
            (
                "病假当天上午十点前告知直属主管即可。",
                "连续病假三天及以上，须提供医院证明。",
                "每年 30 天以内的病假发放全额工资，超出部分按当地规定执行。",
            ),
        ),
        (
            "四、婚假、产假与丧假",
            (
                "婚假 3 天，应在登记后一年内休完。",
                "育儿假 20 周，可在孩子出生或收养后的一年内分两次休。",
                "直系亲属去世，可休丧假 5 天。",
            ),
        ),
    ),
    (
        (
            "五、申请流程",
            (
                "三天以内的假期，提前 5 个工作日在工时系统中提交。",
                "三天以上的假期，至少提前三周提交。",
                "主管应在 2 个工作日内答复，逾期未答复视为同意。",
                "获批后请把日期写入团队日历，并指定工作交接人。",
            ),
        ),
        ("六、附则", ("本制度由人力资源组解释，疑问请在 #handbook 频道提出。",)),
    ),
)

STYLE = """
@page { size: A4; margin: 26mm 24mm }
body { font-family: "Noto Sans CJK SC", "Source Han Sans SC", sans-serif; font-size: 12pt;
       line-height: 1.9; color: #26231f }
h1 { font-size: 22pt; margin: 0 0 4mm } h2 { font-size: 15pt; margin: 9mm 0 2mm }
p { margin: 0 0 2mm } section + section { break-before: page }
"""


def html() -> str:
    def part(heading: str, lines: tuple[str, ...]) -> str:
        return f"<h2>{heading}</h2>" + "".join(f"<p>{line}</p>" for line in lines)

    sections = [f"<section>{''.join(part(*p) for p in page)}</section>" for page in PAGES]
    first = sections[0].replace("<section>", "<section><h1>请假制度</h1>", 1)
    head = f"<meta charset=utf-8><title>请假制度</title><style>{STYLE}</style>"
    return head + first + "".join(sections[1:])


async def main() -> None:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        page = await browser.new_page()
        await page.set_content(html())
        await page.pdf(
            path=SAMPLES / "请假制度.pdf", prefer_css_page_size=True, tagged=True, outline=True
        )
        await browser.close()


if __name__ == "__main__":
    asyncio.run(main())
