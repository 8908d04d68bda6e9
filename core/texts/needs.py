"""Sentences about what a run waits for: a click, or a fact that a person has."""

TEXTS: dict[str, tuple[str, str]] = {
    "needs.approve": ("同意", "Approve"),
    "needs.reject": ("不同意", "Reject"),
    "needs.ask": ("{who} 要这样做吗？**{title}**", "{who} Go ahead with this? **{title}**"),
    "needs.exactly": ("会用这些内容执行 `{tool}`：", "`{tool}` would run with exactly this:"),
    "needs.cut": ("（后面还有 {count} 个字）", "({count} more characters)"),
    "needs.who": (
        "由提问的人或管理员决定 · {time} 前有效",
        "The asker or an admin decides · good until {time}",
    ),
    "needs.who_listed": (
        "由上面提到的人或管理员决定 · {time} 前有效",
        "The people named above or an admin decide · good until {time}",
    ),
    "needs.who_anybody": (
        "这里的任何人都可以决定 · {time} 前有效",
        "Anybody here may decide · good until {time}",
    ),
    "needs.question": ("{who} {question}", "{who} {question}"),
    "needs.reply_here": (
        "直接在这里回复就行 · {time} 前有效",
        "Just reply here · good until {time}",
    ),
    "needs.reply_email": (
        "直接在这里回复邮箱地址就行 · {time} 前有效",
        "Just reply here with the address · good until {time}",
    ),
    "needs.answered": ("✓ 已回复 · {time}", "✓ Answered · {time}"),
    "needs.approved": ("✓ {who} 已同意：**{title}**", "✓ {who} approved: **{title}**"),
    "needs.rejected": ("✗ {who} 没有同意：**{title}**", "✗ {who} said no: **{title}**"),
    "needs.expired": (
        "· 已过期，没有执行：**{title}**",
        "· Out of date, not done: **{title}**",
    ),
    "needs.void": ("· 不再需要：**{title}**", "· Not needed any more: **{title}**"),
    "needs.too_late": (
        "这个确认在 {time} 已过期，什么都没有执行。还需要的话，请重新问一次。",
        "That was good until {time} and is out of date; nothing was done. Please ask anew if it is"
        " still needed.",
    ),
    "needs.not_yours": (
        "这一步要由 <@{asker}> 或管理员来决定。",
        "<@{asker}> or an admin decides on this one.",
    ),
    "needs.not_listed": (
        "这一步要由指定的审批人或管理员来决定：{people}。",
        "This one is decided by its approvers or an admin: {people}.",
    ),
    "needs.decided": (
        "<@{who}> 已经决定过了，不用再点。",
        "<@{who}> has decided on this already; nothing more to do.",
    ),
    "needs.gone": (
        "这个按钮对应的事情已经结束，不用再点。",
        "What this button was for is over; nothing more to do.",
    ),
    "needs.finishing": (
        "正在停止。有一步已经在执行，会先做完它；再说一次“停止”就立即中断。",
        "Stopping. One step with effects is under way and is let finish; say “stop” again to break"
        " it off at once.",
    ),
}
