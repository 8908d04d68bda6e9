"""Lines of plans: what a step does where the planner did not say it."""

TEXTS: dict[str, tuple[str, str]] = {
    "plan.title.tool": ("使用 {name}", "Use {name}"),
    "plan.title.teammate": ("请 {name} 处理", "Ask {name}"),
    "plan.title.save": ("写成文档并保存：{words}", "Write and save: {words}"),
    "plan.title.mail": ("用邮件发送结果", "Send the results by mail"),
    "plan.ask.address": ("发到哪个邮箱？", "Which mail address should it go to?"),
    "plan.ask.city": ("哪个城市？", "Which city?"),
    "plan.document": ("{words}：资料整理", "Notes on {words}"),
}
