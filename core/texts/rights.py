"""Sentences about who may do what."""

TEXTS: dict[str, tuple[str, str]] = {
    "rights.refused.chat": (
        "这里的提问只开放给：{people}。需要的话请找他们。",
        "Asking here is for {people}. Please turn to them.",
    ),
    "rights.refused.tools": (
        "这里只有这些人能让我做会改变东西的事：{people}。",
        "Only {people} may have me change things here.",
    ),
    "rights.refused.ingest": (
        "这里只有这些人能加入文档：{people}。这些文件没有读取。",
        "Only {people} may add documents here. These files were not read.",
    ),
    "rights.refused.admin": (
        "只有管理员能改这里的设置：{people}。",
        "Only an admin changes settings here: {people}.",
    ),
    "rights.nobody": (
        "目前没有人（请部署者查看 threadmate.toml）",
        "nobody at present (see threadmate.toml)",
    ),
    "rights.right.chat": ("提问", "ask"),
    "rights.right.tools": ("让我改变东西", "have me change things"),
    "rights.right.ingest": ("加入文档", "add documents"),
    "rights.right.approve": ("批准执行", "approve"),
    "rights.right.admin": ("管理", "admin"),
    "rights.everybody": ("所有人", "everybody"),
    "rights.asker": ("提问的人", "the asker"),
    "rights.head": ("这里谁可以做什么：", "Who may do what here:"),
    "rights.admins_may": (
        "管理员可以做以上全部。修改在 `threadmate.toml` 的 `[rights]`。",
        "Admins may do all of it. Changed in `threadmate.toml`, `[rights]`.",
    ),
}
