"""The commands. Heavy rooms are imported inside the commands: `--help` answers at once."""

from __future__ import annotations

import logging
import os
import sys

import typer

from bot.cli import ask, documents, memory, operate, serve, teammates
from bot.cli.shell import complain, language
from bot.ending import DONE, FAILED, INTERRUPTED, WRONG_CONFIG, WRONG_USE
from core.errors import ThreadmateError, WrongConfig, WrongUse
from core.store.disk import refused
from core.texts import say

log = logging.getLogger(__name__)

app = typer.Typer(
    name="threadmate",
    help="AI teammates in your team's threads: files in, exact sources out, nothing lost.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
serve.register(app)
ask.register(app)
documents.register(app)
teammates.register(app)
memory.register(app)
operate.register(app)


def run(arguments: list[str]) -> int:
    """Run one command. 0 done, 1 the work failed, 2 wrong use, 78 wrong config, 130 Ctrl+C."""
    try:
        result: object = app(arguments or ["--help"], standalone_mode=False)
    except typer.TyperException as error:
        said = say("cli.wrong_use", language(), what=error.format_message())
        sys.stderr.write(f"threadmate: {said}\n")
        return WRONG_USE
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except ThreadmateError as error:
        complain(error)
        return code_of(error)
    except BrokenPipeError:
        # Who read our output has gone (`| head`); Python would complain once more at its exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except OSError as error:
        complain(refused(error))
        return FAILED
    except Exception:
        # The border of the command line: a sentence for the person, the trace for the log.
        log.exception("the command broke")
        complain(ThreadmateError())
        return FAILED
    return result if isinstance(result, int) else DONE


def code_of(error: ThreadmateError) -> int:
    """The exit code that an error ends the command with."""
    match error:
        case WrongConfig():
            return WRONG_CONFIG
        case WrongUse():
            return WRONG_USE
        case _:
            return FAILED
