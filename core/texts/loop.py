"""What the loop says when it must end without the model's own words."""

TEXTS: dict[str, tuple[str, str]] = {
    "loop.unfinished": (
        "这个问题没能完整答完：{reason}。",
        "This could not be answered to the end: {reason}.",
    ),
    "loop.reason.rounds": ("已经用完 {count} 轮", "all {count} rounds are used up"),
    "loop.reason.tool_calls": ("已经用完 {count} 次工具调用", "all {count} tool calls are used up"),
    "loop.reason.requests": (
        "已经用完 {count} 次模型调用",
        "all {count} model calls are used up",
    ),
    "loop.reason.money": ("费用到了上限", "the budget of money is used up"),
    "loop.reason.tokens": ("内容量到了上限", "the budget of text is used up"),
    "loop.reason.time": ("时间用完了", "the time is used up"),
    "loop.reason.repeats": (
        "同样的步骤反复得到同样的结果",
        "the same step kept giving the same result",
    ),
    "loop.reason.empty": ("模型没有给出答案", "the model gave no answer"),
    "loop.reason.model": ("模型中途连不上了", "the model could not be reached on the way"),
    "loop.done": ("已做：", "Done:"),
    "loop.missing": ("没做成：", "Not done:"),
    "loop.found": ("找到的原文：", "Found in the documents:"),
    "loop.nothing": ("还没有得到任何结果。", "There are no results yet."),
    "loop.give": (
        "可以把问题拆小一点，或补充具体的文件名、日期、关键词，再发一次。",
        "Please ask a smaller part, or add a file name, a date or a keyword, and send it again.",
    ),
}
