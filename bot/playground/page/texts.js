// Every text of the page: key -> [zh, en]. Values go in as {name}.

const TEXTS = {
  workspace: ["练习工作区", "Practice workspace"],
  guild: ["练习服务器", "Practice server"],
  channels: ["频道", "Channels"],
  bot_off_discord: [
    "Threadmate 还没有连接。你发的消息会保留，等它连上后再处理；命令和按钮需要它在线。",
    "Threadmate is not connected yet. What you post is kept and worked when it comes; commands and buttons need it here.",
  ],
  thinking: ["Threadmate 正在想…", "Threadmate is thinking…"],
  typing: ["{names} 正在输入…", "{names} is typing…"],
  used: ["用了 {command}", "used {command}"],
  answer: ["回复", "Reply"],
  answering: ["回复 {name}", "Replying to {name}"],
  apps: ["应用", "Apps"],
  forwarded: ["转发", "Forwarded"],
  a_file: ["文件", "a file"],
  files: ["{count} 个文件", "{count} files"],
  run: ["执行", "Run"],
  optional: ["{name}（可选）", "{name} (optional)"],
  post_title: ["标题", "Title"],
  write_post: ["写一个新帖子", "Write a new post"],
  hint_forum: ["在帖子里 @Threadmate 提问", "@Threadmate in a post to ask"],
  topic_questions: ["一个问题一个帖子", "One question, one post"],
  empty_forum_title: ["发一个帖子，@Threadmate 会在里面回答", "Write a post: @Threadmate answers in it"],
  empty_forum_text: ["每个帖子是一个讨论串。\n附上的文件属于这个版块。", "Each post is a thread of its own. Files in it belong to this forum."],
  error_discord_50005: ["只能改自己的消息。", "Only your own messages can be changed."],
  error_discord_50013: ["你在这里没有这个权限。", "You have no permission for this here."],
  error_discord_10008: ["原消息已被删除。", "The message was deleted."],
  error_discord_10003: ["这个频道或讨论串已被删除。", "The channel or thread was deleted."],
  error_discord_160005: ["这个讨论串已锁定。", "The thread is locked."],
  directs: ["私信", "Direct messages"],
  with_bot: ["与 {name} 的私信", "You and {name}"],
  bot_on: ["Threadmate 已连接", "Threadmate is connected"],
  bot_off: ["Threadmate 未连接", "Threadmate is not connected"],
  bot_off_hint: [
    "Threadmate 还没有连接。你发的消息会保留，等它连上后再处理；斜杠命令和按钮需要它在线。",
    "Threadmate is not connected yet. What you post is kept and worked when it comes; slash commands and buttons need it here.",
  ],
  page_off: ["与服务器的连接断了，正在重连…", "The server is out of reach; trying again…"],
  you_are: ["你现在是", "You are"],
  speak_as: ["切换为 {name}", "Be {name}"],
  language: ["Switch to English", "切换为中文"],
  language_name: ["EN", "中"],
  to_dark: ["换成深色", "Switch to dark"],
  to_light: ["换成浅色", "Switch to light"],
  menu: ["频道列表", "Channel list"],
  topic_handbook: ["制度、福利与日常问题", "Policies, benefits, everyday questions"],
  topic_engineering: ["值班、发布与故障", "On-call, releases, incidents"],
  topic_random: ["随便聊聊", "Anything else"],
  topic_direct: ["不用 @，直接问", "No mention needed: just ask"],
  messages: ["消息", "Messages"],
  thread: ["讨论串", "Thread"],
  thread_of: ["#{name} 中的讨论串", "Thread in #{name}"],
  close_thread: ["关闭讨论串", "Close the thread"],
  replies: ["{count} 条回复", "{count} replies"],
  reply_one: ["1 条回复", "1 reply"],
  last_reply: ["最近 {time}", "last {time}"],
  write_channel: ["发消息到 #{name}", "Message #{name}"],
  write_direct: ["问 {name} 点什么", "Ask {name} something"],
  write_thread: ["回复…", "Reply…"],
  send: ["发送", "Send"],
  attach: ["添加文件", "Add files"],
  take_off: ["移除 {name}", "Take off {name}"],
  uploading: ["上传中…", "uploading…"],
  drop_channel: ["松开，添加到 #{name}", "Drop to add to #{name}"],
  drop_direct: ["松开，添加到这段对话", "Drop to add to this conversation"],
  drop_thread: ["松开，添加到这个讨论串", "Drop to add to this thread"],
  hint: ["Enter 发送 · Shift+Enter 换行", "Enter to send · Shift+Enter for a new line"],
  hint_channel: ["@Threadmate 提问 · / 命令", "@Threadmate to ask · / for commands"],
  hint_direct: ["直接提问 · / 命令", "just ask · / for commands"],
  hint_thread: ["! 命令，例如 !ask", "! for commands, such as !ask"],
  empty_title: ["把文件拖到这里，然后问 @Threadmate", "Drop a file here, then ask @Threadmate"],
  empty_text: [
    "拖进来的文档只属于这个频道。\n回答写在讨论串里，并注明文件和页码。",
    "A document that you drop belongs to this channel alone. Answers come in a thread, with file and page.",
  ],
  empty_direct_title: ["直接问，不用 @", "Just ask, no mention needed"],
  empty_direct_text: [
    "拖进来的文件只有你能用来提问。\n也可以问问现在几点，或者有哪些文档。",
    "Files that you drop here are yours alone. You can also ask for the time, or what the documents hold.",
  ],
  try_these: ["可以试试", "Try one of these"],
  today: ["今天", "Today"],
  yesterday: ["昨天", "Yesterday"],
  edited: ["（已编辑）", "(edited)"],
  only_you: ["仅你可见", "Only visible to you"],
  dismiss: ["知道了", "Dismiss"],
  deleted: ["这条消息已删除。", "This message was deleted."],
  file_gone: ["文件已删除", "The file was deleted"],
  download: ["下载 {name}", "Download {name}"],
  react: ["添加表情", "Add a reaction"],
  react_with: ["{name}，{count} 人", "{name}, {count}"],
  reply: ["在讨论串中回复", "Reply in thread"],
  edit: ["编辑", "Edit"],
  remove: ["删除", "Delete"],
  remove_ask: ["删除这条消息？", "Delete this message?"],
  save: ["保存", "Save"],
  cancel: ["取消", "Cancel"],
  app: ["应用", "APP"],
  new_messages: ["{count} 条新消息", "{count} new"],
  latest: ["回到最新", "To the latest"],
  image: ["图片：{name}", "Image: {name}"],
  copy: ["复制", "Copy"],
  copied: ["已复制", "Copied"],
  commands: ["命令", "Commands"],
  people: ["成员", "People"],
  command_ask: ["提问，回答写在新的讨论串里", "ask; the answer comes in a thread of its own"],
  command_kb: ["这里有哪些文档", "which documents are here"],
  command_kb_search: ["按词句查找", "find words and phrases"],
  command_kb_delete: ["删除一份文档", "remove a document"],
  command_teammate: ["有哪些同事，由谁来答", "who is there, and who answers"],
  command_memory: ["记得你的哪些事，只有你看得到", "what is remembered of you, for your eyes only"],
  command_settings: ["设置、权限、额度", "settings, rights, quotas"],
  command_help: ["能做什么", "what can be done"],
  failed_dispatch_failed: [
    "{command} 没有送达：Threadmate 没有连接。",
    "{command} could not be delivered: Threadmate is not connected.",
  ],
  failed_operation_timeout: [
    "{command} 没有成功：Threadmate 在三秒内没有回应。",
    "{command} failed: Threadmate did not answer within three seconds.",
  ],
  click_failed: ["按钮操作", "The button"],
  error_no_command_in_thread: [
    "讨论串里不能用斜杠命令（Slack 也一样）。请改用 !，例如 !ask。",
    "Slash commands do not work in threads, nor do they in Slack. Use !, such as !ask.",
  ],
  error_no_text: ["还没有写内容。", "There is nothing to send yet."],
  error_thread_not_found: ["原消息已被删除。", "The message was deleted."],
  error_message_not_found: ["原消息已被删除。", "The message was deleted."],
  error_too_large: ["文件“{name}”超过 100 MB，没有上传。", "“{name}” is over 100 MB and was not sent."],
  error_empty_file: ["文件“{name}”是空的，没有上传。", "“{name}” is empty and was not sent."],
  error_upload: ["“{name}”没有传上去，请再试一次。", "“{name}” did not arrive; please try again."],
  error_other: ["没有成功：{error}", "That did not work: {error}"],
};

