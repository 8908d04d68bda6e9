"""The first state of a practice workspace: two people who write different languages, channels."""

from __future__ import annotations

from .workspace import BOT_NAME, BOT_USER, Workspace

LIN, NORA, OMAR = "U0LIN", "U0NORA", "U0OMAR"
PEOPLE = (
    (LIN, "林悦", "zh-CN", "Asia/Shanghai", "teal"),
    (NORA, "Nora Ellis", "en-GB", "Europe/London", "plum"),
    (OMAR, "Omar Reyes", "en-US", "America/Denver", "amber"),
)
HANDBOOK, ENGINEERING, RANDOM = "C0HANDBOOK", "C0ENGINEERING", "C0RANDOM"
CHANNELS = (
    (HANDBOOK, "handbook", "handbook"),
    (ENGINEERING, "engineering", "engineering"),
    (RANDOM, "random", "random"),
)
"""Id, name, and the key of its topic in the page's catalogue."""


def seed(ws: Workspace, samples: bool) -> None:
    """Fill an empty workspace; one that has people already is left as it is."""
    if ws.people:
        return
    for person in PEOPLE:
        ws.add_person(*person)
    ws.add_person(BOT_USER, BOT_NAME, "en-US", "UTC", "indigo")
    everyone = [*(person[0] for person in PEOPLE), BOT_USER]
    for channel, name, topic in CHANNELS:
        ws.add_channel(channel, name, topic, everyone)
    for person in PEOPLE:
        ws.direct(person[0])
