"""What is never kept: questions, what is only imagined, mockery, wishes for once, moods of a day."""

from __future__ import annotations

import re


def _words(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.I)


STANDING = _words(
    r"\b(?:always|never|from now on|going forward|from here on|in (?:the )?future|by default|every time"
    r"|whenever|as a rule|any ?more|no longer|ever again|each time|for good|permanently|all the time|every single time|ever)\b",
    r"\b(?:when|if|any ?time|whenever) (?:you|I) (?:write|answer|ask|reply|summari[sz]e|send|explain|draft|translate|review|give|show|create|make|book|schedule)",
    r"以后|今后|从今|从现在起|往后|每次|每回|一律|统一|永远|默认|总是|凡是|都要|都用|都别|别再|不要再|再也不|再也别|长期|只要我|每当",
)
"""Makes a wish one for good."""

TAG = re.compile(
    r"[,，]?\s*(?:(?<=[ ,])ok(?:ay)?|right|alright|please|got it|will you|(?<=[,，])(?:好吗|行吗|可以吗|好不好|行不行|好么|成不))\s*[?？]+\s*$",
    re.I,
)

ASKING = _words(
    r"^(?:hey |so |and |but |ok |btw |well )*(?:what|how|why|when(?! (?:i|you|we)\b)|where|who|whom|whose|which)\b(?!ever)(?!.*\b(?:always|never)\b)",
    r"^(?:hey |so |and |but |ok |btw )*(?:do|does|did|is|are|am|was|were|has|have|had|will|should|shall|may|any)\b(?!n't (?:use|ping|call|send|give|write|add|put|schedule|book))\s+(?:you|i|we|it|the|that|this|there|he|she|they|my|our|any|anyone|idea)",
    r"怎么|什么|为什么|为何|如何|多少|哪[里儿个些种位家天]|几[点个天时号]|谁|是不是|有没有|能不能|可不可以|要不要|会不会|对不对|是否|吗$|呢$",
)
POLITE = _words(
    r"^(?:hey |so |and |ok )*(?:can|could|would|will) you\b",
    r"能不能|可不可以|可以不可以|能否|麻烦",
)

