"""The words of an order: what is to be looked up, where, for whom. Pure.

Beside the router's rules, which tell whether a text is one order, these take orders apart.
"""

from __future__ import annotations

import re

from core.language.zones import resolve_zone
from core.router.rule import bare

WORDS = 200
"""Characters of a search's words."""

CLAUSES = re.compile(
    r"[,，。;；!！：\n]+\s*|:\s+|(?<=[?？])\s*|(?:另外|然后|接着|最后|顺便)"
    r"|\s+(?:and then|and also|then)\s+",
    re.IGNORECASE,
)
"""What stands between them are wishes of their own."""
PARTS = re.compile(
    r"(?:并且|以及|还有|同时|再|和|跟|与|、|并(?=发|写|查|把|保存))|\s+(?:and|plus)\s+",
    re.IGNORECASE,
)
"""What stands between them may be: `weather and time`, but `the rules and limits` are one."""
_JOINT = re.compile(
    r"^(?:and|then|also|plus)\s+|^(?:还有|以及|再|和|并且?)|(?:\s+and(?: (?:them|it))?|并且?)$",
    re.IGNORECASE,
)
_ORDER_WORDS = re.compile(
    r"(?:帮我|请你?|给我|麻烦你?)+|(?:深入|详细|全面|系统)地?"
    r"|(?:调研|研究)(?:一?下)?|做(?:一个|一份|一次|个|份|些|点)?(?=关于|有关)|(?:关于|有关)(?:的)?"
    r"|[,，;；]?\s*(?:并|然后|再|最后)?(?:写|撰写|起草|编写|生成|整理|汇总|总结|保存|存)"
    r"(?:成|为|出|到|一下|一个|一份|个|份)*(?:一份|一个)?"
    r"(?:报告|文档|方案|周报|月报|日报|会议纪要|纪要|手册)?(?:并?保存(?:下来|一下|起来)?)?"
    r"|(?:的)?(?:调研报告|报告|文档|方案)(?:并?保存(?:下来|一下)?)?$",
)
_ORDER_WORDS_EN = re.compile(
    r"\b(?:please|can you|could you|for me)\b|\b(?:do |conduct )?(?:some |a bit of |more |deep )*"
    r"research(?: on| into| about)?\b"
    r"|[,;]?\s*(?:and |then |and then )*\b(?:write|generate|create|draft|prepare|summari[sz]e|save"
    r"|produce|compile|make)\b(?: (?:it|this|that|them|up|down|as|into|me|a|an|the|short|brief"
    r"|detailed|full))*(?: (?:report|document|doc|plan|proposal|memo|summary|brief)s?)?"
    r"(?: (?:about|on|of|for)\b)?|\b(?:save|store) (?:it|this)\b",
    re.IGNORECASE,
)
MAIL = re.compile(
    r"发.{0,8}(?:邮箱|邮件)|(?:邮箱|邮件).{0,4}(?:发|寄)|\b(?:e-?mail|mail)\b.{0,40}\b(?:me|to|it|them|us)"
    r"\b|\bsend\b.{0,60}\be?-?mail\b",
    re.IGNORECASE,
)
_MAIL_WORDS = re.compile(
    r"(?:把|将)?(?:它们?|结果|内容)?(?:发送?|寄)(?:给|到|至)?(?:我|我的)?的?(?:邮箱|邮件|一封邮件)"
    r"(?:里|中|给我)?"
    r"|(?:用|通过)?邮件(?:发|寄)(?:送)?(?:给|到)?我?"
    r"|\b(?:(?:to\s+)?(?:by|via) e?-?mail|to my (?:inbox|e?-?mail)|to me"
    r"|(?:send|e?-?mail|mail)(?: (?:me|us))?)\b"
    r"|\bto\s*$",
    re.IGNORECASE,
)
ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
DAY = re.compile(
    r"大后天|后天|明天|明日|今天|本周|这周|周末|未来[一两二三四五六七\d]天"
    r"|\b(?:the day after tomorrow|tomorrow|today|this week(?:end)?)\b",
    re.IGNORECASE,
)
_LOOK = re.compile(
    r"^(?:先|再|然后|接着|最后|请|帮我|给我)*(?:查询?|找出?|搜索?|看看?|读|翻|总结|汇总|分析|对比|比较|列出)"
    r"(?:一?下|完|到)?"
    r"|^(?:please |first |then )*(?:check|find|look(?: up| for| into)?|search(?: for)?|read|collect"
    r"|compare|summari[sz]e|get|list|review)\b",
    re.IGNORECASE,
)
"""Words that order a look-up; what stands behind them is looked for."""
_ASKED = re.compile(
    r"[?？]|什么|谁|怎么|怎样|如何|多少|几[个天点号次]|哪|吗|呢$|是否|有没有|为何|多久"
    r"|\b(?:what|who|whom|whose|which|when|where|why|how)\b",
    re.IGNORECASE,
)
MEANT = re.compile(
    r"(?:把|将)?(?:这些?|那些?|它们?|他们|以上|上面|其中|这[几\d一二三四五六七八九十]+[个份篇])?的?(?:文档|文件|资料|内容|结果|要点)?"
    r"|(?:the |all |of )*(?:it|its|this|that|these|those|them|they|everything|results?)?"
    r"(?: (?:documents?|docs?|files?))?",
    re.IGNORECASE,
)
"""Nothing but a pointer: `these documents`, `them`."""
POINTING = re.compile(r"^(?:它们?|这些|那些|其中|they|them|it|these|those)(?![a-z])", re.IGNORECASE)
_ABOUT_THEM = re.compile(
    r"(?:里面?|都|主要|分别|各自|大概|具体)*(?:讲|说|写|是关于)(?:的|了)?(?:是|些)*(?:什么|啥|哪些)"
    r"(?:内容)?"
    r"|(?:主要)?内容(?:是|有)?(?:什么|哪些|啥)"
    r"|what (?:do|does|did) (?:they|it|these|those) (?:\w+ )?(?:say|tell|hold|contain|cover)"
    r"(?: about)?"
    r"|what(?:'s| is| are) (?:they|it|these|in (?:them|it))(?: (?:all )?about)?",
    re.IGNORECASE,
)
"""What is in the documents that were named just before."""
SAVE = re.compile(
    r"写|撰写|起草|编写|生成|保存|存|整理成|做成|汇总成|总结成"
    r"|\b(?:write|generate|create|draft|prepare|save|produce|compile|make|put together)\b",
    re.IGNORECASE,
)
_PLACES_ZH = re.compile(r"[\u4e00-\u9fff]{2,}")
_PLACES_EN = re.compile(r"\b[A-Z][a-z]+(?: [A-Z][a-z]+)?\b")


