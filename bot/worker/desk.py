"""The desk: what a worker works with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bot.commands import Commands
from bot.outbox import Outbox
from bot.platform import Platform
from bot.presenter import Presenter
from core.agent import Agent
from core.assemble import Assembler
from core.cache import AnswerCache
from core.context import Limits
from core.feedback import Feedback
from core.knowledge.library import Library
from core.memory.conversation import Conversation
from core.memory.keeper import Keeper
from core.runs import Runs
from core.settings import SettingsBook, SettingsStore
from core.store import Store


@dataclass(frozen=True)
class Desk:
    """What a worker works with; the composition root lays it out."""

    store: Store
    runs: Runs
    library: Library
    agent: Agent
    assembler: Assembler
    commands: Commands
    conversation: Conversation
    settings: SettingsBook
    outbox: Outbox
    presenter: Presenter
    platforms: Mapping[str, Platform]
    limits: Limits
    file_limit: int
    """Largest file taken, in bytes."""
    pictures: Path
    """Folder for the pictures of open runs; outlives the process, as the runs do."""
    keeper: Keeper | None = None
    """None: nothing is remembered."""
    patience_s: float = 86_400.0
    """How long a run waits for a click or an answer of a person."""
    kept: SettingsStore | None = None
    """What people changed of `settings`; None: nothing is."""
    feedback: Feedback | None = None
    cache: AnswerCache | None = None
