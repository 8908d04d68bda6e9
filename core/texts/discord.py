"""Sentences of the Discord adapter."""

TEXTS: dict[str, tuple[str, str]] = {
    "discord.greeting": (
        "大家好，我是 Threadmate。在这里我只读 @我 的消息、对我的回复、斜杠命令和菜单选中的消息；"
        "交给我的文件留作本频道的知识，只有这里的人能查到，回执上的“移除”可以随时删掉。",
        "Hello, I am Threadmate. Here I read what mentions me, replies to me, slash commands and"
        " messages picked from the Apps menu; files given to me are kept as this channel's"
        " knowledge, only people here can search them, and Remove on a receipt deletes one.",
    ),
    "discord.thread": ("提问", "Question"),
    "discord.no_thread": (
        "这里没法开讨论串（{reason}），所以直接在频道里回答。",
        "I could not open a thread here ({reason}), so I answer in the channel.",
    ),
    "discord.no_thread.permission": (
        "缺少创建或写入讨论串的权限",
        "a thread permission is missing",
    ),
    "discord.no_thread.most": ("讨论串已达上限", "the server has too many active threads"),
    "discord.no_thread.locked": ("讨论串已锁定", "the thread is locked"),
    "discord.no_thread.kind": ("这种频道没有讨论串", "this kind of channel has none"),
    "discord.thread_gone": (
        "讨论串在我回答时被删除了，答案没有发出。需要的话请再问一次。",
        "The thread was deleted while I was answering, so the answer was not posted. Ask again if"
        " you still need it.",
    ),
    "discord.not_allowed": (
        "我没有权限在 {channel} 里发言，所以没法在那里回答。请让管理员给我“查看频道”“发送消息”"
        "“在讨论串中发送消息”的权限。",
        "I may not write in {channel}, so I cannot answer there. Ask an admin to give me View"
        " Channel, Send Messages and Send Messages in Threads.",
    ),
    "discord.stopping": ("收到，这就停下。", "Stopping."),
    "discord.failed": (
        "没能收下这条命令：{reason} 请再发一次。",
        "This command could not be taken: {reason} Please send it again.",
    ),
    "discord.confirm": ("确定要“{label}”吗？", "Really “{label}”?"),
    "discord.keep": ("不了", "Keep it"),
    "discord.kept": ("好的，什么都没有改变。", "All right, nothing was changed."),
    "discord.taken": ("收到。", "Got it."),
    "discord.nothing_to_add": (
        "这条消息里没有文件，也没有文字，没有可以加入的内容。",
        "This message has no files and no text, so there is nothing to add.",
    ),
    "discord.note": ("消息 {date} {name}.md", "Message {date} {name}.md"),
    "discord.token_wrong": (
        "Discord 不接受 DISCORD_TOKEN。请在开发者后台的 Bot 页重置并复制令牌。",
        "Discord refuses DISCORD_TOKEN. On the Bot page of the developer portal, reset the token"
        " and copy the new one.",
    ),
    "discord.intent_wrong": (
        "Discord 拒绝了 Message Content intent。请在开发者后台的 Bot 页打开或关闭它，再重新启动。",
        "Discord refuses the Message Content intent. Switch it on or off on the Bot page of the"
        " developer portal, then start again.",
    ),
    "discord.file_gone": (
        "没能取到“{name}”：文件或它所在的消息已被删除。",
        "“{name}” could not be fetched: the file or its message was deleted.",
    ),
    "discord.file_elsewhere": (
        "没能取到“{name}”：它存放在 Discord 之外（{host}）。请把文件本身上传到这里。",
        "“{name}” could not be fetched: it is stored outside Discord ({host}). Upload the file"
        " itself here.",
    ),
    "discord.file_too_big": (
        "“{name}”有 {size} MB，超过 {limit} MB 的上限，没有收下；可以拆成几份再发。",
        "“{name}” is {size} MB and was not kept: the limit is {limit} MB. Share it in parts.",
    ),
    "discord.file_cut": (
        "没能取到“{name}”：下载几次都中断了。请再发一次文件。",
        "“{name}” could not be fetched: the download broke off again and again. Share the file"
        " again.",
    ),
    "discord.file_failed": (
        "没能取到“{name}”：Discord 回答 {reason}。请稍后再发一次文件。",
        "“{name}” could not be fetched: Discord answered {reason}. Share the file again later.",
    ),
    "discord.command.ask": ("向 Threadmate 提问", "Ask Threadmate a question"),
    "discord.command.kb": ("本频道的知识库", "This channel's documents"),
    "discord.command.help": ("Threadmate 能做什么", "What Threadmate can do"),
    "discord.command.stop": ("停下这里正在做的事", "Stop what is being done here"),
    "discord.command.teammate": ("这里由谁回答", "Who answers here: list, show NAME, use NAME"),
    "discord.command.settings": ("设置、权限、额度", "Settings, rights, quotas"),
    "discord.command.other": ("Threadmate 的命令", "A command of Threadmate"),
    "discord.command.list": ("列出文档", "List the documents"),
    "discord.command.search": ("搜索文档", "Search the documents"),
    "discord.command.delete": ("删除一个文档", "Delete a document"),
    "discord.command.add": ("加入一个文件", "Add a file"),
    "discord.option.question": ("问题", "Your question"),
    "discord.option.mode": ("怎么回答", "How to work: it is chosen for you if left out"),
    "discord.option.teammate": ("由谁回答", "Which teammate answers"),
    "discord.option.kb": (
        "只查哪个知识库，none 为不查",
        "Only this knowledge base; none for no search",
    ),
    "discord.option.tools": ("只用哪些工具", "Only these tools, with commas between"),
    "discord.option.file": ("一起读的文件", "A file to read with it"),
    "discord.option.words": ("要找的词", "Words to look for"),
    "discord.option.name": ("文件名", "The document's name"),
    "discord.option.text": ("内容", "What to do"),
    "discord.off": (
        "没有设置 DISCORD_TOKEN，不连接 Discord",
        "DISCORD_TOKEN is not set: Discord is off",
    ),
    "discord.doctor": (
        "已作为 {name} 登录；Message Content intent：{intent}；{servers} 个服务器；"
        "命令 {digest}（{state}）",
        "signed in as {name}; Message Content intent: {intent}; servers: {servers};"
        " commands {digest} ({state})",
    ),
    "discord.doctor.on": (
        "开（可读未 @ 的消息和拖入的文件）",
        "on (untagged messages can be read)",
    ),
    "discord.doctor.off": (
        "关（读 @、私信、回复、命令和菜单）",
        "off (mentions, DMs, replies, commands and menus are read)",
    ),
    "discord.doctor.registered": ("已注册", "registered"),
    "discord.doctor.unregistered": ("启动时会注册", "will be registered at the start"),
    "discord.doctor.channels": (
        "#{channel}（{guild}）缺少权限：{permissions}",
        "#{channel} ({guild}) lacks permissions: {permissions}",
    ),
    "discord.doctor.more": ("另有 {count} 个频道", "and {count} more channels"),
    "discord.manifest.description": (
        "把文件发到频道，提问就能得到带出处的回答。",
        "Share files in a channel, ask about them, get answers with exact sources.",
    ),
    "discord.manifest.content": (
        "只有想让它读未 @ 的消息、讨论串里的追问和拖入的文件时才需要。",
        "only for untagged messages: follow-ups in threads, files dropped without a mention,"
        " and channels with respond = all",
    ),
    "discord.doctor.all_channels": (
        "{count} 个频道的权限都齐全",
        "all permissions in {count} channels",
    ),
}
