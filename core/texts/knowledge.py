"""Sentences of `core.knowledge`."""

TEXTS: dict[str, tuple[str, str]] = {
    "knowledge.no_kb": (
        "找不到这个知识库，它可能不属于这个频道：{detail}",
        "There is no such knowledge base here: {detail}",
    ),
    "knowledge.no_document": (
        "这里没有这个文档：{detail}。用 /kb list 看看有哪些。",
        "There is no such document here: {detail}. /kb list shows what there is.",
    ),
    "knowledge.too_long": (
        "“{name}”太长，只读了前 {limit} 个字符；请拆成几个文件上传其余部分。",
        "“{name}” is too long; only its first {limit} characters were read. Split it to upload "
        "the rest.",
    ),
}
