"""The commands. Heavy rooms are imported inside the commands: `--help` answers at once."""

from __future__ import annotations

import sys

import click
import typer

from bot.cli import ask, documents, operate, serve
from bot.cli.shell import complain
from core.errors import ThreadmateError, WrongConfig, WrongUse

DONE, FAILED, WRONG_USE, WRONG_CONFIG, INTERRUPTED = 0, 1, 2, 78, 130

app = typer.Typer(
    name="threadmate",
    help="AI teammates in your team's threads: files in, exact sources out, nothing lost.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
serve.register(app)
ask.register(app)
documents.register(app)
operate.register(app)


def run(arguments: list[str]) -> int:
    """Run one command. 0 done, 1 the work failed, 2 wrong use, 78 wrong config, 130 Ctrl+C."""
    try:
        result: object = app(arguments, standalone_mode=False)
    except click.exceptions.Exit as leave:
        return leave.exit_code
    except click.UsageError as error:
        error.show(sys.stderr)
        return WRONG_USE
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except WrongConfig as error:
        complain(error)
        return WRONG_CONFIG
    except WrongUse as error:
        complain(error)
        return WRONG_USE
    except ThreadmateError as error:
        complain(error)
        return FAILED
    return result if isinstance(result, int) else DONE
