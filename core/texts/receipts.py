"""Sentences of receipts: what became of files that were dropped."""

TEXTS: dict[str, tuple[str, str]] = {
    "receipt.one": ("已读入 {line}，可以提问了。", "Read {line}. You can ask about it now."),
    "receipt.many": ("已读入 {count} 个文件，可以提问了：", "Read {count} files. You can ask now:"),
    "receipt.some": (
        "已读入 {count} 个文件，另有 {failed} 个没有读成：",
        "Read {count} of {total} files; {failed} could not be read:",
    ),
    "receipt.none": ("{failed} 个文件都没有读成：", "None of the {failed} files could be read:"),
    "receipt.version": (
        "第 {version} 版，替换了旧版",
        "version {version}, replaces the one before",
    ),
    "receipt.same": (
        "{name} 之前已经读过，内容没有变化",
        "{name} was here already and has not changed",
    ),
    "receipt.same_one": (
        "{name} 之前已经读过，内容没有变化，不用再传。",
        "{name} was here already and has not changed; nothing was done.",
    ),
    "receipt.beside": (
        "这里还有别人的同名文件，两份都保留。",
        "Another person's file of the same name is here too; both are kept.",
    ),
    "receipt.more_skipped": ("另有 {parts}没有读。", "Also not read: {parts}."),
    "receipt.more_files": (
        "另有 {files}已读入；用 /kb list 查看。",
        "Also read: {files}; /kb list shows them.",
    ),
    "receipt.more_failed": ("另有 {files}没有读成。", "Also not read: {files}."),
    "receipt.failed": (
        "“{name}”没有读成；请重新上传，或换一种格式。",
        "“{name}” could not be read; upload it again, or in another format.",
    ),
    "receipt.gone": ("~~{name}~~ 已移除", "~~{name}~~ removed"),
    "receipt.gone_one": (
        "{name} 已移除，之后的回答不会再用到它。",
        "{name} was removed; answers no longer use it.",
    ),
    "receipt.nothing": ("没有文件。", "No files."),
    "receipt.remove": ("移除", "Remove"),
    "receipt.remove_name": ("移除 {name}", "Remove {name}"),
    "receipt.confirm": (
        "从这个频道移除“{name}”？之后的回答不会再用到它。",
        "Remove “{name}” from this channel? Answers will no longer use it.",
    ),
}
