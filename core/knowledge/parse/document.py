"""The way of one file: magic -> archive checks -> reader -> quality gate -> second reader."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from core.knowledge.parse import archive, mail, markup, plain
from core.knowledge.parse.clean import clean
from core.knowledge.parse.decode import decode
from core.knowledge.parse.kinds import Format, sniff
from core.knowledge.parse.model import Block, Parsed, Skipped
from core.knowledge.parse.outline import MAX_CHARACTERS, Outline
from core.knowledge.parse.state import Refused

PARSER = "threadmate/1"
"""Our own readers: text, Markdown, tables, JSON, code, HTML, mail, archives."""

MAX_DEPTH = 1
"""Files inside an archive or a mail are read; archives inside those are only named."""
MAX_MEMBERS = 200
MAX_MEMBER = 20 * 2**20
"""Bytes of one file inside an archive."""

MOJIBAKE_SHARE = 0.3
"""Share of U+00A1-00FF among the visible characters. Seen: .81 and more on text read in the wrong
encoding, under .1 in the most accented European languages."""
BROKEN_SHARE = 0.05
"""Share of U+FFFD and private-use characters."""


def parse(data: bytes, name: str, depth: int = 0) -> Parsed:
    """What the file holds, or why it cannot be read. `name` is for its ending and for showing."""
    try:
        if not data.strip(b" \t\r\n\x00\xef\xbb\xbf"):
            raise Refused("empty", "parse.empty")
        kind = sniff(data, name)
        if kind == "zip":
            kind = archive.kind_of(archive.open_checked(data))
        parsed = READERS.get(kind, read_plain)(data, name, kind, depth)
        return gated(parsed, data, name, kind)
    except Refused as refused:
        return refused.parsed(name)


def read_pdf(data: bytes, name: str, kind: Format, depth: int) -> Parsed:
    from core.knowledge.parse.pdf import parse_pdf

    return parse_pdf(data, name)


def read_office(data: bytes, name: str, kind: Format, depth: int) -> Parsed:
    from core.knowledge.parse.office import parse_office

    parsed = parse_office(data, name, kind)
    if not parsed.blocks and kind in ("docx", "pptx", "odt") and has_pictures(data):
        raise Refused("needs_ocr", "parse.pictures_only")
    return parsed


def has_pictures(data: bytes) -> bool:
    names = archive.open_checked(data).namelist()
    return any("media/" in name or name.startswith("Pictures/") for name in names)


def read_plain(data: bytes, name: str, kind: Format, depth: int) -> Parsed:
    outline = Outline()
    text = decode(data, declared=kind == "html")
    if kind == "html":
        title = markup.read_html(text, outline)
    elif kind == "csv":
        title = plain.read_csv(text, outline, name)
    else:
        title = PLAIN.get(kind, plain.read_text)(text, outline)
    return finish(outline, title, ())


PLAIN: dict[str, Callable[[str, Outline], str]] = {
    "md": plain.read_markdown,
    "json": plain.read_json,
    "code": plain.read_code,
    "txt": plain.read_text,
}


def read_mail(data: bytes, name: str, kind: Format, depth: int) -> Parsed:
    outline = Outline()
    title, attached = mail.read_mail(data, outline)
    skipped = list(read_members(iter(attached), outline, depth))
    return finish(outline, title, tuple(skipped), partial=False)


def read_archive(data: bytes, name: str, kind: Format, depth: int) -> Parsed:
    if depth:
        raise Refused("unsupported", "parse.nested_archive")
    opened = archive.open_checked(data)
    entries = [entry for entry in opened.infolist() if archive.entry_name(entry)]
    outline = Outline()
    outline.paragraph("\n".join(archive.entry_name(entry) for entry in entries))
    files = [entry for entry in entries if archive.is_file(entry)]

    def members() -> Iterator[tuple[str, bytes]]:
        for entry in files:
            yield archive.entry_name(entry), archive.read(opened, entry, MAX_MEMBER + 1)

    return finish(outline, "", tuple(read_members(members(), outline, depth)))


def read_members(
    members: Iterator[tuple[str, bytes]], outline: Outline, depth: int
) -> Iterator[Skipped]:
    """Read files inside a file under their names; yields those that could not be read."""
    for number, (name, data) in enumerate(members):
        if number >= MAX_MEMBERS or outline.full:
            yield Skipped(key="parse.members_over", values={"limit": str(MAX_MEMBERS)})
            return
        if depth >= MAX_DEPTH:
            yield Skipped(key="parse.member_skipped", values={"name": name})
        elif len(data) > MAX_MEMBER:
            values = {"name": name, "limit": str(MAX_MEMBER // 2**20)}
            yield Skipped(key="parse.member_too_large", values=values)
        else:
            parsed = parse(data, name, depth + 1)
            add_member(name, parsed, outline)
            if parsed.reason:
                yield Skipped(key=parsed.reason, values={**parsed.values, "name": name})


def add_member(name: str, parsed: Parsed, outline: Outline) -> None:
    if parsed.blocks:
        outline.heading(1, name)
    for block in parsed.blocks:
        for level, heading in enumerate(block.heading, start=2):
            if outline.path[level - 1 : level] != (heading,):
                outline.heading(level, heading)
        if block.kind == "table":
            outline.table(block.text)
        elif block.kind == "code":
            outline.code(block.text)
        else:
            outline.paragraph(block.text)


def finish(
    outline: Outline, title: str, skipped: tuple[Skipped, ...], partial: bool = True
) -> Parsed:
    return Parsed(
        status="partial" if skipped and partial else "ready",
        reason="parse.partly" if skipped and partial else "",
        title=title,
        blocks=outline.done(),
        skipped=skipped,
        parser=PARSER,
    )


READERS: dict[str, Callable[[bytes, str, Format, int], Parsed]] = {
    "pdf": read_pdf,
    **dict.fromkeys(("docx", "pptx", "xlsx", "epub", "odt", "msg", "rtf"), read_office),
    "eml": read_mail,
    "zip": read_archive,
}


def gated(parsed: Parsed, data: bytes, name: str, kind: Format) -> Parsed:
    """`parsed` if its text is text; a second reading of a PDF if not; else Refused."""
    if parsed.status not in ("ready", "partial"):
        return parsed
    if not any(block.text.strip() for block in parsed.blocks):
        raise Refused("empty", "parse.empty")
    if is_garbled(block.text for block in parsed.blocks):
        parsed = second_reading(parsed, data, kind)
    if sum(len(block.text) for block in parsed.blocks) >= MAX_CHARACTERS:
        limit = {"limit": str(MAX_CHARACTERS)}
        cut = Skipped(key="parse.text_over", values=limit)
        parsed = parsed.model_copy(
            update={
                "status": "partial",
                "reason": "parse.partly",
                "skipped": (*parsed.skipped, cut),
            }
        )
    return parsed.model_copy(update={"values": {"name": name, **parsed.values}})


def second_reading(parsed: Parsed, data: bytes, kind: Format) -> Parsed:
    if kind == "pdf":
        from core.knowledge.parse.office import PARSER as SECOND
        from core.knowledge.parse.office import pdf_text

        texts = [clean(text) for text in pdf_text(data)]
        if any(text.strip() for text in texts) and not is_garbled(iter(texts)):
            blocks = tuple(
                Block(page=page, text=text)
                for page, text in enumerate(texts, start=1)
                if text.strip()
            )
            return parsed.model_copy(update={"blocks": blocks, "parser": SECOND})
    raise Refused("failed", "parse.garbled")


def is_garbled(texts: Iterator[str]) -> bool:
    visible = strange = broken = 0
    for text in texts:
        for char in text:
            if not char.isspace():
                visible += 1
                strange += "\u00a1" <= char <= "\u00ff"
                broken += char == "\ufffd" or "\ue000" <= char <= "\uf8ff"
    if not visible:
        return False
    return strange / visible > MOJIBAKE_SHARE or broken / visible > BROKEN_SHARE
