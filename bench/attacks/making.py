"""Hostile files from their description; no bomb is stored anywhere."""

from __future__ import annotations

import base64
import gzip
import io
import random
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from bench.attacks.row import Unknown

Spec = dict[str, Any]
PAYLOAD = "INNERMOST-PAYLOAD"
PART = 2**20


def make(spec: Spec) -> tuple[str, bytes]:
    """A file's name and its bytes."""
    kind = str(spec.get("make", ""))
    if kind in MAKERS:
        return MAKERS[kind](spec)
    if "text" in spec and kind.isalnum():
        return f"hostile.{kind}", str(spec["text"]).encode(str(spec.get("encoding", "utf-8")))
    if "base64" in spec:
        return f"hostile.{kind}", base64.b64decode(str(spec["base64"]))
    if "hex" in spec:
        return f"hostile.{kind}", bytes.fromhex(str(spec["hex"]))
    raise Unknown(f"file of kind {kind!r}")


def zip_of(spec: Spec) -> tuple[str, bytes]:
    entries: list[Spec] = list(spec.get("entries") or ())
    count = int(spec.get("entries_count", 0))
    entries += [{"name": f"{number}.txt", "byte": "x", "size": 1} for number in range(count)]
    if count or any(int(entry.get("size", 0)) > 50 * PART for entry in entries):
        return "hostile.zip", big_zip(entries)
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as made:
        for entry in entries:
            made.writestr(entry_info(entry), entry_bytes(entry))
    return "hostile.zip", target.getvalue()


def entry_info(entry: Spec) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(str(entry["name"]))
    info.compress_type = zipfile.ZIP_DEFLATED
    link = entry.get("symlink") or entry.get("link")
    info.external_attr = (0o120777 if link else 0o100644) << 16
    return info


def entry_bytes(entry: Spec) -> bytes:
    if link := entry.get("symlink") or entry.get("link"):
        return str(link).encode()
    if "text" in entry:
        return str(entry["text"]).encode()
    return str(entry.get("byte", "0")).encode()[:1] * int(entry.get("size", 0))


def big_zip(entries: list[Spec]) -> bytes:
    """An archive whose entries repeat one byte; what it inflates to is never held."""
    body, directory = io.BytesIO(), io.BytesIO()
    for entry in entries:
        name, size = str(entry["name"]).encode(), int(entry.get("size", 0))
        data, crc = repeated(str(entry.get("byte", "0")).encode()[:1] or b"0", size)
        fields = struct.pack("<HHHHHIII", 20, 0, 8, 0, 0x21, crc, len(data), size)
        tail = struct.pack("<HH", len(name), 0)
        directory.write(b"PK\x01\x02" + struct.pack("<H", 20) + fields + tail)
        directory.write(struct.pack("<HHHII", 0, 0, 0, 0o100644 << 16, body.tell()) + name)
        body.write(b"PK\x03\x04" + fields + tail + name + data)
    listing, start = directory.getvalue(), body.tell()
    # The old format counts to 65,535; readers go on while entries follow.
    count = min(len(entries), 0xFFFF)
    end = struct.pack("<HHHHIIH", 0, 0, count, count, len(listing), start, 0)
    return body.getvalue() + listing + b"PK\x05\x06" + end


@lru_cache(8)
def repeated(byte: bytes, size: int) -> tuple[bytes, int]:
    """`size` times `byte`, deflated in equal blocks, and its checksum."""
    block = byte * PART
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    first = packer.compress(block) + packer.flush(zlib.Z_FULL_FLUSH)
    whole, rest = divmod(size, PART)
    crc = 0
    for _ in range(whole):
        crc = zlib.crc32(block, crc)
    crc = zlib.crc32(byte * rest, crc)
    last = zlib.compressobj(9, zlib.DEFLATED, -15)
    return first * whole + last.compress(byte * rest) + last.flush(), crc


def zip_nested(spec: Spec) -> tuple[str, bytes]:
    data, name = PAYLOAD.encode(), "inner.txt"
    for _ in range(int(spec.get("depth", 1))):
        target = io.BytesIO()
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as made:
            made.writestr(name, data)
        data, name = target.getvalue(), "inner.zip"
    return "hostile.zip", data


OFFICE_PARTS = {
    "docx": ("word/document.xml", "wordprocessingml.document.main"),
    "xlsx": ("xl/workbook.xml", "spreadsheetml.sheet.main"),
    "pptx": ("ppt/presentation.xml", "presentationml.presentation.main"),
}


