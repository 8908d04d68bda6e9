"""Rules of the router for small talk and for conditions."""

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
        r"否则|不然的话|不足(?:的话|时|就|则|再|，)|(?:查|找|搜)不到.{0,20}?(?:就|的话|则|再)"
        r"|没有的话[，,]?(?:就|再|则)",
        r"\bif\b.{1,120}?\bthen\b|\bunless\b|\botherwise\b|\bor else\b|\bif (?:not"
        r"|there (?:is|are) no(?:ne)?)\b",
        # What follows the comma of a question is the question; here it is an order.
        r"(?:^|[,;.] ?|\band |\bbut )if\b[^,?]{1,120}?, (?!(?:what|who|whom|whose|how|when|where"
        r"|which|why|is|are|am|was|were|do|does|did|can|could|will|would|may|must|should|has|have"
        r")\b)[^?]*$",
        r"^(?:top up|recharge|send|remind|notify|warn|alert|book|order|buy|cancel|pay|renew)\b"
        r"[^?]{1,120}\bif\b[^?]*$",
        r"(?:不足|不够|不到|低于|少于|小于|超过|高于|多于|大于)[^，,。?？]{0,16}?(?:的话|就|则|再)"
        r"(?!.*(?:吗|呢|怎么|怎样|如何|什么|多少|几[天个次点号]|是否))",
    ),
    zh=(
        "如果北京下雨就提醒我带伞",
        "查一下年假余额，不足的话就按事假算",
        "找报销规定，找不到就列出最新文档",
        "要是政策里没写，那么告诉我该问谁",
        "年假够的话直接休，否则走调休",
        "查皮卡的余额，低于 100 就充值 50",
    ),
    en=(
        "if the policy covers it then tell me the limit",
        "list the owners unless the document is a draft",
        "look for the VPN guide, otherwise show the newest documents",
        "Check the handbook; if there is no rule, say who decides",
        "Check Pika's balance, and if it is under 100, top up 50",
        "top up Pika's account by 50 if the balance is under 100",
    ),
    whole=False,
)
