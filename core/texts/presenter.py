"""Words of the plan and of the ends of a run."""

TEXTS: dict[str, tuple[str, str]] = {
    "presenter.thinking": ("正在思考", "Thinking"),
    "presenter.working": ("正在处理", "Working"),
    "presenter.retry": ("模型正忙，{time}后再试", "The model is busy; trying again in {time}"),
    "presenter.later": ("后面还有 {steps}", "{steps} to come"),
    "presenter.waits": ("等你决定", "waiting for you"),
    "presenter.waiting_plan": (
        "等人回复后继续 · 已用 {time}",
        "Goes on when a person has decided · {time} so far",
    ),
    "presenter.faster": ("另一个更快", "another was faster"),
    "presenter.stop": ("停止", "Stop"),
    "presenter.seconds": ("{seconds} 秒", "{seconds} s"),
    "presenter.minutes": ("{minutes} 分 {seconds} 秒", "{minutes} min {seconds} s"),
    "presenter.took": ("用时 {time}", "Took {time}"),
    "presenter.earlier": ("前面还有 {steps}", "{steps} earlier"),
    "presenter.stopped_plan": ("已停止 · {time}", "Stopped · {time}"),
    "presenter.failed_plan": ("没有完成 · {time}", "Not finished · {time}"),
    "presenter.stopped": ("已停止。", "Stopped."),
    "presenter.stopped_by": ("已由 <@{who}> 停止。", "Stopped by <@{who}>."),
    "presenter.stopped_partly": (
        "已停止，以上是停止前写好的部分。",
        "Stopped; above is what was written until then.",
    ),
    "presenter.anew": ("重新组织答案……", "Writing it anew …"),
    "presenter.void": ("（这一条已并入上文。）", "(This part is in the post above.)"),
    "presenter.empty": (
        "模型没有写出答案。可以换个问法再试一次。",
        "The model wrote no answer. Asking in other words may help.",
    ),
    "presenter.no_end": (
        "这次没有完成，原因在日志里。可以再发一次试试。",
        "This was not finished; the log has the reason. Asking again may help.",
    ),
    "presenter.cut": (
        "答案太长，后面的 {count} 个字没有发出。可以把问题问得更具体一些。",
        "The answer is too long; its last {count} characters were not posted. A narrower question"
        " helps.",
    ),
}
