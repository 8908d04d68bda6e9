"""What a file is, by its bytes; the name's ending only decides between kinds of plain text."""

from __future__ import annotations

import json
import re
from pathlib import PurePosixPath
from typing import Literal

from core.knowledge.parse.decode import MARKS, bare_utf16, decode
from core.knowledge.parse.state import Refused

Format = Literal[
    "pdf", "docx", "pptx", "xlsx", "epub", "odt", "zip", "msg", "rtf",
    "html", "eml", "csv", "md", "json", "code", "txt",
]  # fmt: skip

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
OFFICE = {"docx", "docm", "pptx", "pptm", "xlsx", "xlsm"}
LEGACY = {"doc", "xls", "ppt", "dot", "pps", "xlt"}
PAPER = OFFICE | LEGACY | {"pdf", "epub", "msg", "odt", "zip"}
"""Endings of formats that are never plain text or a web page."""

PICTURES = (
    b"\x89PNG\r\n", b"\xff\xd8\xff", b"GIF8", b"II*\x00", b"MM\x00*", b"BM",
)  # fmt: skip
BINARIES = (
    (b"\x1f\x8b", "gzip"), (b"7z\xbc\xaf\x27\x1c", "7z"), (b"Rar!", "rar"), (b"BZh", "bzip2"),
    (b"\xfd7zXZ", "xz"), (b"\x28\xb5\x2f\xfd", "zstd"), (b"MZ", "exe"), (b"\x7fELF", "elf"),
    (b"OggS", "ogg"), (b"ID3", "mp3"), (b"\xff\xfb", "mp3"), (b"fLaC", "flac"),
    (b"SQLite format 3\x00", "sqlite"), (b"wOFF", "font"), (b"\xca\xfe\xba\xbe", "class"),
)  # fmt: skip

CODE = {
    "py", "pyi", "js", "mjs", "cjs", "jsx", "ts", "tsx", "vue", "go", "rs", "java", "kt", "kts",
    "scala", "c", "h", "cc", "cpp", "cxx", "hpp", "cs", "swift", "m", "rb", "php", "pl", "lua", "r",
    "sh", "bash", "zsh", "ps1", "bat", "sql", "css", "scss", "less", "yaml", "yml", "toml", "ini",
    "cfg", "conf", "env", "properties", "proto", "graphql", "tf", "gradle", "cmake", "mk", "dart",
    "ex", "exs", "erl", "hs", "clj", "jl", "nim", "zig", "xml", "xsd", "svg", "diff", "patch",
}  # fmt: skip
CODE_NAMES = {"dockerfile", "makefile", "rakefile", "gemfile", "procfile", "jenkinsfile", ".env"}

HTML_START = re.compile(
    r"\s*(?:<\?xml[^>]*\?>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b", re.I | re.S
)
HTML_PIECE = re.compile(r"<(?:p|div|h[1-6]|table|ul|ol|span|script|style|title|a)\b[^>]*>", re.I)
MAIL_HEADER = re.compile(
    r"^(?:from|to|cc|subject|date|received|message-id|mime-version|return-path|delivered-to"
    r"|content-type|reply-to|x-[\w-]+):",
    re.I,
)


def ending(name: str) -> str:
    """The name's last ending in lower case, without the dot."""
    return PurePosixPath(name.replace("\\", "/")).suffix.lower().lstrip(".").strip()


def sniff(data: bytes, name: str) -> Format:
    """The format; raises Refused for what cannot be read, with the way out."""
    if b"%PDF-" in data[:1024]:
        return "pdf"
    if data[:4] in (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08"):
        return "zip"
    if data.startswith(OLE):
        return sniff_ole(data, name)
    if data.startswith(b"{\\rtf"):
        return "rtf"
    refuse_binary(data, name)
    return sniff_text(data, name)


def sniff_ole(data: bytes, name: str) -> Format:
    """Outlook messages and encrypted Office files share the container of the old Office."""
    streams = {key: key.encode("utf-16-le") in data for key in ("EncryptedPackage", "__substg1.0_")}
    if streams["EncryptedPackage"]:
        raise Refused("encrypted", "parse.encrypted")
    if streams["__substg1.0_"]:
        return "msg"
    if ending(name) in OFFICE and not old_office(data):
        raise Refused("encrypted", "parse.encrypted")
    raise Refused("unsupported", "parse.legacy_office")


def old_office(data: bytes) -> bool:
    return any(
        key.encode("utf-16-le") in data for key in ("WordDocument", "Workbook", "PowerPoint Doc")
    )


def refuse_binary(data: bytes, name: str) -> None:
    riff = data[:4] == b"RIFF"
    picture = (riff and data[8:12] == b"WEBP") or (data[4:8] == b"ftyp" and b"hei" in data[8:24])
    if picture or any(data.startswith(magic) for magic in PICTURES):
        raise Refused("unsupported", "parse.picture")
    if riff or data[4:8] == b"ftyp":
        raise Refused("unsupported", "parse.unsupported", kind="audio/video")
    for magic, kind in BINARIES:
        if data.startswith(magic):
            raise Refused("unsupported", "parse.unsupported", kind=kind)
    if looks_binary(data):
        if ending(name) in PAPER:
            raise Refused("corrupt", "parse.damaged")
        raise Refused("unsupported", "parse.unsupported", kind=ending(name) or "binary")


STRANGE_SHARE = 0.05
"""Random bytes have .11 of them."""


def looks_binary(data: bytes) -> bool:
    """Control bytes that no text holds, unless it is UTF-16."""
    sample = data[:8192]
    if any(sample.startswith(mark) for mark, _ in MARKS) or bare_utf16(sample):
        return False
    strange = sum(sample.count(byte) for byte in (*range(9), *range(14, 27), *range(28, 32)))
    return strange > len(sample) * STRANGE_SHARE


def sniff_text(data: bytes, name: str) -> Format:
    end = ending(name)
    head = decode(data[:4096], declared=True)
    html = bool(HTML_START.match(head))
    if html and end in PAPER | {"csv", "png", "jpg", "jpeg"}:
        # Platforms answer a download without rights with their login page and status 200.
        raise Refused("corrupt", "parse.html_instead", kind=end.upper())
    if html or (end in ("html", "htm", "xhtml") and HTML_PIECE.search(head)):
        return "html"
    if end == "eml" or is_mail(head):
        return "eml"
    return plain_kind(data, name, end)


def is_mail(head: str) -> bool:
    """At least three mail headers, and nothing else, before the first blank line."""
    lines = head.replace("\r\n", "\n").split("\n\n", 1)[0].split("\n")
    heads = [line for line in lines if not line.startswith((" ", "\t"))]
    return len(heads) >= 3 and all(re.match(r"[\w-]+:", line) for line in heads[:-1]) and (
        sum(1 for line in heads if MAIL_HEADER.match(line)) >= 3
    )  # fmt: skip


def plain_kind(data: bytes, name: str, end: str) -> Format:
    if end in ("csv", "tsv"):
        return "csv"
    if end in ("md", "markdown", "mdx", "mdown"):
        return "md"
    if end in ("json", "jsonl", "ndjson", "geojson", "ipynb"):
        return "json"
    if end in CODE or PurePosixPath(name).name.lower() in CODE_NAMES:
        return "code"
    if data.lstrip()[:1] in (b"{", b"[") and end in ("", "txt") and is_json(data):
        return "json"
    return "txt"


def is_json(data: bytes) -> bool:
    try:
        json.loads(decode(data))
    except (ValueError, RecursionError):
        return False
    return True
