"""ingest and documents: a channel's knowledge from the shell."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from bot.cli import shell
from bot.cli.ask import AS, CHANNEL, JSON
from bot.text.listing import removed_counts
from bot.text.markdown import plain
from bot.text.receipts import receipt_text
from core.errors import KnowledgeError, StoreError, WrongUse
from core.knowledge.names import name_key, shown_name
from core.scope import channel_scope
from core.texts import say

if TYPE_CHECKING:
    from rich.progress import Progress

    from core.knowledge.documents import DocumentInfo, Receipt
    from core.knowledge.library import Library

AT_ONCE = 4
MOST_LISTED = 1_000

documents = typer.Typer(help="List, show or delete a channel's documents.")


def register(app: typer.Typer) -> None:
    app.command("ingest")(ingest)
    app.add_typer(documents, name="documents")


def ingest(
    paths: list[Path] = typer.Argument(help="Files, or folders of files."),
    channel: str = CHANNEL,
    who: str | None = AS,
    as_json: bool = JSON,
) -> int:
    """Read files into a channel's knowledge. Exit code 1 if one of them could not be read."""
    return asyncio.run(_ingest(files_of(paths), channel, who, as_json))


def files_of(paths: list[Path]) -> list[Path]:
    """Every file that is meant, hidden ones in folders left out; WrongUse names what is not."""
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            below = [one for one in sorted(path.rglob("*")) if one.is_file()]
            shown = [one for one in below if not one.name.startswith(".")]
            if not shown:
                raise WrongUse(say("cli.no_files", shell.language(), path=path))
            found += shown
        elif path.is_file():
            found.append(path)
        else:
            raise WrongUse(say("cli.not_a_file", shell.language(), path=path))
    return found


async def _ingest(files: list[Path], channel: str, who: str | None, as_json: bool) -> int:
    place, owner = shell.place(channel), shell.person(who).id
    async with shell.opened() as core:
        with _progress() as progress:
            receipts = await _take(core.library, files, place.channel, owner, progress)
            waiting = progress.add_task(say("cli.embedding", shell.language()), total=None)
            embedded = await _embedded(core.library)
            progress.update(waiting, total=1, completed=1)
    if as_json:
        shell.print_json({"documents": [receipt_json(receipt) for receipt in receipts]})
    else:
        shell.print_text(plain(receipt_text(receipts, shell.language())))
    read = all(receipt.status in ("ready", "partial") for receipt in receipts)
    return 0 if read and embedded else 1


async def _embedded(library: Library) -> bool:
    """Wait for the vectors; False, and said, if they cannot be made now. Words are found anyway."""
    try:
        await library.embedded()
    except StoreError as error:
        shell.complain(error)
        return False
    return True


async def _take(
    library: Library, files: list[Path], channel: str, owner: str, progress: Progress
) -> list[Receipt]:
    scope = channel_scope(channel)
    kb = await library.kb_for(scope)
    bar = progress.add_task(say("cli.reading", shell.language()), total=len(files))
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(path: Path) -> Receipt:
        async with gate:
            try:
                return await library.ingest(kb, scope=scope, owner=owner, name=path.name, path=path)
            except StoreError as error:
                # The receipts of the files that were taken before are not lost with this one.
                return untaken(path, error)
            finally:
                progress.advance(bar)

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(path)) for path in files]
    return [task.result() for task in tasks]


def untaken(path: Path, error: StoreError) -> Receipt:
    """The receipt of a file that the data folder refused."""
    from core.knowledge.documents import Receipt

    values = {name: str(value) for name, value in error.values.items()}
    name = shown_name(path.name)
    return Receipt(document="", name=name, status="failed", reason=error.key, values=values)


