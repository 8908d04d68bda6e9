"""Chat commands: one table for every platform, `/kb list`, `!kb list` and `知识库 列表` alike.

One file per command.
"""

from bot.commands.commands import Commands
from bot.commands.desk import Desk, Documents
from bot.commands.kb import MOST_DOCUMENTS
from bot.commands.picks import picks_of
from bot.commands.words import ASKS, COMMANDS, KB_COMMANDS, PRIVATE

__all__ = [
    "ASKS",
    "COMMANDS",
    "KB_COMMANDS",
    "MOST_DOCUMENTS",
    "PRIVATE",
    "Commands",
    "Desk",
    "Documents",
    "picks_of",
]