def xml_in(ending: str) -> Callable[[Spec], tuple[str, bytes]]:
    """An Office file whose main part is the row's XML."""

    def made(spec: Spec) -> tuple[str, bytes]:
        part, kind = OFFICE_PARTS[ending]
        mime = f"application/vnd.openxmlformats-officedocument.{kind}+xml"
        target = io.BytesIO()
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(
                "[Content_Types].xml",
                '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/'
                'content-types"><Default Extension="rels" ContentType="application/vnd.openxml'
                'formats-package.relationships+xml"/><Default Extension="xml" ContentType='
                f'"application/xml"/><Override PartName="/{part}" ContentType="{mime}"/></Types>',
            )
            archive.writestr(
                "_rels/.rels",
                '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/'
                'package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.open'
                'xmlformats.org/officeDocument/2006/relationships/officeDocument" '
                f'Target="{part}"/></Relationships>',
            )
            archive.writestr(part, str(spec.get("text", "")))
        return f"hostile.{ending}", target.getvalue()

    return made


def png_header(spec: Spec) -> tuple[str, bytes]:
    size = struct.pack(">IIBBBBB", int(spec["width"]), int(spec["height"]), 8, 6, 0, 0, 0)
    chunk = b"IHDR" + size
    checksum = struct.pack(">I", zlib.crc32(chunk))
    return "hostile.png", b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + chunk + checksum


def pdf_pages(spec: Spec) -> tuple[str, bytes]:
    """Pages with a line of text each, all showing the same content."""
    count = int(spec.get("count", 1))
    line = b"BT /F 12 Tf 40 700 Td (One line of ordinary words on this page.) Tj ET"
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Count %d/Kids[%s]>>"
        % (count, b" ".join(b"%d 0 R" % (5 + n) for n in range(count))),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(line), line),
    ]
    page = (
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources<</Font<</F 3 0 R>>>>"
        b"/Contents 4 0 R>>"
    )
    out, offsets = io.BytesIO(), list[int]()
    out.write(b"%PDF-1.4\n")
    for number, body in enumerate([*objects, *([page] * count)], start=1):
        offsets.append(out.tell())
        out.write(b"%d 0 obj\n%s\nendobj\n" % (number, body))
    start = out.tell()
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(offsets) + 1))
    out.write(b"".join(b"%010d 00000 n \n" % offset for offset in offsets))
    out.write(b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (len(offsets) + 1, start))
    return "hostile.pdf", out.getvalue()


def nested_html(spec: Spec) -> tuple[str, bytes]:
    depth = int(spec.get("depth", 1))
    return "hostile.html", b"<div>" * depth + b"x" + b"</div>" * depth


def nested_json(spec: Spec) -> tuple[str, bytes]:
    depth = int(spec.get("depth", 1))
    return "hostile.json", b"[" * depth + b"]" * depth


def big_text(spec: Spec) -> tuple[str, bytes]:
    size = int(spec.get("size") or spec.get("bytes") or spec.get("n") or 0)
    byte = str(spec.get("byte") or spec.get("repeat") or "a").encode()
    return "hostile.txt", (byte * (size // len(byte) + 1))[:size]


def gzip_of(spec: Spec) -> tuple[str, bytes]:
    data = str(spec["text"]).encode() if "text" in spec else big_text(spec)[1]
    return "hostile.gz", gzip.compress(data)


def tar_of(spec: Spec) -> tuple[str, bytes]:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w") as made:
        for entry in spec.get("entries") or ():
            info = tarfile.TarInfo(str(entry["name"]))
            if link := entry.get("symlink") or entry.get("link"):
                info.type, info.linkname = tarfile.SYMTYPE, str(link)
            data = b"" if link else entry_bytes(entry)
            info.size = len(data)
            made.addfile(info, io.BytesIO(data))
    return "hostile.tar", target.getvalue()


def noise(spec: Spec) -> tuple[str, bytes]:
    """Bytes without a pattern, the same each time."""
    size = int(spec.get("size") or spec.get("bytes") or 1000)
    made = random.Random(7).randbytes(size)
    return f"hostile.{spec.get('ending', 'bin')}", made


MAKERS: dict[str, Callable[[Spec], tuple[str, bytes]]] = {
    "zip": zip_of,
    "zip_nested": zip_nested,
    "xml_in_docx": xml_in("docx"),
    "xml_in_xlsx": xml_in("xlsx"),
    "xml_in_pptx": xml_in("pptx"),
    "png_header_only": png_header,
    "pdf_pages": pdf_pages,
    **dict.fromkeys(("html_nested", "nested_html", "deep_html"), nested_html),
    **dict.fromkeys(("json_nested", "nested_json", "deep_json"), nested_json),
    "gzip": gzip_of,
    "tar": tar_of,
    "random": noise,
    "empty": lambda spec: ("hostile.txt", b""),
    "big_text": big_text,
    "bytes": big_text,
}
