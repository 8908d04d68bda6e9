"""Sentences about the nodes of a plan, and what an answer without a model says of them."""

TEXTS: dict[str, tuple[str, str]] = {
    "nodes.thought.first": ("{title}：不依赖别的步骤，马上开始", "{title}: needs nothing first"),
    "nodes.thought.after": ("{title}：用到「{needed}」的结果", "{title}: builds on {needed}"),
    "nodes.and": ("」「", ", "),
    "nodes.faster": ("另一步更快，这步不用做了", "Another step was faster; this one is not needed"),
    "nodes.needs_failed": (
        "它要用的「{needed}」没有结果，没有执行",
        "Not run: it builds on {needed}, which gave no result",
    ),
    "nodes.nothing_found": ("没有找到相关内容", "Nothing was found"),
    "nodes.timed_out": ("超过 {seconds} 秒没有完成", "Did not finish within {seconds} seconds"),
    "nodes.timed_out_effect": (
        "超过 {seconds} 秒没有完成，不确定是否已经生效，没有再次执行；请先确认结果",
        "Did not finish within {seconds} seconds; it may have taken effect and was not run again."
        " Please check before trying once more",
    ),
    "nodes.broken": ("这一步出错了，详情在日志里", "This step broke; the log has the details"),
    "nodes.reference": (
        "引用 {reference} 找不到对应的内容",
        "The reference {reference} points at nothing",
    ),
    "nodes.too_much": (
        "引用的内容超过 {limit} 字，这一步装不下",
        "Its references bring in more than {limit} characters, which is too much for one step",
    ),
    "nodes.needs_model": ("这一步要有语言模型才能做", "Only a language model can do this step"),
    "nodes.go": ("让 {teammate} 做：{title}", "Let {teammate} do: {title}"),
    "react.results": (
        "已经按计划做完的步骤和结果（只根据这些回答；没做成的如实说明；保留标记）：",
        "The steps of the plan and what they gave (answer from these alone; say plainly what was"
        " not done; keep the marks):",
    ),
    "react.state.done": ("已完成", "done"),
    "react.state.failed": ("没做成：{reason}", "failed: {reason}"),
    "react.state.dropped": ("没有执行：{reason}", "not run: {reason}"),
    "react.no_model": (
        "没有配置语言模型，以下是各步的结果，原样给出。",
        "No language model is configured; these are the results of the steps as they are.",
    ),
    "react.needs_model": (
        "“{titles}”要有语言模型才能做：请管理员设置 THREADMATE_MODEL；其余各步的结果如下。",
        "“{titles}” can only be done by a language model: ask your operator to set"
        " THREADMATE_MODEL. The other steps gave this:",
    ),
    "react.quota": (
        "额度快用完了，以下是各步的结果，原样给出。",
        "The quota is nearly used up; these are the results of the steps as they are.",
    ),
    "react.model_failed": (
        "语言模型没能写出答案，以下是各步的结果，原样给出。",
        "The language model could not write the answer; these are the results of the steps as they"
        " are.",
    ),
    "react.notice": ("{reason} 改为直接给出各步的结果。", "{reason} Giving the results instead."),
    "react.missing": ("没做成：", "Not done:"),
}
