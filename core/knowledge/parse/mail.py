"""Mail (.eml): its header as people read it, its body, the names of what is attached."""

from __future__ import annotations

import contextlib
import email
import email.policy
from email.message import EmailMessage, MIMEPart

from core.knowledge.parse.clean import one_line
from core.knowledge.parse.decode import decode
from core.knowledge.parse.markup import read_html
from core.knowledge.parse.outline import Outline
from core.knowledge.parse.plain import read_text

FIELDS = ("Subject", "From", "To", "Cc", "Date")
MAX_PARTS = 200

BROKEN = (LookupError, ValueError, TypeError, AttributeError, IndexError, UnicodeError)
"""What `email` raises on headers and bodies that break its rules."""

Attached = tuple[str, bytes]


def read_mail(data: bytes, outline: Outline) -> tuple[str, list[Attached]]:
    """Put header and body into `outline`; the subject, and each attachment's name and bytes."""
    message = email.message_from_bytes(data, policy=email.policy.default)
    header = {name: field(message, name) for name in FIELDS}
    outline.paragraph("\n".join(f"{name}: {value}" for name, value in header.items() if value))
    body = None
    with contextlib.suppress(*BROKEN):
        body = message.get_body(("plain", "html"))
    if body is not None:
        read_body(body, outline)
    return header["Subject"], attachments(message, body)


def field(message: EmailMessage, name: str) -> str:
    try:
        return one_line(str(message[name] or ""))
    except BROKEN:
        return ""


def read_body(part: MIMEPart, outline: Outline) -> None:
    text = content(part)
    if part.get_content_subtype() == "html":
        read_html(text, outline)
    else:
        read_text(text, outline)


def content(part: MIMEPart) -> str:
    """The part's text; a wrong charset name falls back to what the bytes say."""
    raw = payload(part)
    charset = part.get_content_charset()
    try:
        return raw.decode(charset) if charset else decode(raw)
    except (LookupError, UnicodeError):
        return decode(raw)


def payload(part: MIMEPart) -> bytes:
    try:
        raw = part.get_payload(decode=True)
    except BROKEN:
        return b""
    return raw if isinstance(raw, bytes) else b""


def attachments(message: EmailMessage, body: MIMEPart | None) -> list[Attached]:
    """Attached files in order. Pictures inside the text (signatures, logos) are not files."""
    found: list[Attached] = []
    for part in list(message.walk())[:MAX_PARTS]:
        if part is body or part.is_multipart() or part.get_content_maintype() == "image":
            continue
        try:
            name = one_line(part.get_filename() or "")
        except BROKEN:
            name = "?"
        if name:
            found.append((name, payload(part)))
    return found
