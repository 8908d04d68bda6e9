"""Sentences about teammates: their files, their commands, their steps."""

TEXTS: dict[str, tuple[str, str]] = {
    "teammates.unknown_variable": (
        "没有变量“{name}”；可以用：{known}。",
        "There is no variable “{name}”; there are {known}.",
    ),
    "teammates.where": ("{file} 第 {line} 行：", "{file}, line {line}: "),
    "teammates.where_file": ("{file}：", "{file}: "),
    "teammates.no_front_matter": (
        "文件要以一行 --- 开头，接着写 name 等字段，再以一行 --- 结束，下面写角色。",
        "the file must begin with a line ---, then fields such as name, then another line ---, "
        "and the role below it.",
    ),
    "teammates.not_closed": (
        "开头的 --- 在 {lines} 行内没有对应的结束行 ---。",
        "the --- at the top is not closed by another line --- within {lines} lines.",
    ),
    "teammates.not_a_field": (
        "“{text}”不是 name: x 这样的一行。列表写成 [a, b]，或每行一个“- a”。",
        "“{text}” is not `field: value`. Write a list as [a, b], or one `- a` a line.",
    ),
    "teammates.twice": (
        "{field} 写了两次，留下一个。",
        "{field} stands twice; keep one of them.",
    ),
    "teammates.list_not_closed": (
        "列表要写在一行里，用 ] 结束；长列表每行写一个“- a”。",
        "a list in brackets ends with ] on the same line; for a long one write `- a` on lines of "
        "its own.",
    ),
    "teammates.not_plain": (
        "“{text}”有特殊符号，请加引号；这里只支持文字和列表。",
        "“{text}” has signs with a meaning of their own: put it in quotes. Only words and lists "
        "are read here.",
    ),
    "teammates.long_line": (
        "这一行太长，最多 {most} 个字符。",
        "this line is too long; {most} characters are the most.",
    ),
    "teammates.unknown_field": (
        "没有 {field} 这个字段；可以写：{known}。",
        "there is no field {field}; did you mean {known}?",
    ),
    "teammates.no_role": (
        "第二个 --- 下面是空的，请写上这位同事的角色。",
        "nothing stands below the second ---; write the role of the teammate there.",
    ),
    "teammates.long_role": (
        "角色太长：约 {count} 个 token，最多 {most} 个（两千来个汉字）；大段资料请放进知识库。",
        "the role is too long: about {count} tokens, {most} are the most (some 1,500 words); long "
        "material belongs into a knowledge base.",
    ),
    "teammates.too_big": (
        "文件超过 {kib} KiB；大段资料请放进知识库。",
        "the file is larger than {kib} KiB; long material belongs into a knowledge base.",
    ),
    "teammates.not_utf8": (
        "不是 UTF-8 编码，请另存为 UTF-8。",
        "this is not UTF-8; save the file as UTF-8.",
    ),
    "teammates.control": (
        "有看不见的控制字符 {code}，请删掉。",
        "there is an invisible control character {code}; remove it.",
    ),
    "teammates.one_value": (
        "{field} 只能写一个值，不是列表。",
        "{field} takes one value, not a list.",
    ),
    "teammates.too_long": (
        "{field} 最多 {most} 个字符。",
        "{field} takes {most} characters at most.",
    ),
    "teammates.bad_name": (
        "“{name}”不能作名字：用 1 到 32 个文字、数字、- 或 _，不带空格。",
        "“{name}” cannot be a name: take 1 to 32 letters, digits, - or _, without spaces.",
    ),
    "teammates.reserved_name": (
        "“{name}”另有用途，请换一个名字。",
        "“{name}” has another meaning; take another name.",
    ),
    "teammates.bad_avatar": (
        "头像“{avatar}”要写成表情符号、短代码（如 :mag:）或 https:// 图片地址。",
        "the avatar “{avatar}” must be an emoji, a :shortcode: or the https:// address of a "
        "picture.",
    ),
    "teammates.too_many": (
        "太多了，最多 {most} 个。",
        "these are too many; {most} are the most.",
    ),
    "teammates.bad_tool": (
        "“{tool}”不是工具名；工具名只有字母、数字和 _。",
        "“{tool}” is no name of a tool; those have letters, digits and _.",
    ),
    "teammates.unknown_tool": (
        "没有 {tool} 这个工具；可以写：{known}。",
        "there is no tool {tool}; there are {known}.",
    ),
    "teammates.bad_model": (
        "“{model}”不是模型名；不能有空格。",
        "“{model}” is no name of a model; it has no spaces.",
    ),
    "teammates.choice": (
        "{field} 不能是“{value}”；可以写：{known}。",
        "{field} cannot be “{value}”; there are {known}.",
    ),
    "teammates.rounds": (
        "max_rounds 不能是“{value}”；写 1 到 {most} 的整数。",
        "max_rounds cannot be “{value}”; write a whole number from 1 to {most}.",
    ),
    "teammates.taken": (
        "“{name}”已经是 {other} 的名字，请换一个。",
        "“{name}” is the name of {other} already; take another one.",
    ),
    "teammates.unreadable": ("读不了：{reason}。", "it cannot be read: {reason}."),
    "teammates.most_files": (
        "这个文件夹里的同事太多；只读前 {most} 个。",
        "there are too many teammates in this folder; only the first {most} are read.",
    ),
    "teammates.unknown": (
        "没有叫“{name}”的同事；有：{known}。",
        "There is no teammate “{name}”; there are {known}.",
    ),
    "teammates.verbosity.short": (
        "答得很短：几句话就够。",
        "Answer very briefly: a few sentences are enough.",
    ),
    "teammates.verbosity.normal": (
        "长度适中：说清楚就停。",
        "Answer at normal length: stop when it is clear.",
    ),
    "teammates.verbosity.long": (
        "答得详细：给出背景、步骤和例子。",
        "Answer in detail: give background, steps and examples.",
    ),
    "assemble.unknown_teammate": (
        "没有叫“{teammate}”的同事；可以用：{known}。",
        "There is no teammate “{teammate}”; there are: {known}.",
    ),
    "teammates.no_model": (
        "{name} 需要语言模型才能工作；请设置 THREADMATE_MODEL。",
        "{name} needs a language model to work; set THREADMATE_MODEL.",
    ),
    "teammates.upstream": (
        "下面是已经得到的结果，以它们为基础：",
        "These results are there already; build on them:",
    ),
    "teammates.switch.title": ("换成 {name} 来回答", "Hand over to {name}"),
    "teammates.switch.done": ("{name} 接手", "{name} takes over"),
    "teammates.ask.title": ("{name}：{task}", "{name}: {task}"),
}
