"""Sentences about steps that tools are."""

TEXTS: dict[str, tuple[str, str]] = {
    "execute.unknown_tool": ("没有名为 {name} 的工具", "There is no tool called {name}"),
    "execute.unreadable": (
        "参数不完整，工具 {name} 没有执行",
        "The arguments are incomplete; {name} did not run",
    ),
    "execute.arguments": (
        "参数不对，工具 {name} 没有执行：{fields}",
        "The arguments do not fit; {name} did not run: {fields}",
    ),
    "execute.timed_out": (
        "工具 {name} 超过 {seconds} 秒没有完成",
        "{name} did not finish within {seconds} seconds",
    ),
    "execute.broken": (
        "工具 {name} 出错了，详情在日志里",
        "{name} broke; the log has the details",
    ),
    "execute.not_loaded": (
        "工具 {name} 还没有加载，现在加载",
        "{name} was not loaded yet; it is now",
    ),
    "execute.used_up": (
        "工具调用次数已用完，{name} 没有执行",
        "The tool calls of this run are used up; {name} did not run",
    ),
    "execute.declined": (
        "没有得到同意，{name} 没有执行",
        "It was not allowed; {name} did not run",
    ),
    "execute.unknown_outcome": (
        "工具 {name} 执行时被中断，不确定是否已经生效，没有再次执行；请先确认结果",
        "{name} was interrupted while it ran; it may have taken effect and was not run again."
        " Please check before trying once more",
    ),
}
