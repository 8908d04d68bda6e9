"""Sentences that the model is told to say word for word, so that code knows them again."""

TEXTS: dict[str, tuple[str, str]] = {
    "prompt.refusal": ("暂无相关内容", "Nothing relevant in the documents"),
    "prompt.outside_label": ("以下内容不来自你们的文档：", "Not from your documents:"),
}
