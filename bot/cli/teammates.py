"""teammates: who is there, and whether their files are whole."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from bot.cli import shell
from bot.ending import FAILED
from bot.logs import log_to_stderr
from core.messages import Language
from core.texts import say

if TYPE_CHECKING:
    from core.teammates import FileError, Team

JSON = typer.Option(False, "--json", help="One JSON object on standard output, nothing else.")

teammates = typer.Typer(help="List or check the teammates.")


def register(app: typer.Typer) -> None:
    app.add_typer(teammates, name="teammates")


@teammates.callback(invoke_without_command=True)
def overview(context: typer.Context) -> None:
    """List or check the teammates."""
    if context.invoked_subcommand is None:
        shell.print_text(context.get_help())


@teammates.command("list")
def list_(as_json: bool = JSON) -> int:
    """The teammates that ship, and those of ./teammates."""
    team, wrong = _looked_at()
    if as_json:
        shell.print_json({"teammates": _rows(team), "errors": [_row(error) for error in wrong]})
        return 0
    for card in team.cards:
        shell.print_text(f"{card.avatar or '·'}  {card.name:<14} {card.description}")
    for error in wrong:
        shell.print_text(f"!  {error.told(shell.language())}")
    return 0


@teammates.command("check")
def check(as_json: bool = JSON) -> int:
    """Read every file and say what is wrong; the exit code is 1 if anything is."""
    team, wrong = _looked_at()
    if as_json:
        shell.print_json({"ok": not wrong, "errors": [_row(error) for error in wrong]})
    elif wrong:
        for error in wrong:
            shell.print_text(error.told(shell.language()))
    else:
        fine = say("cli.teammates_fine", shell.language(), count=len(team.cards))
        shell.print_text(fine)
    return FAILED if wrong else 0


def _looked_at() -> tuple[Team, list[FileError]]:
    """Who is there, and all that is wrong, tools that do not exist included."""
    # Imported here: `--help` answers at once.
    from bot.app import TEAMMATES
    from bot.config import load
    from core.teammates import READ, FileError, Roster
    from core.tools.builtin import BUILTIN
    from core.tools.own import with_own

    log_to_stderr("ERROR", [])  # What the roster warns of is told by the command itself.
    team = Roster(Path(TEAMMATES)).look()
    wrong, files = list(team.errors), dict(team.files)
    there = with_own(BUILTIN, load().tools).names
    for card in team.cards:
        for tool in card.tools or ():
            if tool not in (READ, *there):
                known = ", ".join(("read", *there))
                values: dict[str, object] = {"tool": tool, "known": known}
                file = files[card.name].name
                wrong.append(FileError("teammates.unknown_tool", values, file=file))
    return team, wrong


def _rows(team: Team) -> list[dict[str, Any]]:
    files = dict(team.files)
    return [
        card.model_dump(exclude={"role", "version"})
        | {"file": str(files[card.name]), "default": card.name == team.usual().name}
        for card in team.cards
    ]


def _row(error: FileError) -> dict[str, Any]:
    language: Language = shell.language()
    reason = say(error.key, language, **error.values)
    return {"file": error.file, "line": error.line, "reason": reason}
