"""Zip checks before any reader sees the file: entries, sizes, ratio, encryption, what it holds."""

from __future__ import annotations

import io
import re
import stat
import zipfile
import zlib

from core.knowledge.parse.decode import guess
from core.knowledge.parse.kinds import Format
from core.knowledge.parse.state import Refused

MAX_ENTRIES = 10_000
ENTRY_MARK = b"PK\x01\x02"
"""Begins each entry of a zip's directory."""
MAX_INFLATED = 300 * 2**20
"""Bytes of all entries together. Big workbooks inflate to some 100 MB."""
MAX_RATIO = 100
"""Office files stay under 30; bombs begin at 1,000."""
RATIO_FROM = 2**20
"""Small entries may be mostly blank and compress well; they hurt nobody."""

ENTITY = re.compile(rb"<!(?:DOCTYPE|ENTITY)", re.I)
HEAD = 16_384
"""Bytes of each XML part searched for a DOCTYPE: it must stand before the first element."""

BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, KeyError, IndexError,
          NotImplementedError, RuntimeError)  # fmt: skip
"""What `zipfile` raises on damaged, encrypted or exotic archives."""


def open_checked(data: bytes, max_entries: int = MAX_ENTRIES) -> zipfile.ZipFile:
    """The archive, inside all limits; raises Refused. Nothing is ever written to disk."""
    # Counted before the directory is read: that alone takes seconds where there are too many.
    if (count := data.count(ENTRY_MARK)) > max_entries:
        raise Refused("unsupported", "parse.archive_entries", entries=count, limit=max_entries)
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except BROKEN:
        raise Refused("corrupt", "parse.damaged") from None
    entries = archive.infolist()
    inflated = sum(entry.file_size for entry in entries)
    if inflated > MAX_INFLATED or any(too_dense(entry) for entry in entries):
        raise Refused("unsupported", "parse.archive_bomb", size=inflated // 2**20 or 1)
    if any(entry.flag_bits & 1 for entry in entries):
        raise Refused("encrypted", "parse.encrypted")
    return archive


def too_dense(entry: zipfile.ZipInfo) -> bool:
    return (
        entry.file_size > RATIO_FROM and entry.file_size > max(1, entry.compress_size) * MAX_RATIO
    )


def is_file(entry: zipfile.ZipInfo) -> bool:
    """Something to read: no folder, nothing empty, no link (its text is a path elsewhere)."""
    link = stat.S_ISLNK(entry.external_attr >> 16)
    return not entry.is_dir() and entry.file_size > 0 and not link


def kind_of(archive: zipfile.ZipFile) -> Format:
    """Which document the archive is, by its parts; `zip` if it is just an archive."""
    names = set(archive.namelist())
    for folder, kind in (("word/", "docx"), ("ppt/", "pptx"), ("xl/", "xlsx")):
        if "[Content_Types].xml" in names and any(name.startswith(folder) for name in names):
            refuse_entities(archive)
            return kind  # type: ignore[return-value]  # the three literals above
    if "mimetype" in names:
        mime = read(archive, archive.getinfo("mimetype"), 100).strip()
        if mime == b"application/epub+zip":
            return "epub"
        if mime.startswith(b"application/vnd.oasis.opendocument.text"):
            refuse_entities(archive)
            return "odt"
    return "epub" if "META-INF/container.xml" in names else "zip"


def refuse_entities(archive: zipfile.ZipFile) -> None:
    """Office parts never have a DOCTYPE; one that has wants to expand or read something."""
    for entry in archive.infolist():
        if entry.filename.lower().endswith((".xml", ".rels")):
            head = read(archive, entry, HEAD).replace(b"\x00", b"")
            if ENTITY.search(head):
                raise Refused("corrupt", "parse.entities")


def read(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, limit: int) -> bytes:
    """At most `limit` bytes of an entry; raises Refused if it is damaged."""
    try:
        with archive.open(entry) as part:
            return part.read(limit)
    except BROKEN:
        raise Refused("corrupt", "parse.damaged") from None


def entry_name(entry: zipfile.ZipInfo) -> str:
    """The entry's name for showing: GBK and other names without the UTF-8 flag decoded, and no
    part that climbs out of the archive."""
    name = entry.filename
    if not entry.flag_bits & 0x800:
        raw = name.encode("cp437", "replace")
        if not raw.isascii():
            try:
                name = raw.decode("utf-8")
            except UnicodeDecodeError:
                name = raw.decode(guess(raw), "replace")
    parts = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".", "..")]
    return "/".join(parts)
