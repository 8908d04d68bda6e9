"""Rules of the router that need no tool: small talk, conditions, compound and creative work."""

from __future__ import annotations

from core.router.rule import Rule, any_of

SMALL_TALK = Rule(
    "smalltalk",
    "chat",
    any_of(
        r"(?:你好|您好|嗨|哈喽|早上好|早安|早|中午好|下午好|晚上好|晚安|在吗|在不在|大家好|hi"
        r"|hello|hey"
        r"|hi there|hello there|hey there|yo|good (?:morning|afternoon|evening|night)"
        r"|morning)",
        r"(?:好的|好|行|可以|收到|明白了?|知道了|了解|嗯+|哦|ok(?:ay)?|got it|cool|great|nice"
        r"|sure|yes|no"
        r"|sounds good|understood|perfect)",
        r"(?:谢谢(?:你|您|啦|了)?|多谢|感谢|辛苦了?|太好了|真棒|不错|厉害"
        r"|thanks?(?: you)?(?: (?:so|very) much"
        r"| a lot)?|thx|ty|well done|good (?:job|bot)|nice work)",
        r"(?:再见|拜拜|回见|明天见|bye(?: ?bye)?|goodbye|see you(?: later)?|see ya)",
        r"(?:你是谁|你是什么|你叫什么(?:名字)?|介绍一下(?:你)?自己|自我介绍(?:一下)?"
        r"|你是机器人吗?|你是人吗?"
        r"|who are you|what are you|what(?:'s| is) your name|introduce yourself"
        r"|are you (?:a )?(?:bot|human|robot))",
        r"(?:你会(?:做|干)?什么|你能(?:做|干|帮我做?)?(?:什么|些什么|哪些事)|你有什么(?:用"
        r"|功能|本事)|怎么用你?|怎么使用你?"
        r"|what can you do(?: for me)?|how can you help(?: me)?|what do you do"
        r"|how do you work"
        r"|how do i use you)",
        r"(?:你好吗|最近(?:怎么样|好吗)|how are you(?: doing)?(?: today)?|how(?:'s"
        r"| is) it going|what(?:'s| is) up)",
    ),
    zh=(
        "你好",
        "谢谢！",
        "你是谁？",
        "你能做什么",
        "早上好呀",
        "收到",
        "辛苦了",
        "再见",
        "你会做什么呢？",
    ),
    en=("hi", "Hello there!", "thanks a lot", "who are you?", "What can you do?", "ok", "bye"),
)
CONDITION = Rule(
    "condition",
    "loop",
    any_of(
        r"(?:如果|若是|若|假如|要是|倘若|一旦).{1,80}?(?:就|则|那么|的话[，,])",
        r"否则|不然的话|不足(?:的话|时|就|则|再|，)|(?:查|找|搜)不到(?:就|的话|则|再)"
        r"|没有的话[，,]?(?:就|再|则)",
        r"\bif\b.{1,120}?\bthen\b|\bunless\b|\botherwise\b|\bor else\b|\bif (?:not"
        r"|there (?:is|are) no(?:ne)?)\b",
    ),
    zh=(
        "如果北京下雨就提醒我带伞",
        "查一下年假余额，不足的话就按事假算",
        "找报销规定，找不到就列出最新文档",
        "要是政策里没写，那么告诉我该问谁",
        "年假够的话直接休，否则走调休",
    ),
    en=(
        "if the policy covers it then tell me the limit",
        "list the owners unless the document is a draft",
        "look for the VPN guide, otherwise show the newest documents",
        "Check the handbook; if there is no rule, say who decides",
    ),
    whole=False,
)
COMPOUND = Rule(
    "compound",
    "loop",
    any_of(
        # Orders begin with their verb; a question may hold the same words further in.
        r"(?:^|[,，。;；]|先|帮我|请)(?:查|搜|找|看一?下|看完|读一?下|读完|总结|research|分析).{1,60}?"
        r"(?:然后|接着|之后|再|并且|最后|顺便|同时|并(?=写|生成|整理|发|列|翻译)).{0,20}?"
        r"(?:写|生成|整理|发|汇总|做成?|列|画|翻译|比较|对比|告诉|算|查)",
        r"查.{0,20}(?:天气|时间|汇率|日程).{0,10}(?:和|跟|以及|还有).{0,10}(?:天气|时间|汇率"
        r"|日程)",
        r"(?:^|[.,;:!] )(?:research|find|search|look up|check|read|collect|compare|summari[sz]e"
        r"|get)\b.{1,120}?"
        r"\b(?:and|then|and then)\b (?:then )?(?:also )?"
        r"(?:write|create|draft|make|prepare|send|compile|produce|translate|compare|compute"
        r"|list|tell)\b",
        r"\b(?:weather|time)\b.{0,20}\band\b.{0,20}\b(?:weather|time)\b",
    ),
    zh=(
        "查天气和时间",
        "查一下竞品资料然后写一份报告",
        "总结这三份合同，再做成表格",
        "先找请假制度，最后整理成要点发给我",
    ),
    en=(
        "research the competitors and write a report",
        "Find the leave policy, then draft a reply to Ann",
        "what's the weather and the time in Paris",
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
