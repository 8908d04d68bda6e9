"""Rules of the router for orders: reports, research, several wishes at once, writing."""

from __future__ import annotations

from core.router.rule import Rule, any_of

_BEGIN_ZH = r"(?:^|[,，。;；:：]|然后|接着|最后|先|再|并|帮我|请你?|给我|替我|麻烦你?)"
"""Orders begin with their verb; a question may hold the same words further in."""
_WRITE_ZH = r"(?:写|撰写|起草|编写|生成|总结|汇总|归纳|保存|整理|存)"
_PAPER_ZH = r"(?:报告|文档|方案|周报|月报|日报|纪要|策划案|计划书|说明书|手册|总结|report|doc|plan)"
_NO_QUESTION_ZH = (
    r"(?!.*(?:[?？吗呢]|怎么写|如何写|谁写的?|在哪(?:里|儿)?|哪里|多少|有哪些|是什么)\s*$)"
)
_BEGIN_EN = r"(?:^|\bplease |\byou |[.,;:] ?(?:and )?(?:then )?|\band (?:then )?|\bthen )"
_WRITE_EN = (
    r"(?:write|generate|create|draft|prepare|summari[sz]e|save|produce|compile|put together|make)"
)
_PAPER_EN = (
    r"(?:reports?|documents?|docs?|plans?|proposals?|write-?ups?|memos?|minutes|briefs?|summary)"
)

REPORT = Rule(
    "report",
    "react",
    any_of(
        rf"^{_NO_QUESTION_ZH}.*?{_BEGIN_ZH}(?:(?:把|将).{{1,120}}?)?{_WRITE_ZH}"
        rf"(?!了|过|的).{{0,60}}?{_PAPER_ZH}",
        rf"{_BEGIN_EN}{_WRITE_EN}\b(?!.*\?\s*$).{{0,100}}?\b{_PAPER_EN}\b",
    ),
    zh=(
        "写一份关于 K8s 网络的报告",
        "生成一份入职培训方案",
        "帮我总结这些文档",
        "把今天的讨论整理成会议纪要",
        "请起草一个上线方案",
        "把结论保存成文档",
    ),
    en=(
        "write a report about our refund policy",
        "Generate a rollout plan for the new VPN",
        "summarize these documents",
        "please prepare a short document on onboarding",
        "save this as a document",
    ),
    whole=False,
)
RESEARCH = Rule(
    "research",
    "react",
    any_of(
        rf"{_BEGIN_ZH}(?:深入|详细|全面|系统)?地?(?:调研|研究)"
        r"(?!院|所|生|员|中心|报告|结果|室|经费|部|人员|团队|组|了|过|的)",
        rf"{_BEGIN_ZH}做(?:一个|一份|一次|一下|个|份|些|点)?.{{0,40}}?的?(?:调研|研究)$",
        rf"{_BEGIN_EN}(?:do |conduct )?(?:some |a bit of |a |more |deep |in-depth )*research\b"
        r"(?! (?:team|group|paper|budget|institute|department|and development|lab|grants?|fund"
        r"|policy|center|centre|assistants?)\b)",
    ),
    zh=(
        "调研一下 K8s service 的几种类型",
        "帮我研究一下竞品的定价",
        "做一个关于向量数据库的调研",
        "请深入调研国内的电子签名服务",
    ),
    en=(
        "research the types of Kubernetes services",
        "Please do some research on vector databases",
        "can you research our competitors",
    ),
    whole=False,
)
COMPOUND = Rule(
    "compound",
    "react",
    any_of(
        r"(?:^|[,，。;；]|先|帮我|请)(?:查|搜|找|看一?下|看完|读一?下|读完|总结|分析).{1,60}?"
        r"(?:然后|接着|之后|再|并且|最后|顺便|同时|并(?=写|生成|整理|发|列|翻译)).{0,20}?"
        r"(?:写|生成|整理|发|汇总|做成?|列|画|翻译|比较|对比|告诉|算|查)",
        r"查.{0,20}(?:天气|时间|汇率|日程).{0,10}(?:和|跟|以及|还有).{0,10}(?:天气|时间|汇率"
        r"|日程)",
        r"^(?:查|看)?(?:一?下)?[\u4e00-\u9fff]{2,6}(?:和|跟|与|、)[\u4e00-\u9fff]{2,6}"
        r"(?:今天|明天|后天)?的?天气",
        r"(?:^|[.,;:!] |please |you )(?:find|search|look up|check|read|collect|compare"
        r"|summari[sz]e|get)\b.{1,120}?"
        r"\b(?:and|then|and then)\b (?:then )?(?:also )?"
        r"(?:write|create|draft|make|prepare|send|email|mail|compile|produce|translate|compare"
        r"|compute|list|tell)\b",
        r"\b(?:weather|time)\b.{0,20}\band\b.{0,20}\b(?:weather|time)\b",
        r"\bweather\b.{0,12}\b(?:in|for) [A-Z][\w .'\-]{1,30} and (?:in )?[A-Z]",
    ),
    zh=(
        "查天气和时间",
        "总结这三份合同，再做成表格",
        "先找请假制度，最后整理成要点发给我",
        "我明天去北京旅游,查天气并发我邮箱",
        "北京和上海明天的天气",
    ),
    en=(
        "Find the leave policy, then draft a reply to Ann",
        "what's the weather and the time in Paris",
        "check the refund rules and email them to me",
        "weather in Paris and London",
    ),
    whole=False,
)
CREATE = Rule(
    "create",
    "loop",
    any_of(
        r"(?:^|[,，。;；])(?:帮我|请|给我|替我)*(?:写|起草|撰写|创作|编写|改写|润色|翻译|翻成|生成|画)(?:一"
        r"|个|份|篇|首|封|段|下|成|为|这|以下|：|:)",
        r"(?:^|[,，。;；])(?:帮我|请)*(?:把|将).{1,200}?(?:翻译|翻成|改写|润色|改成|写成)",
        r"(?:^|\bplease |\byou )\s*(?:write|draft|compose|translate|rewrite|rephrase|generate"
        r"|create|invent"
        r"|paraphrase|proofread)\b",
    ),
    zh=("写一首关于春天的诗", "把这句话翻译成英文：你好", "帮我起草一封道歉邮件"),
    en=(
        "write a poem about spring",
        "Translate this into Chinese: good luck",
        "please draft an email to HR",
    ),
    whole=False,
)
