"""Sentences of the command line."""

TEXTS: dict[str, tuple[str, str]] = {
    "cli.practice": (
        "练习工作区：{url}\n"
        "在浏览器里打开它；把文件拖进频道，再 @Threadmate 提问。按 Ctrl+C 结束。",
        "Practice workspace: {url}\n"
        "Open it in a browser, drop a file into a channel, ask @Threadmate. Ctrl+C ends it.",
    ),
    "cli.reading": ("读取", "Reading"),
    "cli.embedding": ("建立语义索引", "Indexing meaning"),
    "cli.not_a_file": (
        "{path}：没有这个文件，或者读不了。",
        "{path}: there is no such file, or it cannot be read.",
    ),
    "cli.no_files": ("{path}：里面没有文件。", "{path}: there are no files in it."),
    "cli.no_document": (
        "{channel} 里没有叫“{name}”的文档。已有：{known}",
        "{channel} holds no document called {name}. It holds: {known}",
    ),
    "cli.no_page": (
        "{name} 没有第 {page} 页，一共 {pages} 页。",
        "{name} has no page {page}; its last one is {pages}.",
    ),
    "cli.no_platform": (
        "没有“{platform}”的清单；可以用：slack、discord。",
        "There is no manifest of “{platform}”; there are slack and discord.",
    ),
    "cli.wrong_use": (
        "用法不对：{what}（用法见 threadmate --help）",
        "{what} (threadmate --help)",
    ),
    "cli.no_documents": ("{channel} 里还没有文档。", "{channel} holds no documents yet."),
    "cli.deleted": (
        "已删除 {name}：{counts}。",
        "Deleted {name}: {counts}.",
    ),
    "cli.several": (
        "有几个文档叫“{name}”，请用编号指定：{known}",
        "Several documents are called {name}; give the id: {known}",
    ),
    "cli.no_hits": ("没有找到。", "Nothing was found."),
    "cli.no_name": (
        "{option} {value}：需要一个名字，或完整的编号。",
        "{option} {value}: a name or a full id is needed.",
    ),
    "cli.migrated": ("数据库结构：{number}，已是最新。", "Schema {number}: up to date."),
    "cli.no_question": ("问题是空的。", "The question is empty."),
    "cli.contradiction": (
        "--json 与 --events、--kb 与 --no-kb 只能各选一个。",
        "Use --json or --events, not both; the same goes for --kb and --no-kb.",
    ),
    "cli.teammates_fine": (
        "{count} 位同事，文件都没问题。",
        "{count} teammates; all their files are whole.",
    ),
    "cli.needs_person": (
        "需要有人决定：{what}。在终端里运行时会当场询问；这次什么都没有执行。",
        "A person has to decide: {what}. In a terminal you are asked; nothing was done this time.",
    ),
    "cli.go_ahead": ("要这样做吗？[y/N] ", "Go ahead? [y/N] "),
    "cli.an_address": ("需要一个邮箱地址：", "An e-mail address is needed:"),
    "cli.sources": ("出处", "Sources"),
}
