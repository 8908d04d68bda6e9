"""Sentences of `/settings`."""

TEXTS: dict[str, tuple[str, str]] = {
    "settings.head": (
        "在这里对你生效的设置，以及各自的来源：",
        "What holds for you here, and where it comes from:",
    ),
    "settings.columns": ("设置|值|来源", "Setting|Value|From"),
    "settings.how": (
        "改自己的：`/settings language zh`、`verbosity short`、`style …`、`time_zone 上海`；"
        "`reset language` 恢复。管理员改频道：`/settings channel web off`。"
        "另有 `rights`、`quota`、`feedback`。",
        "Yours: `/settings language zh`, `verbosity short`, `style …`, `time_zone Paris`;"
        " `reset language` takes it back. Admins, for the channel: `/settings channel web off`."
        " There are also `rights`, `quota` and `feedback`.",
    ),
    "settings.layer.built_in": ("默认", "built-in"),
    "settings.layer.defaults": (
        "threadmate.toml [defaults]",
        "threadmate.toml [defaults]",
    ),
    "settings.layer.file": (
        'threadmate.toml [channels."{channel}"]',
        'threadmate.toml [channels."{channel}"]',
    ),
    "settings.layer.teammate": ("同事 {name}", "teammate {name}"),
    "settings.layer.channel": ("频道设置", "this channel"),
    "settings.layer.person": ("你的设置", "you"),
    "settings.narrower": (
        "`{name}`：{layer}想放宽，但后面的层只能收紧。",
        "`{name}`: {layer} asked for more; a later layer can only narrow.",
    ),
    "settings.unknown": (
        "没有“{word}”这个设置；可以用：{known}。",
        "There is no setting “{word}”; there are {known}.",
    ),
    "settings.no_value": (
        "`{name}` 后面要写上值，例如：{known}。",
        "`{name}` needs a value, such as {known}.",
    ),
    "settings.wrong": (
        "`{name}` 不能是“{value}”；可以用：{known}。",
        "`{name}` cannot be “{value}”; there are {known}.",
    ),
    "settings.wider": (
        "`{name}` 在这里是 {value}（{layer}），只能收紧，不能放宽。",
        "`{name}` is {value} here ({layer}); it can be narrowed, not widened.",
    ),
    "settings.channel_only": (
        "`{name}` 是频道的设置，由管理员改：`/settings channel {name} 值`。",
        "`{name}` belongs to the channel; an admin sets it: `/settings channel {name} VALUE`.",
    ),
    "settings.done": (
        "好，`{name}` 现在是 {value}（{layer}）。",
        "Done: `{name}` is {value} now ({layer}).",
    ),
    "settings.not_kept": ("设置现在存不了。", "Settings cannot be kept here."),
    "settings.on": ("开", "on"),
    "settings.off": ("关", "off"),
    "settings.unset": ("不限", "any"),
    "settings.nothing": ("无", "none"),
    "settings.quota_head": (
        "今天的用量（各自时区的 0 点恢复）：",
        "Used today (renewed at midnight, each in its zone):",
    ),
    "settings.quota_columns": ("谁|问题|token|费用", "Who|Questions|Tokens|Money"),
    "settings.quota_person": ("你", "you"),
    "settings.quota_channel": ("这个频道", "this channel"),
    "settings.quota_workspace": ("这个工作区", "this workspace"),
    "settings.quota_all": ("今天用得最多的人：", "Who used most today:"),
    "settings.quota_how": (
        "管理员调整：`/settings quota @某人 200`，或 `channel 500`、`workspace 2000`；"
        "`reset` 恢复配置。",
        "Admins: `/settings quota @SOMEBODY 200`, or `channel 500`, `workspace 2000`; `reset`"
        " goes back to the configuration.",
    ),
    "settings.quota_use": (
        "这样写：`/settings quota @某人 200`、`/settings quota channel 500` 或 `… reset`。",
        "Write `/settings quota @SOMEBODY 200`, `/settings quota channel 500` or `… reset`.",
    ),
    "settings.quota_done": (
        "好，{who} 每天可以问 {count} 次。",
        "Done: {who} may ask {count} times a day.",
    ),
    "settings.quota_reset": (
        "好，{who} 按配置文件的额度。",
        "Done: {who} has what the configuration gives.",
    ),
    "settings.feedback_none": (
        "这里还没有反馈。打开按钮：`/settings channel feedback on`。",
        "No feedback here yet. The buttons: `/settings channel feedback on`.",
    ),
    "settings.feedback_head": (
        "反馈：👍 {good}，👎 {bad}。最近的：",
        "Feedback: 👍 {good}, 👎 {bad}. The latest:",
    ),
    "settings.feedback_line": (
        "- {sign} {who} · {time} · {question}\n  依据：{sources} · {run}",
        "- {sign} {who} · {time} · {question}\n  From: {sources} · {run}",
    ),
    "feedback.helpful": ("👍 有帮助", "👍 Helpful"),
    "feedback.unhelpful": ("👎 没帮助", "👎 Not helpful"),
    "feedback.thanks": ("谢谢，记下了。", "Thank you, noted."),
    "feedback.gone": (
        "这个回答已经找不到了，没有记下。",
        "This answer is not kept any more; nothing was noted.",
    ),
}
