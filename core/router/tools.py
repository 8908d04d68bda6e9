"""Rules of the router for the work of one tool. Each must fit the whole text: "what time is it" is
a tool's work, "what time does the office open" is a question for the documents.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from core.language.zones import resolve_zone
from core.router.rule import Arguments, Rule, any_of

_DIGITS = {character: number for number, character in enumerate("零一二三四五六七八九十")} | {
    "两": 2,
    **{
        word: number
        for number, word in enumerate(
            ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"), 1
        )
    },
}
_COUNT = r"(?P<n>\d{1,2}|[一两二三四五六七八九十]|one|two|three|four|five|six|seven|eight|nine|ten)"
_COUNT_ZH = rf"(?:{_COUNT}(?:个|份|篇)?)?"


_HERE = frozenset(
    (
        "这里",
        "这边",
        "我这里",
        "我们这里",
        "本地",
        "现在",
        "今天",
        "当前",
        "目前",
        "这",
        "here",
        "there",
    )
)


def _zone(groups: Mapping[str, str | None]) -> Arguments | None:
    """The place asked for. A word where only a known place makes sense of the text must be one."""
    place = next((value for value in groups.values() if value), "").strip()
    place = re.sub(
        r"^(?:在|是|the )|(?:那边|那里|当地|现在|时间|right now|now)$", "", place
    ).strip()
    if not place or place in _HERE:
        return {}
    if groups.get("known") and resolve_zone(place) is None:
        return None
    return {"zone": place}


def _number(groups: Mapping[str, str | None]) -> Arguments:
    text = (groups.get("n") or groups.get("m") or "").lower()
    if not text:
        return {}
    return {"n": _DIGITS[text] if text in _DIGITS else max(1, min(20, int(text)))}


def _words(groups: Mapping[str, str | None]) -> Arguments:
    words = next((value for value in groups.values() if value), "")
    return {"query": words.strip().strip("\"“”'‘’「」`").strip()}


_PLACE_ZH = r"(?P<place>[\u4e00-\u9fffA-Za-z_/+\-\d ]{1,20}?)?"
_KNOWN_ZH = r"(?P<known>[\u4e00-\u9fffA-Za-z_/+\-\d ]{1,20}?)"
_PLACE_EN = r"(?: in (?P<place>[^?,;，。]{2,40}?))?"
_KNOWN_EN = r"(?P<known>[^?,;，。]{2,40}?)"
_DOCS_EN = r"(?:documents?|docs?|files?|uploads?)"
_DOCS_ZH = r"(?:文档|文件|资料|文章)"
_HERE_ZH = (
    r"(?:(?:这个|本|当前)?(?:知识库|频道|群|库)|这里|这儿|你|你们|我们|现在|目前|一共|总共"
    r"|里面|里|中|上|共|knowledge base|kb)"
)
_HERE_EN = (
    r"(?: (?:are|do|does|have|has|there|you|we|i|it|in|is|stored|indexed|here|now|currently|know"
    r"|available|the|this|your|our|knowledge|base|kb|channel|got|uploaded))*"
)

TOOL_RULES: tuple[Rule, ...] = (
    Rule(
        "time",
        "tool",
        any_of(
            r"(?:现在|此刻|当前|目前)?(?:是)?(?:几点钟?了?|什么时间了?"
            r"|什么时候了)(?:现在)?(?:了)?",
            rf"{_PLACE_ZH}(?:的|那边|那里|当地)?(?:现在|此刻|当前|目前)(?:是)?(?:几点钟?"
            rf"|什么时间)了?",
            rf"(?:现在|此刻|当前|目前){_PLACE_ZH}(?:的|那边|那里|当地)?(?:是)?(?:几点钟?"
            rf"|什么时间)了?",
            rf"{_KNOWN_ZH}(?:的|那边|那里|当地)?(?:是)?(?:几点钟?|什么时间)了?",
            rf"(?:今天|现在|当前){_PLACE_ZH}(?:的)?(?:今天)?(?:是)?(?:几号|几月几[号日]|多少号"
            rf"|星期几|周几|礼拜几|什么日子|哪天|哪一天)"
            r"(?:了)?(?:(?:和|，|,)?(?:星期几|周几))?",
            rf"(?:查(?:一?下)?|看(?:一?下)?|报(?:一?下)?)?(?:现在"
            rf"|当前)?{_KNOWN_ZH}?(?:的)?(?:现在|当前)?(?:的)?(?:时间|日期)(?:是多少|是什么"
            rf"|是几点)?",
            rf"what(?:'s| is)? (?:the )?(?:current )?(?:local )?time(?: is it| it is"
            rf"| now)?(?: is it)?"
            rf"(?: right now| now| currently)?{_PLACE_EN}(?: right now| now)?",
            rf"(?:what(?:'s| is) )?(?:the )?(?:current |local )?(?:time|date)(?: and (?:time"
            rf"|date))?"
            rf"(?: right now| now)?(?: (?:in|at|for) {_KNOWN_EN})?(?: right now| now)?",
            rf"what (?:day|date|weekday)(?: of the week)? is (?:it|today)(?: today"
            rf"| now)?{_PLACE_EN}",
            r"what(?:'s| is) (?:today's date|the date(?: today)?|today)",
            rf"(?:what(?:'s| is) )?{_KNOWN_EN}(?:'s)? (?:local )?time(?: now)?",
            r"what time do you have|do you have the time|got the time|time now",
        ),
        zh=(
            "现在几点",
            "几点了",
            "请问现在几点了？",
            "东京现在几点",
            "现在纽约几点了？",
            "伦敦时间",
            "今天几号",
            "今天星期几",
            "现在什么时间",
            "帮我看下 Tokyo 现在几点",
            "查一下巴黎的时间",
        ),
        en=(
            "what time is it",
            "What time is it in Tokyo?",
            "what's the time?",
            "current time in New York",
            "Could you tell me the time in London please?",
            "what time is it now",
            "what day is it today?",
            "what's today's date",
            "time in 北京",
            "Paris time",
        ),
        tool="get_time",
        read=_zone,
    ),
    Rule(
        "stats",
        "tool",
        any_of(
            rf"(?:{_HERE_ZH}|有|都|已经|已)*(?:存了?|收了?|传了?)?(?:有)?(?:多少|几)(?:个|份|篇"
            rf"|条)?{_DOCS_ZH}(?:了)?(?:在{_HERE_ZH}+)?",
            r"(?:这个|本|当前)?知识库(?:里|中)?(?:现在|目前|一共|总共|到底)?(?:有)?(?:多大"
            r"|多少(?:内容|字|东西|资料)?|的?(?:统计|状态|情况|规模|概况)(?:怎么样|如何)?)",
            rf"(?:{_DOCS_ZH}|知识库)(?:的)?(?:数量|总数|个数)(?:是多少|有多少)?",
            rf"(?:从|距|离)?(?:第一|最早的?一?|首)(?:个|份|篇)的?{_DOCS_ZH}?(?:上传|入库|加入)?"
            r"(?:到|至|距|离)?(?:现在|今天|今|目前)?(?:一共|已经|有|过|已)*(?:多少|几)天了?",
            rf"how many {_DOCS_EN}{_HERE_EN}",
            r"how many days (?:is it |has it been |have passed )?since the (?:first|oldest"
            rf"|earliest) (?:one|upload|{_DOCS_EN})(?: (?:came|arrived|was (?:added"
            r"|uploaded)))?(?: in)?",
            rf"(?:what(?:'s| is) )?(?:the )?(?:number of {_DOCS_EN}|document count){_HERE_EN}",
            r"(?:what(?:'s| is| are) )?(?:the )?(?:knowledge base|kb|document)(?:'s)? (?:stats"
            r"|statistics|size|status)",
            r"how (?:big|large) is (?:the|this|your|our) (?:knowledge base|kb"
            r"|channel's knowledge)",
        ),
        zh=(
            "有多少文档",
            "知识库有多少",
            "知识库里一共有多少份文件？",
            "这个频道有几个文档",
            "你现在有多少资料",
            "知识库有多大",
            "知识库状态",
            "文档总数是多少",
            "从第一篇到现在多少天了",
        ),
        en=(
            "how many documents are there",
            "How many files do you have?",
            "how many docs are in the knowledge base?",
            "knowledge base stats",
            "how big is the knowledge base",
            "how many days since the first document",
        ),
        tool="knowledge_stats",
    ),
    Rule(
        "latest",
        "tool",
        any_of(
            rf"(?:{_HERE_ZH})*(?:最近|最新|刚才|刚刚|这几天|近期)(?:都|又)?(?:上传|添加|新增|传"
            rf"|加|更新|收到)(?:了|过|的)*"
            rf"{_COUNT_ZH}(?:哪些|什么|啥|几个|几份)?(?:新)?{_DOCS_ZH}?(?:有哪些|是什么|是哪些"
            rf"|有什么)?",
            rf"(?:列出|看看?|看一?下|查看|显示)?(?:{_HERE_ZH})*(?:最近"
            rf"|最新)的?{_COUNT_ZH}的?{_DOCS_ZH}"
            r"(?:有哪些|是什么|是哪些|是哪个|是哪份|有什么|列表)?",
            rf"(?:{_HERE_ZH})*有(?:什么|哪些|没有)?新(?:的)?{_DOCS_ZH}吗?",
            rf"(?:what(?:'s| is| are|'re) )?(?:list )?(?:the )?(?:{_COUNT} )?(?:most recent"
            rf"|newest|latest|recent|last) "
            rf"(?:(?P<m>\d{{1,2}}|five|three|ten|two) )?(?:uploaded |added )?{_DOCS_EN}(?: here"
            rf"| in this channel)?",
            rf"(?:what|which(?: {_DOCS_EN})?|what {_DOCS_EN}) (?:was|were|has been|have been"
            rf"|got)(?: \w+)? "
            r"(?:uploaded|added)(?: (?:recently|lately|last|today|this week|here))*",
            rf"(?:are there |any |what(?:'s| is) )+(?:new|recent) {_DOCS_EN}",
            r"what(?:'s| is) new(?: in the knowledge base| here)?",
        ),
        zh=(
            "最近上传了什么",
            "最新的文档有哪些",
            "最新文档",
            "列出最近的3个文件",
            "最近新增了哪些资料？",
            "有什么新文档",
        ),
        en=(
            "newest documents",
            "What are the latest files?",
            "show me the latest 3 documents",
            "what was uploaded recently",
            "which files were added lately?",
            "list the most recent uploads",
        ),
        tool="latest_documents",
        read=_number,
    ),
    Rule(
        "exact",
        "tool",
        any_of(
            r"(?:find|search(?: for)?|look for|look up|grep)(?: (?:me|for))? (?:the )?(?:exact "
            r"|literal )?"
            r"(?:string|words?|phrase|error(?: (?:string|code|message))?|term|text"
            r"|keyword)s?:? (?P<a>\S.{0,200})",
            r"(?:find|search(?: for)?|look for"
            r"|grep(?: for)?)(?: the)?(?: exact)? (?P<b>\"[^\"]{1,200}\"|“[^”]{1,200}”"
            r"|`[^`]{1,200}`)"
            r"(?: in (?:the|all|my|our|these) (?:documents|docs|files))?",
            r"grep (?P<c>\S.{0,200})",
            rf"(?:which|what) {_DOCS_EN} (?:mentions?|contains?|includes?)(?: the)?(?: (?:word"
            rf"|words|string|phrase|term))? (?P<d>\S.{{0,200}})",
            r"(?:精确|准确|逐字|原文)(?:搜索|查找|搜|查|找)(?:一下)?[:： ]?(?P<e>.{1,200})",
            r"(?:搜索|查找|搜一?下?|查一?下?|找一?下?|找出)(?:文档(?:里|中)的?)?(?:字符串|原文"
            r"|关键[词字]|字样|单词|词语?|短语|报错|错误码|错误信息)[:： ]?(?P<f>.{1,200})",
            r"(?:搜索|查找|搜一?下?|查一?下?|找一?下?|找出)[:： ]?(?P<g>\"[^\"]{1,200}\""
            r"|“[^”]{1,200}”|「[^」]{1,200}」|`[^`]{1,200}`)(?:这个词|这句话|字样)?",
            rf"(?:哪些|哪个|哪份|哪篇){_DOCS_ZH}(?:里|中)?(?:提到|出现|包含)(?:过"
            rf"|了)?(?P<h>.{{1,200}}?)(?:这个词|这句话|字样)?",
            r"(?P<i>[A-Za-z0-9_.\-]{4,80}) ?(?:在哪里|在哪儿?|哪里)(?:出现|提到)(?:过|了)?",
        ),
        zh=(
            "查找字符串 ECONNREFUSED",
            "精确搜索 不可抗力",
            "搜一下“竞业限制”",
            "哪些文档提到 ISO27001",
            "搜索关键词 违约金",
            "ECONNREFUSED 在哪里出现过",
        ),
        en=(
            "find the string ECONNREFUSED",
            'search for "force majeure"',
            "which documents mention GDPR",
            "grep E1234",
            "search for the exact phrase net 30 days",
        ),
        tool="search_documents",
        read=_words,
    ),
)
