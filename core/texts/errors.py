"""Sentences of `core.errors`."""

TEXTS: dict[str, tuple[str, str]] = {
    "error.unknown": (
        "出错了，这次没能完成。详情在日志里，可以再发一次试试。",
        "Something broke and this was not done. The log has the details; asking again may help.",
    ),
    "error.wrong_use": ("用法不对：{detail}", "Wrong use: {detail}"),
    "error.wrong_config": ("配置不对：{detail}", "The configuration cannot work: {detail}"),
    "error.denied": ("你没有权限这样做：{detail}", "You may not do this: {detail}"),
    "error.store": (
        "数据文件夹不可用：{detail}",
        "The data folder cannot be used: {detail}",
    ),
    "error.store_busy": (
        "数据库正被另一个进程占用，请稍后再试。",
        "Another process holds the database; please try again in a moment.",
    ),
    "error.store_full": (
        "磁盘已满，没有写入任何内容；请清理空间后再试。",
        "The disk is full and nothing was written; free some space and try again.",
    ),
    "error.schema_too_new": (
        "数据由更新的版本写入（结构 {found}，本程序只认到 {known}）；请升级程序。",
        "A newer release wrote this data (schema {found}; this one knows {known}); upgrade.",
    ),
    "error.lost_run": (
        "这次任务已由另一个进程接手。",
        "Another process has taken over this run.",
    ),
    "error.run_stopped": ("已停止。", "Stopped."),
    "error.knowledge": ("文档处理失败：{detail}", "The document could not be handled: {detail}"),
    "error.tool_failed": ("工具没有成功：{detail}", "The tool did not succeed: {detail}"),
    "error.bad_arguments": ("工具参数不对：{detail}", "The tool's arguments do not fit: {detail}"),
    "error.tool_timed_out": ("工具超时：{detail}", "The tool was too slow: {detail}"),
    "error.model": ("模型没能回答：{detail}。", "The model could not answer: {detail}."),
    "error.model_down": ("模型服务连不上：{detail}。", "The model service is down: {detail}."),
    "error.model_silent": (
        "模型没有给出任何内容。",
        "The model answered with nothing.",
    ),
    "error.model_refused": (
        "模型服务拒绝了请求：{detail}。请检查 THREADMATE_MODEL 和密钥。",
        "The model service refused the request: {detail}. Check THREADMATE_MODEL and the key.",
    ),
    "error.context_too_long": (
        "内容太长，模型放不下。",
        "The request is too long for the model.",
    ),
    "error.limit_reached": ("已到上限：{detail}", "A limit was reached: {detail}"),
    "error.time_up": ("这次的时间用完了。", "The time for this is used up."),
    "error.platform": ("聊天平台没有接受：{detail}", "The chat platform did not take it: {detail}"),
    "error.try_later": (
        "聊天平台要求稍后再试（{seconds} 秒）。",
        "The chat platform asks to wait ({seconds} s).",
    ),
    "error.undeliverable": ("无法送达：{detail}", "It cannot be delivered: {detail}"),
    "error.unknown_outcome": (
        "发送时连接中断，不确定是否送达。",
        "The connection broke while sending; whether it arrived is not known.",
    ),
    "error.needs_person": (
        "需要有人确认后才能继续。",
        "A person has to decide before this goes on.",
    ),
    "error.plan_invalid": ("计划不可用：{detail}", "The plan cannot be used: {detail}"),
}
