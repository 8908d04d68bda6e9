"""A process that works until it is told to end: what `run` and `worker` do.

`python -m bot.serve` is `threadmate run` without the command line's libraries; the practice
workspace starts its bot this way.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys

from bot.app import serve
from bot.config import Config, load
from bot.ending import BROKEN, FAILED, PARENT, WRONG_CONFIG, ending_by_signals
from bot.logs import log_to_stderr
from core.errors import ThreadmateError, WrongConfig
from core.store.disk import refused
from core.texts import told

log = logging.getLogger(__name__)


def work(config: Config, *, adapters: bool) -> int:
    """Serve until a signal, or the end of the parent that started us; the exit code."""
    log_to_stderr(config.log_level, config.secrets)
    return asyncio.run(_work(config, adapters))


async def _work(config: Config, adapters: bool) -> int:
    ending = ending_by_signals()
    if PARENT in os.environ:
        ending.with_parent(sys.stdin.fileno())
    return await serve(config, ending, adapters=adapters)


def main() -> int:
    """The border of this process: whatever ends it is one sentence, and a trace in the log."""
    try:
        return work(load(), adapters=True)
    except ThreadmateError as error:
        ended = error
    except OSError as error:
        ended = refused(error)
    except Exception:
        log.exception("the bot's process broke")
        return BROKEN
    sys.stderr.write(f"threadmate: {told(ended, 'en')}\n")
    return WRONG_CONFIG if isinstance(ended, WrongConfig) else FAILED


if __name__ == "__main__":
    sys.exit(main())
