"""Sentences of the Slack adapter."""

TEXTS: dict[str, tuple[str, str]] = {
    "slack.greeting": (
        "大家好，我是 Threadmate。在这里我只读 @我 的消息、我参与的讨论串和发到本频道的文件；"
        "文件留作本频道的知识，只有这里的人能查到，回执上的“移除”可以随时删掉。",
        "Hello, I am Threadmate. Here I read what mentions me, the threads I am part of and"
        " the files shared in this channel; files are kept as this channel's knowledge, only"
        " people here can search them, and Remove on a receipt deletes one.",
    ),
    "slack.keep": ("不了", "Keep it"),
    "slack.bot_token_wrong": (
        "Slack 不接受 SLACK_BOT_TOKEN（{reason}）。"
        "请在应用的 OAuth & Permissions 页复制以 xoxb- 开头的令牌。",
        "Slack refuses SLACK_BOT_TOKEN ({reason}). Copy the token that begins with xoxb- from"
        " the app's OAuth & Permissions page.",
    ),
    "slack.app_token_wrong": (
        "Slack 不接受 SLACK_APP_TOKEN（{reason}）。"
        "请在应用的 Basic Information 页生成以 xapp- 开头、带 connections:write 权限的令牌。",
        "Slack refuses SLACK_APP_TOKEN ({reason}). On the app's Basic Information page,"
        " generate a token that begins with xapp- and has connections:write.",
    ),
    "slack.tokens_swapped": (
        "{variable} 的值是另一种令牌：应以 {prefix} 开头。",
        "{variable} holds another kind of token; the right one begins with {prefix}.",
    ),
    "slack.scopes_missing": (
        "Slack 应用缺少权限 {scopes}。请在 OAuth & Permissions 页添加后重新安装应用。",
        "The Slack app lacks the scopes {scopes}. Add them on the OAuth & Permissions page,"
        " then reinstall the app.",
    ),
    "slack.not_here": (
        "我还不在这个频道里，没法回答。请先输入 /invite @Threadmate，再问一次。",
        "I am not in this channel, so I cannot answer here. Type /invite @Threadmate, then ask"
        " again.",
    ),
    "slack.file_login": (
        "没能取到“{name}”：Slack 给的是登录页而不是文件。"
        "应用缺少 files:read 权限，请添加后重新安装应用，再发一次文件。",
        "“{name}” could not be fetched: Slack sent its sign-in page instead of the file. The"
        " app lacks the scope files:read; add it, reinstall the app, then share the file again.",
    ),
    "slack.file_gone": (
        "没能取到“{name}”：文件已被删除或不再共享。",
        "“{name}” could not be fetched: the file was deleted or is no longer shared.",
    ),
    "slack.file_elsewhere": (
        "没能取到“{name}”：它存放在 Slack 之外（{host}）。请把文件本身上传到这里。",
        "“{name}” could not be fetched: it is stored outside Slack ({host}). Upload the file"
        " itself here.",
    ),
    "slack.file_too_big": (
        "“{name}”有 {size} MB，超过 {limit} MB 的上限，没有收下；可以拆成几份再发。",
        "“{name}” is {size} MB and was not kept: the limit is {limit} MB. Share it in parts.",
    ),
    "slack.file_cut": (
        "没能取到“{name}”：下载两次都中断了。请再发一次文件。",
        "“{name}” could not be fetched: the download broke off twice. Share the file again.",
    ),
    "slack.file_failed": (
        "没能取到“{name}”：Slack 回答 {reason}。请稍后再发一次文件。",
        "“{name}” could not be fetched: Slack answered {reason}. Share the file again later.",
    ),
    "slack.manifest.description": (
        "把文件发到频道，提问就能得到带出处的回答。",
        "Share files in a channel, ask about them, get answers with exact sources.",
    ),
    "slack.manifest.ask": ("向 Threadmate 提问", "Ask Threadmate a question"),
    "slack.manifest.ask_hint": ("问题", "your question"),
    "slack.manifest.kb": ("本频道的知识库", "This channel's documents: list, search, delete"),
    "slack.manifest.kb_hint": (
        "list | search 关键词 | delete 文件名",
        "list | search WORDS | delete NAME",
    ),
    "slack.manifest.teammate": ("有哪些同事，由谁来答", "Who is there, and who answers"),
    "slack.manifest.teammate_hint": (
        "list | use 名字 | show 名字",
        "list | use NAME | show NAME",
    ),
    "slack.manifest.memory": (
        "记得你的哪些事，只有你看得到",
        "What is remembered of you, for you only",
    ),
    "slack.manifest.memory_hint": (
        "list | correct 2 新的内容 | forget 2 | export | off",
        "list | correct 2 NEW WORDS | forget 2 | export | off",
    ),
    "slack.manifest.settings": ("设置、权限、额度", "Settings, rights, quotas"),
    "slack.manifest.settings_hint": (
        "language zh | verbosity short | rights | quota",
        "language en | verbosity short | rights | quota",
    ),
    "slack.manifest.help": ("Threadmate 能做什么", "What Threadmate can do"),
    "slack.manifest.help_hint": ("（无参数）", "(nothing)"),
    "slack.manifest.prompt_documents": ("这里有哪些文档？", "Which documents are here?"),
    "slack.manifest.prompt_latest": ("最近有什么新文档？", "What is new in the documents?"),
}
