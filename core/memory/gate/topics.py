"""Attributes: which side of a person or their work a text is about, whatever its grammar."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Topic:
    """An attribute. What has one value only is superseded by another value."""

    name: str
    pattern: re.Pattern[str]
    single: bool = True
    form: bool = False
    """About how answers read."""


def _topic(name: str, *patterns: str, single: bool = True, form: bool = False) -> Topic:
    return Topic(name, re.compile("|".join(patterns), re.I), single, form)


ANSWERS = r"(?:answers?|repl(?:y|ies)|respon(?:d|ses?)|explanations?|summar(?:y|ies)|回答|回复|答案|答复|总结|解释|摘要|说话|讲话)"

TOPICS: tuple[Topic, ...] = (
    _topic(
        "answer_language",
        r"\b(?:answer|reply|respond|write|speak|talk|explain)\w*\b[^.]{0,20}\bin (?:english|chinese|mandarin|french|german|spanish|japanese)",
        r"\b(?:english|chinese) (?:only|answers?|replies)\b|\banswers? in (?:english|chinese)",
        r"(?:用|讲|说)?(?:中文|英文|英语|汉语|普通话|日语)(?:来)?(?:回答|回复|答|解释|交流|说)|(?:回答|回复|答复|沟通|交流)(?:都|要|请|时|一律|统一)?(?:用|说|讲)(?:中文|英文|英语)|术语保留",
        form=True,
    ),
    _topic(
        "answer_format",
        r"\b(?:bullets?|bullet[- ]points?|tables?|markdown|numbered|headings?|headers?|paragraphs?|prose|lists?|tl;?dr|emojis?|bold|code blocks?)\b",
        r"表格|列表|要点|分点|条目|标题|段落|markdown|表情|颜文字|加粗|结论先行|先(?:给|说|讲)结论|结构化|序号|编号",
        form=True,
    ),
    _topic(
        "answer_length",
        r"\b(?:short|shorter|brief|concise|terse|long|longer|detailed|verbose|succinct|to the point|in depth|thorough|one[- ]liners?)\b(?=.*ANS)|(?:ANS).*\b(?:short|brief|concise|terse|long|detailed|verbose|succinct|thorough)\b|\bbe (?:brief|concise|short|terse)\b|keep it (?:short|brief)".replace(
            "ANS", ANSWERS
        ),
        r"简短|简洁|精简|详细|啰嗦|啰唆|长篇|言简意赅|短一点|少废话|别废话|不要废话|字以内",
        form=True,
    ),
    _topic(
        "tone",
        r"\b(?:tone|formal|informal|casual|friendly|polite|jargon|plain (?:english|language)|simple words|layman)\b",
        r"口语|书面|语气|正式|随意|客气|大白话|术语|通俗|官腔|敬语|幽默|严肃",
        form=True,
    ),
    _topic(
        "sources",
        r"\banswers? with (?:sources?|citations?|links?|examples?)|\b(?:cite|include|give|add|with) (?:your |the |me )?(?:sources?|citations?|references?)\b",
        r"(?:附|带|给|标|注明)(?:上)?(?:来源|出处|引用|链接)",
        form=True,
    ),
    _topic(
        "address",
        r"\bcall me\b|\baddress me\b|\brefer to me\b",
        r"叫我|称呼我|喊我|管我叫|称呼用户",
    ),
    _topic(
        "name",
        r"\bmy name(?:'s| is)\b|^name\b|\bi'?m [A-Z][a-z]+(?=$|[ ,.]*(?:from|and|the|a)\b)",
        r"我叫|我的?名字|^姓名|^名字",
    ),
    _topic("pronouns", r"\bpronouns?\b", r"代词"),
    _topic(
        "time_zone",
        r"\btime ?zone\b|\b(?:UTC|GMT)\s?[+-]\s?\d",
        r"时区|东[一二三四五六七八九十]+区",
    ),
    _topic("birthday", r"\bbirthday\b|\bborn (?:on|in)\b", r"生日|出生"),
    _topic("mail", r"\be-?mail(?: address)?\b", r"邮箱"),
    _topic("phone", r"\bphone\b", r"手机号|电话"),
    _topic(
        "office",
        r"\b(?:office|workplace|desk)\b|\bwork(?:s|ing)? (?:from|out of)\b|\bbased (?:in|out of)\b",
        r"办公|工位|上班|base",
    ),
    _topic(
        "city",
        r"\b(?:live|lives|living|moved|moving|relocat\w+|home(?: is| town)?|reside\w*|settled) ?(?:in|to|at)?\b|\bmy (?:home |postal |street )?address\b",
        r"住|家在|搬到|搬去|搬家|定居|老家|地址",
    ),
    _topic(
        "allergy",
        r"\ballerg(?:y|ic|ies)\b|\bintoleran\w+\b|\bceliac\b|\bcoeliac\b",
        r"过敏|不耐",
        single=False,
    ),
    _topic(
        "diet",
        r"\b(?:vegetarian|vegan|meat|pork|beef|halal|kosher|pescatarian|gluten|dairy|diet|keto)\b",
        r"素食|吃素|荤|忌口|清真|猪肉|牛肉|不吃辣|吃辣|减脂|无糖",
    ),
    _topic(
        "role",
        r"\b(?:engineer|developer|designer|manager|analyst|scientist|lead|head of|director|nurse|teacher|lawyer|student|intern|consultant|accountant|architect|researcher|recruiter|writer|editor in chief|founder|c[etfo]o|vp|team)\b",
        r"工程师|经理|设计师|组长|负责人|主管|总监|法务|财务|运营|实习生|医生|律师|老师|学生|分析师|架构师|产品|团队|部门|前端|后端|测试",
    ),
    _topic(
        "drink",
        r"\b(?:coffee|tea|espresso|latte|americano|cappuccino|matcha|decaf|dark roast|cola|juice|beer|wine)\b",
        r"咖啡|喝茶|茶|美式|拿铁|奶茶|可乐|啤酒|豆浆",
    ),
    _topic(
        "editor",
        r"\b(?:vim|neovim|emacs|helix|vs ?code|vscode|sublime|intellij|pycharm|zed|nano|cursor|jetbrains|editor|ide)\b",
        r"编辑器",
    ),
    _topic("system", r"\b(?:linux|ubuntu|macos|windows|fedora|arch|debian|macbook|thinkpad)\b"),
    _topic("indent", r"\b(?:tabs|spaces|indent\w*)\b", r"缩进"),
    _topic(
        "theme",
        r"\b(?:dark|light) (?:mode|theme)\b",
        r"(?:深色|浅色|暗色|亮色|黑夜|夜间)(?:模式|主题)?",
    ),
    _topic(
        "units",
        r"\b(?:metric|imperial|celsius|fahrenheit|kilomet\w+|miles|km)\b",
        r"公制|英制|摄氏|华氏|公里",
    ),
    _topic("currency", r"\b(?:in (?:euros?|dollars?|usd|eur|rmb|cny))\b", r"人民币|美元|欧元"),
    _topic(
        "date_format",
        r"\b(?:YYYY|ISO dates?|date format|24[- ]?h(?:our)?|12[- ]?h(?:our)?)\b",
        r"日期格式|24 ?小时制|12 ?小时制",
    ),
    _topic("seat", r"\b(?:aisle|window) seats?\b|\bseats?\b", r"靠窗|靠过道|座位"),
    _topic(
        "contact_time",
        r"\b(?:ping|call|message|disturb|meetings?|schedul\w+|book)\b.{0,30}\b(?:before|after|between|on)\b",
        r"(?:点|午)(?:之?前|之?后|以前|以后)[^，。]{0,8}(?:别|不要|勿|不)|(?:别|不要|勿)[^，。]{0,10}(?:点|午)(?:之?前|之?后|以前|以后)",
    ),
    _topic("shell", r"\b(?:bash|zsh|fish|powershell)\b"),
    _topic("database", r"\b(?:postgres\w*|mysql|sqlite|mongo\w*|oracle db)\b"),
    _topic(
        "cuisine",
        r"\b(?:chinese|thai|indian|italian|japanese|korean|mexican|french|spicy) food\b|\bspicy\b|\bsushi\b|\bpizza\b|\bcilantro\b|\bcoriander\b",
        r"川菜|粤菜|湘菜|日料|火锅|西餐|中餐|辣|香菜|葱|蒜",
        single=False,
    ),
    _topic(
        "language",
        r"\b(?:python|golang|rust|java|kotlin|typescript|javascript|c\+\+|ruby|scala|write go|use go)\b",
        single=False,
    ),
    _topic("package_manager", r"\b(?:npm|pnpm|yarn|pip|poetry|uv|conda)\b"),
)

FORMS = frozenset(topic.name for topic in TOPICS if topic.form)
SINGLE = frozenset(topic.name for topic in TOPICS if topic.single)


def topics_of(text: str) -> tuple[str, ...]:
    """Attributes that a text is about, the most telling first."""
    return tuple(topic.name for topic in TOPICS if topic.pattern.search(text))


_VALUES: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "city",
        re.compile(
            r"\b(?:live|lives|living|moved|relocated|settled)(?: over| back)? (?:in|to) (?P<v>[A-Z][\w'-]+(?: [A-Z][\w'-]+){0,2})(?! (?:office|team|branch))"
            r"|(?:住在?|家在|搬到|搬去|定居在?)了?(?P<z>[一-龥]{2,6}?)(?=$|[了，。、 ]|市|附近|这边)"
        ),
    ),
    (
        "office",
        re.compile(
            r"\b(?:based in|work from|the) (?P<v>[A-Z][\w'-]+(?: [A-Z][\w'-]+)?)(?= office|$|[.,])"
            r"|(?:办公室在|在(?=[一-龥]{2,4}办公))(?P<z>[一-龥]{2,4}?)(?=$|办公|[，。 ])"
        ),
    ),
    ("time_zone", re.compile(r"(?P<v>(?:UTC|GMT)\s?[+-]\s?\d{1,2}(?::\d\d)?)(?P<z>)")),
    (
        "name",
        re.compile(
            r"\bmy name(?:'s| is) (?P<v>[A-Z][\w'-]+(?: [A-Z][\w'-]+)?)|我叫(?P<z>[一-龥]{2,4}?)(?=$|[，。 ])"
        ),
    ),
)


def value_of(text: str) -> tuple[str, str]:
    """Attribute and bare value of a text where both can be told; else two empty texts."""
    for name, pattern in _VALUES:
        found = pattern.search(text)
        if found and (value := found["v"] or found["z"]):
            return name, value
    return "", ""
