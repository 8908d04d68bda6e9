"""Step titles and sentences of the tools that find other tools."""

TEXTS: dict[str, tuple[str, str]] = {
    "tools.look_up": ("查看工具用法：{names}", "Look up tools: {names}"),
    "tools.search": ("查找工具：{query}", "Look for tools: {query}"),
    "tools.loaded": ("已加载：{names}", "Loaded: {names}"),
    "tools.none_found": ("没有合适的工具。", "No tool fits."),
    "tools.no_such": (
        "没有名为“{names}”的工具；相近的有：{near}。",
        "There is no tool named “{names}”; near names: {near}.",
    ),
}