def _progress() -> Progress:
    """Bars on standard error; nothing at all where nobody looks."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        console=Console(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty(),
    )


def receipt_json(receipt: Receipt) -> dict[str, Any]:
    reason = ""
    if receipt.reason:
        values = {"name": receipt.name, **receipt.values}
        reason = say(receipt.reason, shell.language(), **values)
    return {
        "name": receipt.name,
        "status": receipt.status,
        "reason": reason,
        "pages": receipt.pages,
        "passages": receipt.passages,
        "version": receipt.version,
    }


@documents.callback(invoke_without_command=True)
def overview(context: typer.Context) -> None:
    """List, show or delete a channel's documents."""
    if context.invoked_subcommand is None:
        shell.print_text(context.get_help())


@documents.command("list")
def list_(channel: str = CHANNEL, as_json: bool = JSON) -> int:
    """The channel's documents, newest first."""
    found = asyncio.run(_listed(channel))
    if as_json:
        shell.print_json({"documents": [info_json(info) for info in found]})
    elif not found:
        shell.print_text(say("cli.no_documents", shell.language(), channel=channel))
    for info in [] if as_json else found:
        shell.print_text(
            f"{info.id}  {info.status:<11} {info.pages:>4} p {info.passages:>5} §  {info.name}"
        )
    return 0


@documents.command("show")
def show(
    name: str = typer.Argument(help="The document's name or id."),
    channel: str = CHANNEL,
    page: int = typer.Option(1, min=1, help="Which page."),
    as_json: bool = JSON,
) -> int:
    """One document: what is known of it, and a page's text."""
    return asyncio.run(_show(name, channel, page, as_json))


@documents.command("delete")
def delete(
    name: str = typer.Argument(help="The document's name or id."),
    channel: str = CHANNEL,
    as_json: bool = JSON,
) -> int:
    """Delete a document with all its passages and versions."""
    return asyncio.run(_delete(name, channel, as_json))


async def _listed(channel: str) -> list[DocumentInfo]:
    async with shell.opened() as core:
        return await core.library.listing(await shell.kbs_of(core, channel), MOST_LISTED)


async def _show(name: str, channel: str, page: int, as_json: bool) -> int:
    async with shell.opened() as core:
        kbs = await shell.kbs_of(core, channel)
        info = await named(core.library, kbs, name, channel)
        text = await core.library.page(kbs, info.id, page)
    if page > max(text.pages, 1):
        raise KnowledgeError(key="cli.no_page", name=info.name, page=page, pages=text.pages)
    if as_json:
        shell.print_json(info_json(info) | {"page": text.page, "text": text.text})
        return 0
    shell.print_text(f"{info.name} · v{info.version} · {text.page}/{text.pages}\n\n{text.text}")
    return 0


async def _delete(name: str, channel: str, as_json: bool) -> int:
    async with shell.opened() as core:
        kbs = await shell.kbs_of(core, channel)
        info = await named(core.library, kbs, name, channel)
        # Who has a shell on the data folder owns it: no further right is asked for.
        removed = await core.library.delete(kbs, info.id, info.owner)
    if as_json:
        shell.print_json({"deleted": removed.model_dump()})
    else:
        counts = removed_counts(removed, shell.language())
        shell.print_text(say("cli.deleted", shell.language(), name=removed.name, counts=counts))
    return 0


async def named(library: Library, kbs: list[int], name: str, channel: str) -> DocumentInfo:
    """The one document of that id or name; KnowledgeError lists what there is instead."""
    held = await library.listing(kbs, MOST_LISTED)
    wanted = name_key(name)
    found = [info for info in held if info.id == name] or [
        info for info in held if name_key(info.name) == wanted
    ]
    if len(found) == 1:
        return found[0]
    if found:
        ids = ", ".join(info.id for info in found)
        raise KnowledgeError(key="cli.several", name=name, known=ids)
    known = ", ".join(info.name for info in held[:20]) or "-"
    raise KnowledgeError(key="cli.no_document", channel=channel, name=shown_name(name), known=known)


def info_json(info: DocumentInfo) -> dict[str, Any]:
    kept = {"id", "name", "status", "pages", "passages", "characters", "version", "added_at"}
    return info.model_dump(include=kept | {"owner", "link"})
