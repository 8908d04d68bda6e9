"""Sentences of the chat commands."""

TEXTS: dict[str, tuple[str, str]] = {
    "command.help": (
        "**提问**：@我并写上问题，或私信我；在我回过的讨论串里可以直接追问。\n"
        "**加文档**：把文件拖进频道，我读完会给回执；回答会标出处和页码。\n"
        "**找同事**：写上 `@researcher` 这样的名字，由那位来答，之后这个讨论串也由那位接。\n\n"
        "- `/ask 问题`：可在开头加 `mode: rag`、`tools: get_time`、`kb: 名称`、`teammate: writer`\n"
        "- `/kb list`：这里有哪些文档；`/kb search 词语` 在文档里找\n"
        "- `/kb delete 文件名`：移除自己上传的文档\n"
        "- `/teammate`：有哪些同事；`use 名字` 换人，`show 名字` 看介绍\n"
        "- `/memory`：记得你的哪些事，只有你看得到；`forget 2` 忘掉第二条\n"
        "- `/settings`：设置、权限、额度；`停`：停止正在进行的回答\n"
        "- 在讨论串里用 `!ask`、`!kb list`、`!帮助`；中文也行：`!知识库 列表`",
        "**Ask**: mention me with a question, or write me directly; in a thread I answered in, "
        "just go on.\n"
        "**Add documents**: drop files into the channel; you get a receipt, and answers name "
        "their page.\n"
        "**Pick a teammate**: write a name such as `@researcher`; it answers, and goes on in that "
        "thread.\n\n"
        "- `/ask QUESTION`: may begin with `mode: rag`, `tools: get_time`, `kb: NAME`, "
        "`teammate: writer`\n"
        "- `/kb list`: the documents here; `/kb search WORDS` looks them through\n"
        "- `/kb delete NAME`: remove a document of yours\n"
        "- `/teammate`: who is there; `use NAME` hands the thread over, `show NAME` tells more\n"
        "- `/memory`: what is remembered of you, for your eyes only; `forget 2` drops one\n"
        "- `/settings`: what holds, `rights`, `quota`; `stop`: end the answer under way\n"
        "- Inside threads: `!ask`, `!kb list`, `!help`",
    ),
    "command.unknown": (
        "没有“{word}”这个命令；可以用：ask、kb、teammate、memory、settings、stop、help。",
        "There is no command “{word}”; there are ask, kb, teammate, memory, settings, stop and "
        "help.",
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
    "command.team_empty": (
        "这里没有别的同事，只有我。",
        "There is nobody else here; it is only me.",
    ),
    "command.team_here": ("现在由我答", "answers here"),
    "command.team_how": (
        "用法：在问题里写 `@名字`，或 `/teammate use 名字`（讨论串里用 `!同事 换 名字`）。",
        "Write `@name` in a question, or `/teammate use NAME` (inside threads `!teammate use "
        "NAME`).",
    ),
    "command.team_whom": (
        "换成谁？例如：`/teammate use writer`；`/teammate` 可以看到有谁。",
        "Hand over to whom? For example: `/teammate use writer`; `/teammate` shows who is there.",
    ),
    "command.team_used": (
        "好，从现在起由 {name} 在这个讨论串里回答。",
        "From here on {name} answers in this thread.",
    ),
    "command.team_default": (
        "好，这个讨论串又由我来回答。",
        "I answer in this thread again.",
    ),
    "command.team_tools": ("工具：{value}", "Tools: {value}"),
    "command.team_knowledge": ("知识库：{value}", "Knowledge: {value}"),
    "command.team_model": ("模型：{value}", "Model: {value}"),
    "command.team_style": ("风格：{value}", "Style: {value}"),
    "command.team_reading": ("所有只读工具", "every tool that only reads"),
    "command.team_all_knowledge": ("这个频道能读的全部", "all that this channel reads"),
    "command.team_none": ("无", "none"),
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
