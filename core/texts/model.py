"""Sentences about what a model wrote."""

TEXTS: dict[str, tuple[str, str]] = {
    "model.cut": (
        "（回答到了模型的长度上限，在此截断。）",
        "(The answer reached the model's length limit and was cut here.)",
    ),
    "model.limit.requests": (
        "这次任务的模型调用次数用完了。",
        "The number of model calls of this run is used up.",
    ),
    "model.limit.tool_calls": (
        "这次任务的工具调用次数用完了。",
        "The number of tool calls of this run is used up.",
    ),
    "model.limit.tokens": (
        "这次任务的令牌额度用完了。",
        "The tokens of this run are used up.",
    ),
    "model.limit.money": (
        "这次任务的费用额度用完了。",
        "The money for this run is used up.",
    ),
    "model.limit.time": ("这次的时间用完了。", "The time for this is used up."),
    "model.picture": (
        "[图片 {name}：你看不到图片。请在回答中说明看不到它。]",
        "[Picture {name}: you cannot see pictures. Say in your answer that you cannot see it.]",
    ),
}
