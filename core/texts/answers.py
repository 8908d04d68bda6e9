"""Sentences that the modes say themselves, and notices of a run."""

TEXTS: dict[str, tuple[str, str]] = {
    "quotes.no_model": (
        "没有配置语言模型，以下是文档里的原文：",
        "No language model is configured; this is what the documents say:",
    ),
    "quotes.model_failed": (
        "语言模型这次没能回答，以下是文档里的原文：",
        "The language model could not answer this time; this is what the documents say:",
    ),
    "quotes.quota": (
        "额度快用完了，以下是文档里的原文：",
        "The quota is nearly used up; this is what the documents say:",
    ),
    "quotes.needs_model": (
        "这件事要有语言模型才能做：请管理员设置 THREADMATE_MODEL。",
        "Only a language model can do this: ask your operator to set THREADMATE_MODEL.",
    ),
    "quotes.related": (
        "文档里与此有关的原文：",
        "What the documents say about it:",
    ),
    "quotes.refused": (
        "{refusal}。文档里没有找到能回答这个问题的内容；可以换个说法，或者把相关文件发到这个频道。",
        "{refusal}. No passage answers this question; try other words, or drop the file that holds"
        " it into this channel.",
    ),
    "quotes.empty": ("{refusal}。{way_out}", "{refusal}. {way_out}"),
    "quotes.no_kb": (
        "{refusal}。你选了 kb: none，所以没有查任何文档；去掉它再问一次就会查。",
        "{refusal}. You picked kb: none, so no document was searched; ask again without it.",
    ),
    "quotes.small_talk": (
        "你好！把文件发到这里，我会读完并回一张回执；之后直接提问，我引用原文并给出处。"
        "还可以问我现在几点、有多少文档、最近上传了什么。"
        "（没有配置语言模型，闲聊和写作要先设置 THREADMATE_MODEL。）",
        "Hello! Drop files here and I read them and send a receipt; then just ask, and I quote the"
        " passage with its source. I also tell the time, how many documents there are and which"
        " came last. (No language model is configured: for free talk and writing,"
        " THREADMATE_MODEL must be set.)",
    ),
    "quotes.empty_question": (
        "我在。直接提问就好；也可以把文件发到这里，我读完后就能回答其中的内容。",
        "I am here. Just ask; or drop a file here, and I can answer from it once it is read.",
    ),
    "rag.passages": (
        "文档片段（只用这些回答，句末写标记）：",
        "Passages of the documents (answer from these, with marks):",
    ),
    "tool.result": ("工具 {name} 的结果：", "Result of the tool {name}:"),
    "notice.model": (
        "{reason} 改为直接引用文档。",
        "{reason} Quoting the documents instead.",
    ),
    "notice.model_fallen": (
        "{reason} 不用模型，继续用工具查。",
        "{reason} Going on without it, with tools alone.",
    ),
    "notice.cut": (
        "问题太长，只读了前 {kept} 个字，后面的 {cut} 个字没有读。",
        "The question is too long: its first {kept} characters were read, the last {cut} were not.",
    ),
    "assemble.unknown_mode": (
        "没有“{mode}”这种方式；可以用：{known}。",
        "There is no mode “{mode}”; there are: {known}.",
    ),
    "assemble.unknown_tool": (
        "没有名为“{tool}”的工具，或者这里不能用；可以用：{known}。",
        "There is no tool “{tool}”, or it may not be used here; there are: {known}.",
    ),
    "assemble.unknown_kb": (
        "这里看不到名为“{kb}”的知识库；可以用：{known}。",
        "No knowledge base “{kb}” can be seen from here; there are: {known}.",
    ),
    "assemble.this_channel": ("本频道", "channel"),
}
