"""The first state of a practice workspace: people who write two languages, channels, files."""

from __future__ import annotations

import shutil
from pathlib import Path

from bot.playground.methods_files import guess_mime
from bot.playground.workspace import BOT_NAME, BOT_USER, Workspace

SAMPLES = Path(__file__).parent / "samples"

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

POSTS = (
    (HANDBOOK, LIN, "新版请假制度，今年起执行，请大家看一下。", ("请假制度.pdf",)),
    (HANDBOOK, NORA, "Same in English, and the FAQ for newcomers.", ("leave-policy.md", "faq.md")),
    (ENGINEERING, OMAR, "Runbook for whoever is on call this week.", ("oncall-runbook.md",)),
    (ENGINEERING, LIN, "2.4 的发布说明 / notes of 2.4", ("release-notes-2.4.md",)),
)
"""Channel, person, text, files of `SAMPLES`; #random stays empty and says how to begin."""


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
    if samples:
        for channel, person, text, files in POSTS:
            ids = [_share(ws, person, SAMPLES / name) for name in files]
            ws.post(channel, person, text, files=ids, subtype="file_share", upload=True)


def _share(ws: Workspace, person: str, path: Path) -> str:
    file = ws.add_file(path.name, person, mime=guess_mime(path.name))
    blob = ws.blob(file)
    blob.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, blob)
    ws.filled(file, blob.stat().st_size)
    return file
