"""memory: what is remembered of a person, from the shell."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import typer

from bot.cli import shell
from bot.cli.ask import AS, JSON
from core.errors import WrongUse
from core.texts import say

if TYPE_CHECKING:
    from core.memory.record import Memory

memory = typer.Typer(help="List, forget or export what is remembered of a person.")


def register(app: typer.Typer) -> None:
    app.add_typer(memory, name="memory")


@memory.callback(invoke_without_command=True)
def overview(context: typer.Context) -> None:
    """List, forget or export what is remembered of a person."""
    if context.invoked_subcommand is None:
        shell.print_text(context.get_help())


@memory.command("list")
def list_(who: str | None = AS, as_json: bool = JSON) -> int:
    """What holds now, oldest first; the numbers are those that `forget` takes."""
    return asyncio.run(_list(who, as_json))


@memory.command("forget")
def forget(
    what: list[str] = typer.Argument(help="Numbers of `memory list`, words, or `all`."),
    who: str | None = AS,
    as_json: bool = JSON,
) -> int:
    """Forget memories, and all that spoke of them. Exit code 1 if there is nothing like it."""
    return asyncio.run(_forget(what, who, as_json))


@memory.command("export")
def export(who: str | None = AS) -> int:
    """Everything that is kept of a person, superseded memories too, as one JSON object."""
    return asyncio.run(_export(who))


async def _list(who: str | None, as_json: bool) -> int:
    person = shell.person(who).id
    async with shell.opened() as core:
        known = await core.keeper.listing(person)
    if as_json:
        shell.print_json({"memories": [row(one, n) for n, one in enumerate(known, 1)]})
        return 0
    if not known:
        shell.print_text(say("memory.empty", shell.language()))
    for number, one in enumerate(known, 1):
        layer = say(f"memory.layer.{one.layer}", shell.language())
        shell.print_text(f"{number:>3}  {layer:<10} {one.text}")
    return 0


async def _forget(what: list[str], who: str | None, as_json: bool) -> int:
    person = shell.person(who).id
    async with shell.opened() as core:
        known = await core.keeper.listing(person)
        gone = await core.keeper.forget(person, chosen(what, known))
    if as_json:
        shell.print_json({"memories": gone.memories, "turns": gone.turns})
    elif not gone.memories:
        shell.print_text(say("memory.nothing_such", shell.language()))
    else:
        values = {"memories": gone.memories, "turns": gone.turns}
        shell.print_text(say("memory.forgotten_with", shell.language(), **values))
    return 0 if gone.memories else 1


async def _export(who: str | None) -> int:
    person = shell.person(who).id
    async with shell.opened() as core:
        kept = await core.keeper.memories.listing(person)
    shell.print_json({"person": person, "memories": [one.model_dump() for one in kept]})
    return 0


def chosen(what: list[str], known: list[Memory]) -> list[Memory]:
    """The memories that numbers, words or `all` name. WrongUse names a number that is not there."""
    from core.memory.gate.wishes import named_in

    if what == ["all"]:
        return known
    if not all(one.lstrip("#").isdigit() for one in what):
        return named_in(" ".join(what), known)
    numbers = [int(one.lstrip("#")) for one in what]
    for number in numbers:
        if not 1 <= number <= len(known):
            values = {"number": number, "count": len(known)}
            raise WrongUse(say("memory.no_number", shell.language(), **values))
    return [known[number - 1] for number in numbers]


def row(one: Memory, number: int) -> dict[str, Any]:
    """A memory for `--json`."""
    return {
        "number": number,
        "id": one.id,
        "layer": one.layer,
        "text": one.text,
        "state": one.state,
        "observed_at": one.observed_at,
        "expires_at": one.expires_at,
        "link": one.link,
    }
