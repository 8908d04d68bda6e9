"""Sentences about quotas, and about answers that were given before."""

TEXTS: dict[str, tuple[str, str]] = {
    "quota.whose.person": ("你今天的额度", "your quota for today"),
    "quota.whose.channel": ("这个频道今天的额度", "this channel's quota for today"),
    "quota.whose.workspace": ("这个工作区今天的额度", "this workspace's quota for today"),
    "quota.cheap": (
        "{whose}已用到八成，从现在起由较省的模型回答；{time} 恢复。",
        "80 % of {whose} is used: a cheaper model answers from here on, until {time}.",
    ),
    "quota.cache_only": (
        "{whose}快用完了，从现在起只用已有的回答和文档原文；{time} 恢复。",
        "95 % of {whose} is used: from here on there are earlier answers and quotes from the"
        " documents only, until {time}.",
    ),
    "quota.refused": (
        "抱歉，{whose}用完了，{time} 恢复。急用的话请找管理员调高（`/settings quota`）。",
        "Sorry, {whose} is used up; it is renewed on {time}. If it is urgent, an admin can raise it"
        " (`/settings quota`).",
    ),
    "cache.from": (
        "这是 {date} 的回答，依据 {documents}，文档之后没有变过。",
        "Answered on {date} from {documents}; the documents have not changed since.",
    ),
}
