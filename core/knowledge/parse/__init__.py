"""Files to blocks, in a child process: hostile bytes never meet our own."""

from core.knowledge.parse.model import Block, Kind, Parsed, Skipped, Status
from core.knowledge.parse.parser import Parser

__all__ = ["Block", "Kind", "Parsed", "Parser", "Skipped", "Status"]