def topic_of(question: str) -> str:
    """What a report is about: the question without the words of the order; empty where it only
    points at something."""
    text = _ORDER_WORDS_EN.sub(" ", _ORDER_WORDS.sub(" ", bare(question)))
    text = " ".join(text.split()).strip(" ,，.。;；:：、的")
    text = re.sub(r"^(?:把|将)\s*", "", text)
    return "" if MEANT.fullmatch(text) else text


def clauses_of(question: str) -> list[str]:
    """The wishes of a question, without the words that join them."""
    parts = (without_mail(_JOINT.sub("", part.strip())) for part in CLAUSES.split(question))
    return [part for part in (_JOINT.sub("", part).strip() for part in parts) if len(part) > 1]


def parts_of(clause: str) -> list[str]:
    """What a wish may fall into."""
    return [part for part in map(str.strip, PARTS.split(clause)) if len(part) > 1]


def looked_for(part: str, beside_tools: bool) -> str:
    """The words that a need is searched with; empty if it is no question and no order to look."""
    order, words = _LOOK.match(part), without_order(part)
    pointing = POINTING.match(words) or _ABOUT_THEM.fullmatch(words)
    if not words or MEANT.fullmatch(words) or (beside_tools and pointing):
        return ""
    return words[:WORDS] if order or _ASKED.search(part) else ""


def without_order(part: str) -> str:
    """What is to be looked up: `the weather` of `check the weather`."""
    order = _LOOK.match(part)
    return bare(part[order.end() :] if order else part)


def without_mail(part: str) -> str:
    """The part without the wish to be sent something."""
    if not MAIL.search(part) and not ADDRESS.search(part):
        return part
    return " ".join(_MAIL_WORDS.sub(" ", ADDRESS.sub(" ", bare(part))).split()).strip(" ,，")


def place_in(text: str, *, whole: bool = False) -> str:
    """The first known place of a text; with `whole`, only if the text is nothing but the place."""
    if whole:
        text = DAY.sub("", text).strip(" 的,，?？")
        return text if len(text) > 1 and resolve_zone(text) is not None else ""
    for found in _PLACES_EN.finditer(text):
        for words in (found[0], *found[0].split()):
            if len(words) > 2 and resolve_zone(words) is not None:
                return words
    for found in _PLACES_ZH.finditer(text):
        run = found[0]
        for start in range(len(run) - 1):
            for size in (4, 3, 2):
                words = run[start : start + size]
                if len(words) == size and resolve_zone(words) is not None:
                    return words
    return ""
