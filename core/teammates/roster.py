"""The roster: who is there. Files are looked at for every request and read when they changed."""

from __future__ import annotations

import asyncio
import errno
import logging
from dataclasses import dataclass, field, replace
from pathlib import Path

from core.request import TeammateCard
from core.teammates.card import FILE_BYTES, card_of
from core.teammates.front_matter import FileError, Refused
from core.teammates.names import folded, mentioned

log = logging.getLogger(__name__)

SHIPPED = Path(__file__).resolve().parents[2] / "teammates"
"""Beside the packages, in a checkout and in an installed copy alike."""
DEFAULT = "generalist"
"""Who answers where nobody is named; the bot itself, under its own name and face."""
MOST_FILES = 200

Stamp = tuple[int, int, int]
"""Of a file: its time in ns, its size, its inode. A change within one tick changes one of them."""


@dataclass(frozen=True)
class Team:
    """Who is there at one moment; a run sees one team from its beginning to its end."""

    cards: tuple[TeammateCard, ...] = ()
    errors: tuple[FileError, ...] = ()
    """Files that are not read as they are; the others work."""
    files: tuple[tuple[str, Path], ...] = ()
    """The file of each card."""

    def get(self, name: str) -> TeammateCard | None:
        """The card of a name or alias, with or without @, case aside."""
        wanted = folded(name.strip().lstrip("@＠"))
        for card in self.cards:
            if wanted in {folded(known) for known in (card.name, *card.aliases)}:
                return card
        return None

    def named(self, text: str) -> tuple[str, ...]:
        """Names that `text` addresses with @, in its order."""
        return mentioned(text, self.cards)

    def usual(self, name: str = DEFAULT) -> TeammateCard:
        """Who answers where nobody is named: `name`, else the bot without any card."""
        return self.get(name) or TeammateCard()


@dataclass(frozen=True)
class _File:
    stamp: Stamp
    card: TeammateCard | None
    """As it is, or as it was before it broke."""
    error: FileError | None


@dataclass
class Roster:
    """Teammates of the installation's own folder, and those that ship unless it has their names.

    An own file that cannot be read keeps the card that was last read from it; a shipped one of its
    name does not step in, for it may be allowed more.
    """

    folder: Path | None = None
    shipped: Path | None = SHIPPED
    _files: dict[Path, _File] = field(default_factory=dict[Path, _File])
    _seen: object = None
    _team: Team = Team()

    async def team(self) -> Team:
        """Who is there now; looks at the files off the event loop."""
        return await asyncio.to_thread(self.look)

    def look(self) -> Team:
        """Who is there now; reads what changed since the last look."""
        own = _listed(self.folder)
        # A checkout's own folder is the one that ships.
        shipped = _Listing() if _same(self.folder, self.shipped) else _listed(self.shipped)
        stamps = own.stamps | shipped.stamps
        troubles = (*own.troubles, *shipped.troubles)
        if self._seen != (stamps, troubles):
            self._seen = (stamps, troubles)
            self._files = {
                path: _read(path, stamp, self._files.get(path)) for path, stamp in stamps.items()
            }
            self._team = self._joined(own, shipped)
            for error in self._team.errors:
                log.warning("teammate %s", error.told("en"))
        return self._team

    def _joined(self, own: _Listing, shipped: _Listing) -> Team:
        """One team of both folders. A name is the first file's that has it, own ones first."""
        seats = _Seats([*own.troubles, *shipped.troubles])
        for path in own.stamps:
            seats.take(path, self._files[path], own=True)
        for path in shipped.stamps:
            seats.take(path, self._files[path], own=False)
        cards = tuple(card for card, _ in seats.cards)
        files = tuple((card.name, path) for card, path in seats.cards)
        return Team(cards, tuple(seats.errors), files)


@dataclass
class _Seats:
    """Who has which name, while the files are gone through."""

    errors: list[FileError]
    cards: list[tuple[TeammateCard, Path]] = field(default_factory=list[tuple[TeammateCard, Path]])
    taken: dict[str, str] = field(default_factory=dict[str, str])
    """Folded name -> file."""

    def take(self, path: Path, file: _File, *, own: bool) -> None:
        """Give the names of a file to its card. A shipped one gives way without a word."""
        if file.error is not None:
            self.errors.append(file.error)
        card = file.card
        if card is None:
            # The name stays with the broken file: nobody else answers to it meanwhile.
            self.taken.setdefault(folded(path.stem), path.name)
            return
        free = [name for name in (card.name, *card.aliases) if folded(name) not in self.taken]
        if own and len(free) <= len(card.aliases):
            lost = next(name for name in (card.name, *card.aliases) if name not in free)
            values: dict[str, object] = {"name": lost, "other": self.taken[folded(lost)]}
            self.errors.append(FileError("teammates.taken", values, file=path.name))
        if card.name not in free:
            return
        self.taken |= {folded(name): path.name for name in free}
        self.cards.append((card.model_copy(update={"aliases": tuple(free[1:])}), path))


@dataclass(frozen=True)
class _Listing:
    """The teammates' files of a folder, and what is wrong with the folder itself."""

    stamps: dict[Path, Stamp] = field(default_factory=dict[Path, Stamp])
    troubles: tuple[FileError, ...] = ()


def _listed(folder: Path | None) -> _Listing:
    """What is in a folder; most installations have none of their own, which is no trouble."""
    if folder is None:
        return _Listing()
    try:
        paths = sorted(path for path in folder.iterdir() if _is_card(path))
    except FileNotFoundError:
        return _Listing()
    except OSError as error:
        values: dict[str, object] = {"reason": error.strerror or type(error).__name__}
        return _Listing(troubles=(FileError("teammates.unreadable", values, file=folder.name),))
    stamps: dict[Path, Stamp] = {}
    for path in paths[:MOST_FILES]:
        try:
            status = path.stat()
        except OSError:
            stamps[path] = (0, 0, 0)  # A link to nowhere: reading it tells what is wrong.
        else:
            stamps[path] = (status.st_mtime_ns, status.st_size, status.st_ino)
    if len(paths) <= MOST_FILES:
        return _Listing(stamps)
    many = FileError("teammates.most_files", {"most": MOST_FILES}, file=folder.name)
    return _Listing(stamps, (many,))


def _read(path: Path, stamp: Stamp, before: _File | None) -> _File:
    if before is not None and before.stamp == stamp:
        return before
    try:
        if not path.is_file():
            raise OSError(errno.EINVAL, "not a file")  # A pipe would be waited for.
        with path.open("rb") as file:
            # One byte more than allowed is enough to tell that it is too big.
            data = file.read(FILE_BYTES + 1)
        return _File(stamp, card_of(data, path.stem), None)
    except Refused as refused:
        wrong = replace(refused.error, file=path.name)
    except OSError as error:
        reason: dict[str, object] = {"reason": error.strerror or type(error).__name__}
        wrong = FileError("teammates.unreadable", reason, file=path.name)
    return _File(stamp, before.card if before is not None else None, wrong)


def _is_card(path: Path) -> bool:
    name = path.name
    hidden = name.startswith((".", "_")) or path.stem.casefold() == "readme"
    return path.suffix.casefold() == ".md" and not hidden


def _same(one: Path | None, other: Path | None) -> bool:
    return one is not None and other is not None and one.resolve() == other.resolve()
