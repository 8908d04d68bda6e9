"""Sentences about memories."""

TEXTS: dict[str, tuple[str, str]] = {
    "memory.layer.identity": ("身份", "identity"),
    "memory.layer.preference": ("偏好", "preference"),
    "memory.layer.context": ("背景", "context"),
    "memory.layer.experience": ("经验", "experience"),
    "memory.state.exploring": ("在探索", "exploring"),
    "memory.state.active": ("进行中", "in progress"),
    "memory.state.blocked": ("受阻", "blocked"),
    "memory.state.completed": ("已完成", "completed"),
    "memory.by_another": ("（本频道里别人说的）", "(said by somebody else here)"),
    "memory.lesson": (
        "{tool} 失败（{kind}），改用 {then} 成功。",
        "{tool} failed ({kind}); {then} then worked.",
    ),
    "memory.kind.timed_out": ("超时", "timed out"),
    "memory.kind.tool_failed": ("出错", "an error"),
    "memory.earlier": ("前面聊了什么？", "What was said before?"),
    "memory.none_here": ("这里没有开启记忆。", "Nothing is remembered here."),
    "memory.use": (
        "可以用：/memory list、correct、forget、export、off、on。",
        "Use /memory list, correct, forget, export, off or on.",
    ),
    "memory.head": ("我记得关于你的 {count} 条：", "This is what I remember of you ({count}):"),
    "memory.empty": ("我还没有记住关于你的事。", "I remember nothing of you yet."),
    "memory.how": (
        "改一条：/memory correct 2 新的说法。忘一条：/memory forget 2。"
        "全部忘掉：/memory forget all。",
        "Put one right: /memory correct 2 new words. Forget one: /memory forget 2."
        " Forget all: /memory forget all.",
    ),
    "memory.said_on": ("{day} 说的", "said on {day}"),
    "memory.is_off": (
        "记忆已关闭：新的内容不会记住。打开：/memory on。",
        "Memory is off: nothing new is remembered. Turn it on with /memory on.",
    ),
    "memory.correct_how": (
        "请写明第几条和新的说法，例如：/memory correct 2 我住在苏州。",
        "Say which one and how it should read, for example: /memory correct 2 I live in Munich.",
    ),
    "memory.corrected": ("改好了：{text}", "Put right: {text}"),
    "memory.forget_what": (
        "请写明要忘掉第几条或什么事，例如：/memory forget 2。",
        "Say what to forget, by number or in words, for example: /memory forget 2.",
    ),
    "memory.forgotten": ("忘掉了 {memories} 条。", "Forgotten: {memories} of what I remembered."),
    "memory.forgotten_with": (
        "忘掉了 {memories} 条，连同提到它的 {turns} 轮对话记录。",
        "Forgotten: {memories} of what I remembered, with my record of {turns} turns that spoke"
        " of it.",
    ),
    "memory.nothing_such": (
        "没有找到这样的记忆。全部内容见 /memory list。",
        "I remember nothing like that. /memory list shows everything.",
    ),
    "memory.no_number": (
        "没有第 {number} 条，一共 {count} 条。",
        "There is no number {number}; I remember {count}.",
    ),
    "memory.exported": (
        "这是我记得的关于你的全部内容：",
        "This is everything that I remember of you:",
    ),
    "memory.now_off": (
        "好，从现在起不再记你说的话。已记住的还在，要删：/memory forget all。",
        "Nothing that you say is remembered from now on. What I know is still there;"
        " /memory forget all removes it.",
    ),
    "memory.now_on": ("好，值得记的我会记住。", "I remember what is worth it again."),
    "memory.channel_off": (
        "好，这个频道里说的话不再记。",
        "Nothing that is said in this channel is remembered from now on.",
    ),
    "memory.channel_on": ("好，这个频道的记忆已打开。", "Memory is on in this channel again."),
    "memory.admins_only": (
        "只有管理员能为整个频道开关记忆。只关自己的：/memory off。",
        "Only admins can switch memory for a whole channel. For yourself: /memory off.",
    ),
    "memory.kept": ("记住了：{text}", "I will remember: {text}"),
    "memory.known_already": ("这个我已经记着了。", "I remember that already."),
    "memory.secret": (
        "密码、密钥、卡号和证件号我不记。请把它放在专门的地方。",
        "I do not remember passwords, keys, card or identity numbers. Keep them where they belong.",
    ),
    "memory.because": ("因为你说过：", "Because you told me:"),
}
