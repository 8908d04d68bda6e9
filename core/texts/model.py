"""Sentences about what a model wrote."""

TEXTS: dict[str, tuple[str, str]] = {
    "model.cut": (
        "（回答到了模型的长度上限，在此截断。）",
        "(The answer reached the model's length limit and was cut here.)",
    ),
}
