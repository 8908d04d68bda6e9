"""send_email: one mail to one address."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from core.texts import say
from core.tools.definition import tool
from core.tools.tool import ToolResult
from core.tools.toolbox import Bound

ADDRESS = r"^[^@\s,;:<>\"'()\\]{1,64}@[^@\s,;:<>\"'()\\]{1,190}\.[A-Za-z0-9-]{2,63}$"
ONE_LINE = r"^[^\r\n]+$"
"""A line break in a subject would begin a header of somebody else's choice."""


def _has_mailer(bound: Bound) -> bool:
    return bound.services.mailer is not None


def _address(arguments: Any) -> tuple[str, ...]:
    return (arguments.to,)


@tool(
    effect="external",
    title="tool.mail.title",
    timeout_s=60.0,
    needs_approval=True,
    unless_written=_address,
    keywords=("邮件", "邮箱", "发信", "email", "e-mail", "mail"),
    when=_has_mailer,
)
async def send_email(
    bound: Bound,
    to: Annotated[str, Field(pattern=ADDRESS, max_length=254)],
    subject: Annotated[str, Field(pattern=ONE_LINE, max_length=200)],
    body: Annotated[str, Field(min_length=1, max_length=50_000)],
) -> ToolResult:
    """Sends one mail to one address. A person must allow it, unless they wrote the address
    themselves. If no address was given, do not guess one: take ask_person with expects=email.

    to: One mail address, as the person wrote it.
    subject: One line.
    body: The whole mail as plain text, in the reader's language.
    """
    mailer = bound.services.mailer
    assert mailer is not None  # `when` saw to it.
    await mailer.send(to, subject, body)
    told = say("tool.mail.sent", bound.request.language, to=to, subject=subject)
    return ToolResult(text=told, summary=told, details={"sentence": told, "to": to})
