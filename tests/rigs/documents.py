"""Small files of every kind, made by the test itself: sound ones and hostile ones."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence

OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
SLIDES = "http://schemas.openxmlformats.org/presentationml/2006/main"
DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"
SHEETS = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
MIME = "application/vnd.openxmlformats-officedocument."


def archive(files: Mapping[str, str | bytes]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as made:
        for name, data in files.items():
            made.writestr(name, data)
    return target.getvalue()


def content_types(parts: Mapping[str, str]) -> str:
    rows = "".join(
        f'<Override PartName="/{part}" ContentType="{MIME}{kind}+xml"/>'
        for part, kind in parts.items()
    )
    return (
        f'<?xml version="1.0"?><Types xmlns="{PACKAGE}/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Default Extension="xml" ContentType="application/xml"/>{rows}</Types>'
    )


def relations(targets: Sequence[tuple[str, str]]) -> str:
    rows = "".join(
        f'<Relationship Id="rId{n}" Type="{OFFICE}/{kind}" Target="{target}"/>'
        for n, (kind, target) in enumerate(targets, start=1)
    )
    space = f'xmlns="{PACKAGE}/relationships"'
    return f'<?xml version="1.0"?><Relationships {space}>{rows}</Relationships>'


def paragraph(text: str, style: str = "", hidden: bool = False) -> str:
    look = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    vanish = "<w:rPr><w:vanish/></w:rPr>" if hidden else ""
    return f"<w:p>{look}<w:r>{vanish}<w:t>{text}</w:t></w:r></w:p>"


def docx(body: str, **parts: str | bytes) -> bytes:
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="Heading{n}"><w:name w:val="heading {n}"/>'
        "</w:style>"
        for n in (1, 2, 3)
    )
    types = {
        "word/document.xml": "wordprocessingml.document.main",
        "word/styles.xml": "wordprocessingml.styles",
    }
    return archive(
        {
            "[Content_Types].xml": content_types(types),
            "_rels/.rels": relations([("officeDocument", "word/document.xml")]),
            "word/_rels/document.xml.rels": relations([("styles", "styles.xml")]),
            "word/styles.xml": f'<?xml version="1.0"?><w:styles xmlns:w="{WORD}">{styles}'
            "</w:styles>",
            "word/document.xml": f'<?xml version="1.0"?><w:document xmlns:w="{WORD}"><w:body>{body}'
            "</w:body></w:document>",
            **parts,
        }
    )


def shape(text: str, title: bool) -> str:
    kind = '<p:ph type="title"/>' if title else ""
    return (
        f'<p:sp><p:nvSpPr><p:cNvPr id="2" name="x"/><p:cNvSpPr/><p:nvPr>{kind}</p:nvPr></p:nvSpPr>'
        f"<p:spPr/><p:txBody><a:bodyPr/><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp>"
    )


def pptx(slides: Sequence[tuple[str, str]]) -> bytes:
    files: dict[str, str] = {}
    types = {"ppt/presentation.xml": "presentationml.presentation.main"}
    for number, (title, body) in enumerate(slides, start=1):
        part = f"ppt/slides/slide{number}.xml"
        types[part] = "presentationml.slide"
        files[part] = (
            f'<?xml version="1.0"?><p:sld xmlns:p="{SLIDES}" xmlns:a="{DRAWING}"><p:cSld><p:spTree>'
            f"<p:nvGrpSpPr/><p:grpSpPr/>{shape(title, True)}{shape(body, False)}</p:spTree>"
            "</p:cSld></p:sld>"
        )
    ids = "".join(f'<p:sldId id="{255 + n}" r:id="rId{n}"/>' for n in range(1, len(slides) + 1))
    numbered = [("slide", f"slides/slide{n}.xml") for n in range(1, len(slides) + 1)]
    return archive(
        {
            "[Content_Types].xml": content_types(types),
            "_rels/.rels": relations([("officeDocument", "ppt/presentation.xml")]),
            "ppt/presentation.xml": f'<?xml version="1.0"?><p:presentation xmlns:p="{SLIDES}" '
            f'xmlns:r="{OFFICE}"><p:sldIdLst>{ids}</p:sldIdLst></p:presentation>',
            "ppt/_rels/presentation.xml.rels": relations(numbered),
            **files,
        }
    )


def xlsx(sheets: Mapping[str, Sequence[Sequence[str]]]) -> bytes:
    files: dict[str, str] = {}
    types = {"xl/workbook.xml": "spreadsheetml.sheet.main"}
    names = ""
    for number, (name, rows) in enumerate(sheets.items(), start=1):
        part = f"xl/worksheets/sheet{number}.xml"
        types[part] = "spreadsheetml.worksheet"
        names += f'<sheet name="{name}" sheetId="{number}" r:id="rId{number}"/>'
        files[part] = (
            f'<?xml version="1.0"?><worksheet xmlns="{SHEETS}"><sheetData>'
            + "".join(sheet_row(n, row) for n, row in enumerate(rows, start=1))
            + "</sheetData></worksheet>"
        )
    numbered = [("worksheet", f"worksheets/sheet{n}.xml") for n in range(1, len(sheets) + 1)]
    return archive(
        {
            "[Content_Types].xml": content_types(types),
            "_rels/.rels": relations([("officeDocument", "xl/workbook.xml")]),
            "xl/workbook.xml": f'<?xml version="1.0"?><workbook xmlns="{SHEETS}" '
            f'xmlns:r="{OFFICE}"><sheets>{names}</sheets></workbook>',
            "xl/_rels/workbook.xml.rels": relations(numbered),
            **files,
        }
    )


def sheet_row(number: int, cells: Sequence[str]) -> str:
    row = "".join(
        f'<c r="{chr(65 + n)}{number}" t="inlineStr"><is><t>{cell}</t></is></c>'
        for n, cell in enumerate(cells)
    )
    return f'<row r="{number}">{row}</row>'


def pdf(pages: Sequence[Sequence[tuple[float, str]]]) -> bytes:
    """A PDF of pages of (letter size, Latin line); an empty page is blank."""
    objects: list[bytes] = [b"<</Type/Catalog/Pages 2 0 R>>", b"", FONT]
    kids: list[str] = []
    for lines in pages:
        number = len(objects) + 1
        kids.append(f"{number} 0 R")
        objects.append(
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources<</Font<</F 3 0 R>>>>"
            b"/Contents %d 0 R>>" % (number + 1)
        )
        stream = page_stream(lines)
        objects.append(b"<</Length %d>>stream\n%s\nendstream" % (len(stream), stream))
    objects[1] = f"<</Type/Pages/Kids[{' '.join(kids)}]/Count {len(kids)}>>".encode()
    return pdf_file(objects)


FONT = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"


def page_stream(lines: Sequence[tuple[float, str]]) -> bytes:
    rows: list[str] = []
    height = 760.0
    for size, text in lines:
        safe = text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
        rows.append(f"BT /F {size} Tf 40 {height} Td ({safe}) Tj ET")
        height -= size * 1.4
    return "\n".join(rows).encode("latin-1")


def scan_pdf(pages: int) -> bytes:
    """Pages that hold one picture each and no text."""
    objects: list[bytes] = [b"<</Type/Catalog/Pages 2 0 R>>", b"", PICTURE]
    kids: list[str] = []
    for _ in range(pages):
        number = len(objects) + 1
        kids.append(f"{number} 0 R")
        objects.append(
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources<</XObject<</I 3 0 R>>>>"
            b"/Contents %d 0 R>>" % (number + 1)
        )
        objects.append(b"<</Length 30>>stream\nq 600 0 0 800 0 0 cm /I Do Q  \nendstream")
    objects[1] = f"<</Type/Pages/Kids[{' '.join(kids)}]/Count {len(kids)}>>".encode()
    return pdf_file(objects)


PICTURE = (
    b"<</Type/XObject/Subtype/Image/Width 1/Height 1/ColorSpace/DeviceGray/BitsPerComponent 8"
    b"/Length 1>>stream\n\x80\nendstream"
)


def pdf_file(objects: Sequence[bytes]) -> bytes:
    out = io.BytesIO()
    out.write(b"%PDF-1.4\n")
    offsets: list[int] = []
    for number, body in enumerate(objects, start=1):
        offsets.append(out.tell())
        out.write(b"%d 0 obj\n%s\nendobj\n" % (number, body))
    start = out.tell()
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
    for offset in offsets:
        out.write(b"%010d 00000 n \n" % offset)
    out.write(b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, start))
    return out.getvalue()


def bomb(megabytes: int) -> bytes:
    """A zip whose one entry inflates to so many megabytes."""
    target = io.BytesIO()
    with (
        zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as made,
        made.open("0.txt", "w", force_zip64=True) as entry,
    ):
        for _ in range(megabytes):
            entry.write(b"0" * 2**20)
    return target.getvalue()


def nested(depth: int) -> bytes:
    data: bytes = archive({"x.txt": "deep inside"})
    for _ in range(depth - 1):
        data = archive({"x.zip": data})
    return data
