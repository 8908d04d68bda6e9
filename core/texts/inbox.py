"""Sentences of the inbox and the worker."""

TEXTS: dict[str, tuple[str, str]] = {
    "inbox.ahead": (
        "收到。前面还有 {count} 个任务，完成后就处理这条；发“停止”可以停下正在进行的那个。",
        "Got it. This comes after the {count} ahead of it here; say “stop” to end the one at work.",
    ),
    "inbox.secret": (
        "这条消息里的密码或密钥我已去掉，没有保存；别人可能看到过，请尽快更换。",
        "I took a password or key out of your message and did not keep it;"
        " please change it, since others may have seen it.",
    ),
    "inbox.edited": (
        "修改提问不会重新回答。想重新问，请在这里再发一条消息。",
        "An edited question is not asked again. To ask anew, send a new message here.",
    ),
    "inbox.stop_denied": (
        "这个任务是 <@{asker}> 提的，只有提问的人或管理员可以停止它。",
        "<@{asker}> asked for this; only they or an admin can stop it.",
    ),
    "worker.stopped": ("已停止。", "Stopped."),
    "worker.given_up": (
        "这条消息让我反复中断（{count} 次），已放弃处理。管理员可以在日志里查看原因。",
        "This message stopped me {count} times, so I gave up on it. The log tells an admin why.",
    ),
    "worker.no_text": (
        "你想问什么？直接把问题发给我就行。",
        "What would you like to know? Just send me the question.",
    ),
    "worker.not_taken": (
        "一次最多收 {limit} 个文件，另外 {count} 个没有收，请分批再发。",
        "At most {limit} files at once: {count} were not taken; please send those again.",
    ),
}