/** Questions that a newcomer can click, by channel. */
const EXAMPLES = {
  handbook: [
    ["@Threadmate 每年有多少天年假？", "@Threadmate 帮我 summarize 一下请假 policy"],
    ["@Threadmate How many days of annual leave do I get?", "@Threadmate how many documents are there?"],
  ],
  engineering: [
    ["@Threadmate P1 告警首次响应要多久？", "@Threadmate 报表可以导出为 CSV 吗？"],
    ["@Threadmate How long does a roll back take?", "@Threadmate When does the on-call rota change?"],
  ],
  random: [
    ["@Threadmate 现在几点？", "@Threadmate 你能做什么？"],
    ["@Threadmate What time is it in Tokyo?", "@Threadmate What can you do?"],
  ],
  direct: [
    ["现在几点？", "这里有哪些文档？"],
    ["What time is it?", "Which documents are here?"],
  ],
};

EXAMPLES.questions = EXAMPLES.handbook;

let language = "en";

export function setLanguage(next) {
  language = next === "zh" ? "zh" : "en";
  document.documentElement.lang = language === "zh" ? "zh-CN" : "en";
}

export const getLanguage = () => language;

export function t(key, values = {}) {
  const pair = TEXTS[key];
  if (!pair) throw new Error(`no text ${key}`);
  const text = pair[language === "zh" ? 0 : 1];
  return text.replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
}

export const hasText = (key) => key in TEXTS;

export const examples = (channel) => (EXAMPLES[channel] ?? EXAMPLES.random)[language === "zh" ? 0 : 1];
