"""Words of the chat commands: one table for every platform, in Chinese and English."""

from __future__ import annotations

COMMANDS = {
    "ask": "ask", "问": "ask", "提问": "ask",
    "kb": "kb", "知识库": "kb",
    "teammate": "teammate", "teammates": "teammate", "team": "teammate",
    "同事": "teammate", "队友": "teammate",
    "memory": "memory", "memories": "memory", "记忆": "memory",
    "settings": "settings", "setting": "settings", "设置": "settings",
    "help": "help", "帮助": "help",
    "stop": "stop", "cancel": "stop", "停": "stop", "停止": "stop", "取消": "stop",
}  # fmt: skip
"""By the word after `/` or `!`; the Slack adapter reads it too."""
KB_COMMANDS = {
    "": "list", "list": "list", "ls": "list", "列表": "list", "列出": "list",
    "search": "search", "find": "search", "搜索": "search", "查找": "search", "搜": "search",
    "delete": "delete", "remove": "delete", "rm": "delete", "删除": "delete", "移除": "delete",
}  # fmt: skip
TEAM_COMMANDS = {
    "": "list", "list": "list", "ls": "list", "列表": "list", "列出": "list",
    "use": "use", "switch": "use", "用": "use", "换": "use", "使用": "use", "切换": "use",
    "show": "show", "who": "show", "看": "show", "查看": "show", "介绍": "show",
}  # fmt: skip
MEMORY_COMMANDS = {
    "": "list", "list": "list", "ls": "list", "show": "list", "列表": "list", "查看": "list",
    "correct": "correct", "fix": "correct", "change": "correct", "改": "correct", "更正": "correct",
    "forget": "forget", "delete": "forget", "remove": "forget", "rm": "forget",
    "忘": "forget", "忘掉": "forget", "删除": "forget", "清除": "forget",
    "export": "export", "导出": "export",
    "off": "off", "关": "off", "关闭": "off", "on": "on", "开": "on", "打开": "on",
}  # fmt: skip
SETTINGS_COMMANDS = {
    "": "list", "list": "list", "ls": "list", "show": "list", "列表": "list", "查看": "list",
    "channel": "channel", "频道": "channel", "本频道": "channel",
    "reset": "reset", "clear": "reset", "恢复": "reset", "重置": "reset",
    "rights": "rights", "权限": "rights",
    "quota": "quota", "quotas": "quota", "额度": "quota", "配额": "quota",
    "feedback": "feedback", "反馈": "feedback",
}  # fmt: skip
ASKS = frozenset({"ask", "kb", "teammate"})
"""Commands that need the right to chat."""
PRIVATE = frozenset({"memory", "settings", "help"})
"""Commands whose answer is for the asker's eyes only."""
