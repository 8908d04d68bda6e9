"""Sentences of the chat commands."""

TEXTS: dict[str, tuple[str, str]] = {
    "command.help": (
        "**提问**：@我并写上问题，或私信我；在我回过的讨论串里可以直接追问。\n"
        "**加文档**：把文件拖进频道，我读完会给回执；回答会标出处和页码。\n\n"
        "- `/ask 问题`：可在开头加 `mode: rag`、`tools: get_time`、`kb: 名称`\n"
        "- `/kb list`：这里有哪些文档\n"
        "- `/kb search 词语`：在文档里找\n"
        "- `/kb delete 文件名`：移除自己上传的文档\n"
        "- `停`：停止正在进行的回答\n"
        "- 在讨论串里用 `!ask`、`!kb list`、`!帮助`；中文也行：`!知识库 列表`",
        "**Ask**: mention me with a question, or write me directly; in a thread I answered in, "
        "just go on.\n"
        "**Add documents**: drop files into the channel; you get a receipt, and answers name "
        "their page.\n\n"
        "- `/ask QUESTION`: may begin with `mode: rag`, `tools: get_time`, `kb: NAME`\n"
        "- `/kb list`: the documents here\n"
        "- `/kb search WORDS`: look them through\n"
        "- `/kb delete NAME`: remove a document of yours\n"
        "- `stop`: end the answer under way\n"
        "- Inside threads: `!ask`, `!kb list`, `!help`",
    ),
    "command.unknown": (
        "没有“{word}”这个命令；可以用：ask、kb、stop、help。",
        "There is no command “{word}”; there are ask, kb, stop and help.",
    ),
    "command.ask_what": (
        "想问什么？例如：`/ask 年假有几天`。",
        "What is the question? For example: `/ask how many days of leave are there`.",
    ),
    "command.pick_empty": (
        "`{pick}:` 后面要写上值，例如 `{pick}: {example}`。",
        "`{pick}:` needs a value, for example `{pick}: {example}`.",
    ),
    "command.pick_unknown": (
        "`{pick}:` 没有“{value}”；可以用：{known}。",
        "`{pick}:` knows no “{value}”; there are {known}.",
    ),
    "command.nothing_to_stop": (
        "这个讨论串里没有正在进行的回答。",
        "No answer is under way in this thread.",
    ),
    "command.kb_use": (
        "`kb` 后面可以是：`list`（列表）、`search 词语`（搜索）、`delete 文件名`（删除）。",
        "After `kb` comes `list`, `search WORDS` or `delete NAME`.",
    ),
    "command.search_what": (
        "要找什么？例如：`/kb search 年假`。",
        "Search for what? For example: `/kb search annual leave`.",
    ),
    "command.delete_what": (
        "要移除哪个文档？例如：`/kb delete 请假制度.pdf`；`/kb list` 可以看到名称。",
        "Remove which document? For example: `/kb delete policy.pdf`; `/kb list` shows the names.",
    ),
    "command.list_empty": (
        "这里还没有文档。把文件拖进这个频道就可以了。",
        "There are no documents here yet. Drop a file into this channel.",
    ),
    "command.list_head": ("{documents}，时间按 {zone}：", "{documents}; times are {zone}:"),
    "command.list_columns": (
        "文档|页|段|加入",
        "Document|Pages|Passages|Added",
    ),
    "command.list_more": (
        "更早的 {documents}没有列出；用 `/kb search` 查找。",
        "Not listed: {documents} from before; `/kb search` finds them.",
    ),
    "command.found": ("“{query}”找到 {places}：", "“{query}”, {places}:"),
    "command.found_none": (
        "这里的文档里没有找到“{query}”。换个词试试，或用 `/kb list` 看看有哪些文档。",
        "Nothing about “{query}” in the documents here. Try other words; `/kb list` shows the "
        "documents.",
    ),
    "command.removed": (
        "已移除“{name}”（{counts}）。之后的回答不会再用到它。",
        "Removed “{name}” ({counts}). Answers will no longer use it.",
    ),
    "command.not_found": (
        "这里没有叫“{name}”的文档。`/kb list` 可以看到名称。",
        "There is no document “{name}” here. `/kb list` shows the names.",
    ),
    "command.not_found_near": (
        "这里没有叫“{name}”的文档。是不是：{near}？",
        "There is no document “{name}” here. Did you mean {near}?",
    ),
    "command.gone": (
        "这个文档已经不在这里了。",
        "This document is not here any more.",
    ),
    "command.not_yours": (
        "“{name}”是别人上传的，只有上传者或管理员可以移除。",
        "“{name}” was uploaded by someone else; only they or an admin may remove it.",
    ),
    "command.which": (
        "有 {count} 个文档叫“{name}”，请加上编号，例如 `/kb delete {name} 1`：",
        "{count} documents are called “{name}”; add a number, as in `/kb delete {name} 1`:",
    ),
    "command.state.ready": ("可用", "ready"),
    "command.state.partial": ("部分可用", "partial"),
    "command.state.needs_ocr": ("扫描件，需 OCR", "scanned, needs OCR"),
    "command.state.encrypted": ("有密码", "password"),
    "command.state.unsupported": ("格式不支持", "format not read"),
    "command.state.empty": ("没有文字", "no text"),
    "command.state.corrupt": ("已损坏", "damaged"),
    "command.state.failed": ("没有读成", "not read"),
}
