"""Sentences of `threadmate doctor`."""

TEXTS: dict[str, tuple[str, str]] = {
    "doctor.config": ("配置没有问题。", "The configuration is sound."),
    "doctor.data": (
        "{folder} 可写，剩余 {free} GiB，数据库结构 {number}。",
        "{folder} can be written, {free} GiB are free, schema {number}.",
    ),
    "doctor.disk": (
        "{folder} 只剩 {free} MiB，请清理磁盘。",
        "{folder} has only {free} MiB left; free some disk.",
    ),
    "doctor.parser_ok": ("能读取文件。", "Files can be read."),
    "doctor.parser": (
        "读取文件的子进程没有正常工作（{status}）；请检查 limits.parse_mb 和日志。",
        "The process that reads files does not work ({status}); see limits.parse_mb and the log.",
    ),
    "doctor.embedder": (
        "语义检索可用：{model}，{size} 维。",
        "Search by meaning works: {model}, {size} dimensions.",
    ),
    "doctor.tools_off": (
        "没有自己的工具模块；在 threadmate.toml 的 tools 里写上即可加入。",
        "No tool modules of your own; name them under tools in threadmate.toml.",
    ),
    "doctor.tools": ("{modules} 提供了：{tools}。", "{modules} brings: {tools}."),
    "doctor.web_off": ("网页搜索已关闭。", "Web search is off."),
    "doctor.web_free": (
        "通过 ddgs 搜索，不需要账号；有人搜索时才会连网。",
        "Searches through ddgs, without an account; nobody is asked until somebody searches.",
    ),
    "doctor.reached": ("能连上 {host}。", "{host} can be reached."),
    "doctor.weather_off": (
        "没有设置天气服务的地址。",
        "No addresses of a weather service are set.",
    ),
    "doctor.weather_far": (
        "连不上 {host}，这里查不了天气；其余不受影响。",
        "{host} cannot be reached, so there is no weather here; nothing else needs it.",
    ),
    "doctor.mail_off": (
        "没有设置 THREADMATE_SMTP_URL，不能发邮件。",
        "THREADMATE_SMTP_URL is unset: no mail can be sent.",
    ),
    "doctor.mail": (
        "{host} 已接受登录；没有发送任何邮件。",
        "{host} lets us in; no mail was sent.",
    ),
    "doctor.slack_off": (
        "没有设置 Slack 令牌；threadmate run 会启动练习工作区。",
        "No Slack tokens are set; threadmate run starts the practice workspace.",
    ),
    "doctor.slack": ("已连上 {team}，身份 {user}。", "Connected to {team} as {user}."),
    "doctor.slack_scopes": (
        "已连上 {team}，但缺少权限：{scopes}。更新应用清单后重新安装即可。",
        "Connected to {team}, but scopes are missing: {scopes}. Renew the manifest and reinstall.",
    ),
    "doctor.model_off": (
        "没有设置 THREADMATE_MODEL：检索、工具和引文照常，需要推理的部分没有。",
        "THREADMATE_MODEL is unset: search, tools and quotes work, reasoning does not.",
    ),
    "doctor.model": ("{model} 有应答。", "{model} answers."),
    "doctor.model_slow": (
        "模型 {seconds} 秒内没有应答。",
        "The model did not answer within {seconds} s.",
    ),
}