IMAGINED = _words(
    r"^(?:but |and |so )*(?:if|suppose|supposing|imagine|assuming|assume|what if|let's say|say i|pretend|hypothetically|in case|unless)\b",
    r"\b(?:i wish|if i (?:were|was|had)|if only|were i|would have|in another life|one day i(?:'d| would)|as if i|hypothetically)\b",
    r"\bi(?:'d| would) (?:be|have been|move|live|never|rather be|love to be)\b",
    r"^(?:如果|假如|假设|假使|要是|万一|若是?|倘若|设想|想象|比如说?我|就当|假装|扮演)|如果我(?:是|有|在|住)|要是我(?:是|有|在)|(?:当初|早知)|恨不得",
)
MOCKING = _words(
    r"🙄|🙃|😒|\s/s\b|呵呵|\bjust kidding\b|\bjk\b|\blol\b.*\bnot\b|\byeah,? right\b|开玩笑|逗你|说笑|反话",
    r"^(?:oh|sure|yeah|wow|great|ah),? (?:great|sure|yeah|wonderful|joy|perfect|lovely|brilliant|fantastic|because|another|i (?:just )?(?:love|adore|enjoy|live for))",
    r"\b(?:so much fun|just what i (?:needed|wanted)|thanks a lot for|my favou?rite (?:thing|part|way|hobby) (?:in the world )?(?:is|to)?\s*(?:being|waiting|getting|debugging|sitting|fixing|to be|when)|best day ever|living the dream|what a (?:joy|treat|surprise))",
    r"\bi (?:just |really |absolutely |totally |simply |do )?(?:love|adore|enjoy|live for) (?:it )?(?:when|how|being (?:paged|woken|ignored|interrupted|blamed|on call)|waiting|getting (?:paged|woken)|debugging|losing|spending (?:hours|days|my)|(?:another|more|yet another|endless|all these|these|those|surprise|pointless|[\w-]*3 ?am|[\w-]*midnight|weekend) )",
    r"我?(?:可)?(?:真是|可真|真的?)?太?(?:可)?(?:喜欢|爱|热爱|享受|爱死了?)(?:半夜|凌晨|周末|天天|无休止|又|再|这种|这破|被|加班|开会到|改需求|背锅|排队|等)",
    r"(?:真是|可真是|可太)(?:太好了|棒|贴心|惊喜|谢谢|感谢)|可(?:真|太)(?:棒|好|会|贴心)|太棒了呢|好极了呢|真会挑|我谢谢你",
)
ONCE = _words(
    r"\b(?:this time|this once|just once|for once|for now|just for today|only today|for today|today only|right now|at the moment|for this (?:one|time|doc\w*|email|mail|reply|answer|message|report|task|question|post|pr|meeting|trip|week|thread|chat|conversation)|(?:in|on|with|to|make|keep|turn|put|send) this (?:doc\w*|email|mail|reply|answer|message|report|task|question|post|draft|one|file|table|paragraph|slide)|one[- ]off|temporarily|just this|only this|tonight|this morning|this afternoon|this evening|the next (?:answer|reply|one|message))\b",
    r"这次|这回|这一次|这一回|这篇|这段|这封|这份|这条|这张|这个(?:问题|任务|文档|报告|邮件|回答|表|图|文件)|本次|暂时|先这样|只这一次|就这一次|仅此一次|今天先|现在先|临时|下一条|眼下先|姑且|待会|等会|一会儿?|今晚|今早|今天(?:别|不|只|就|用|先|想|有点|好|很|太|真)",
)
REPORTED = _words(
    r"\b(?:he|she|they|someone|people|everyone|nobody|[A-Z][a-z]+|(?:my|our|the|his|her) [\w ]{2,24}?) (?:said|says|wrote|writes|told|claims?|claimed|thinks?|believes?|asked|asks|mentioned|quoted|tweeted|goes|texted|suggests?|suggested|recommends?|recommended|insists?|swears|keeps saying|wants me to)\b",
    r"\b(?:according to|quote|the (?:doc|docs|article|page|file|email|ticket|book|song|movie|report|spec|readme|policy) (?:says?|states?|claims?|reads?|mentions?))\b",
    r"(?<!我)(?:他|她|他们|她们|人家|同事|老板|领导|经理|客户|朋友|老婆|老公|妈|爸|室友|文档里?|文章里?|网上|文件里?|邮件里?|书里?|新闻|有人|大家都|小[一-龥]|老[一-龥]|[一-龥]总|[一-龥]{1,3}(?:哥|姐))(?:也|都|还|刚|又|跟我|对我|总|老|里|上)?(?:说|讲|写道|写着|写的|告诉|认为|觉得|表示|问|提到|建议|推荐|要求)",
)
ROLE_PLAY = _words(
    r"\b(?:act as|you are now|pretend|role[- ]?play|ignore (?:all|previous|the above)|system prompt)\b",
    r"扮演|角色扮演|忽略(?:以上|之前)|你现在是",
)
MOOD = _words(
    r"\bi(?:'m| am| feel)(?: (?:so|really|very|a bit|a little|kind of|just|quite|pretty|too|completely|super))* (?:tired|hungry|bored|stuck|confused|lost|sorry|sure|not sure|busy|happy|sad|angry|annoyed|excited|afraid|back|here|done|ready|late|fine|good|ok(?:ay)?|curious|wondering|glad|sick of|exhausted|sleepy|cold|hot|thirsty|dying|starving|dead|freezing|swamped|drowning|free|on it|in a (?:hurry|meeting|rush)|on (?:the|my|a) (?:phone|train|bus|plane|way|call)|at (?:the|a|lunch)|out (?:for|at|today)|(?:in|at) \w+ (?:this week|today|until tomorrow))\b",
    r"^我?(?:现在|今天|刚|这会儿|正)?(?:有点|好|很|太|真|快|超|挺)?(?:累|困|饿|烦|忙|无聊|晕|冷|热|渴|崩溃|难受|开心|高兴)(?:死|坏|疯)?(?:了|啊|呀|的)?",
    r"我(?:现在|今天|这周|这几天|今晚|明天|这会儿|刚)?(?:人)?在(?:开会|路上|外面|吃饭|高铁上|飞机上|车上|地铁上|机场|家里?等)|(?:这周|今天|明天|这几天|今晚|这两天|现在|本周|眼下|目前)我?(?:人)?(?:都)?在(?!准备|做|写|忙|研究|学|处理|负责|筹|推|搞|调研|评估|开发|重构|迁移|招|跟|住)[一-龥]{2,6}(?<!办公)(?<!工作)(?<!上班)(?<!任职)$",
    r"\bi(?:'m| am) (?:in|at) [\w ]{2,24} (?:this week|today|tonight|until tomorrow|for (?:the|a) (?:day|week|weekend)|right now|(?:now|currently) for)",
    r"^(?:this week|today|right now|currently) i(?:'m| am) (?:in|at) ",
)
DOWN = _words(
    r"\b(?:getting|got|throws?|returns? a|seeing|is|are|was|were|keeps?) (?:an? |the )?(?:\d{3}|error|timeout|timing out|down|offline|unavailable|crash\w*|broken|failing|slow|laggy)\b(?! (?:with|body|in the))",
    r"(?:又|一直|刚|老是)?(?:挂了|崩了|报错了?|超时了?|打不开|连不上|卡死了?|503|502|500)(?:了|啊)?$",
)
"""Faults that pass: of no use tomorrow, unless a cause is named beside them."""


def of_sentence(sentence: str) -> str:
    """The veto that holds for a whole sentence, or an empty text."""
    bare = TAG.sub("", sentence).strip()
    standing = bool(STANDING.search(bare))
    if ROLE_PLAY.search(bare):
        return "role"
    if MOCKING.search(bare):
        return "mocking"
    if _asks(bare, standing):
        return "question"
    if IMAGINED.search(bare) and not standing:
        return "imagined"
    if REPORTED.search(bare):
        return "reported"
    return ""


def of_clause(clause: str) -> str:
    """The veto of one clause, or an empty text."""
    if ONCE.search(clause) and not STANDING.search(clause):
        return "once"
    if MOOD.search(clause):
        return "mood"
    return ""


def _asks(bare: str, standing: bool) -> bool:
    # A wish for good may be put politely, as a question; one that asks back may not.
    if POLITE.search(bare) and standing:
        return False
    return bare.endswith(("?", "？")) or bool(ASKING.search(bare))
