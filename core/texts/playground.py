"""Sentences of the practice workspace; those of its page are in `page/texts.js`."""

TEXTS: dict[str, tuple[str, str]] = {
    "playground.port_taken": (
        "端口 {port} 已被占用；请用 --port 换一个，或用 --port 0 自动选择。",
        "Port {port} is taken; choose another with --port, or --port 0 for any free one.",
    ),
    "playground.folder_taken": (
        "{folder} 里已有一个练习工作区在运行；请先结束它，或用 THREADMATE_DATA 换一个文件夹。",
        "A practice workspace already runs on {folder}; end it, or set another THREADMATE_DATA.",
    ),
}
