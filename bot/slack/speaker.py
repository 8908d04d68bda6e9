"""Teammates on Slack: a name and a face on the post, or the name in front of its text."""

from __future__ import annotations

from typing import Any

from bot.platform import Draft, Speaker
from bot.text.markdown import escaped

SCOPE = "chat:write.customize"
"""Slack: lets a post carry `username` and `icon_*`; an edit never changes them."""

NAME_CHARS = 80
"""Slack: longest name of a person, which a post's should not exceed."""

SHORTCODES = {
    "🧭": "compass", "📚": "books", "🔎": "mag_right", "🔍": "mag", "✍": "writing_hand",
    "🤖": "robot_face", "📝": "memo", "💡": "bulb", "🧪": "test_tube", "📊": "bar_chart",
    "📈": "chart_with_upwards_trend", "🧠": "brain", "⚙": "gear", "🛠": "hammer_and_wrench",
    "🔧": "wrench", "🚀": "rocket", "🎨": "art", "✉": "email", "📅": "date", "🎓": "mortar_board",
    "🌐": "globe_with_meridians", "💬": "speech_balloon", "⭐": "star", "⚖": "scales",
    "💰": "moneybag", "🩺": "stethoscope", "🔒": "lock", "🛡": "shield", "🦉": "owl",
    "🐱": "cat", "🐶": "dog", "🦊": "fox_face", "🐼": "panda_face", "🐝": "bee", "🌱": "seedling",
    "👩": "woman", "👨": "man", "🧑": "adult", "🙂": "slightly_smiling_face", "😀": "grinning",
}  # fmt: skip
"""Slack takes emoji by name only; one that is not here shows the app's own face."""

_VARIANT = "\N{VARIATION SELECTOR-16}"


def face(speaker: Speaker) -> dict[str, Any]:
    """`username` and, if Slack can show it, `icon_emoji` or `icon_url` of a post."""
    fields: dict[str, Any] = {"username": " ".join(speaker.name.split())[:NAME_CHARS]}
    avatar = speaker.avatar.strip().replace(_VARIANT, "")
    if avatar.startswith(("https://", "http://")):
        return fields | {"icon_url": avatar}
    if len(avatar) > 2 and avatar.startswith(":") and avatar.endswith(":"):
        return fields | {"icon_emoji": avatar}
    name = SHORTCODES.get(avatar)
    return fields | ({"icon_emoji": f":{name}:"} if name else {})


def named(draft: Draft) -> Draft:
    """The draft with its speaker's name in front, where the post cannot carry it."""
    if draft.speaker is None:
        return draft
    name = escaped(draft.speaker.name)
    return draft.model_copy(update={"text": f"**{name}**\n\n{draft.text}".rstrip()})
