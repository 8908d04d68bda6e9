"""Mail over SMTP. One mail, one address, one connection."""

from __future__ import annotations

import hashlib
import logging
import re
from email.message import EmailMessage
from email.utils import formatdate
from urllib.parse import unquote, urlsplit

import aiosmtplib

from core.errors import ToolFailed, WrongConfig
from core.tools.tool import AT_WORK

log = logging.getLogger(__name__)

SMTP_S = 20.0
SENDER = re.compile(r"[^\r\n<>]*<[^@\s<>]+@[^@\s<>]+>|[^@\s<>]+@[^@\s<>]+")


class Smtp:
    """`url` is `smtp://user:password@host:587` (STARTTLS where the server has it) or
    `smtps://…:465`; `sender` the address, or `Name <address>`, that mails come from.

    Raises WrongConfig, without the password, for an address that cannot be.
    """

    def __init__(self, url: str, sender: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("smtp", "smtps") or not parts.hostname:
            raise WrongConfig("THREADMATE_SMTP_URL: smtp://user:password@host:587 is needed")
        if not SENDER.fullmatch(sender.strip()):
            raise WrongConfig("mail.sender: an address like bot@example.com is needed")
        self._host = parts.hostname
        self._tls = parts.scheme == "smtps"
        self._port = parts.port or (465 if self._tls else 587)
        self._user = unquote(parts.username or "") or None
        self._password = unquote(parts.password or "") or None
        # A password goes over no open line but the machine's own.
        here = self._host in ("localhost", "127.0.0.1", "::1")
        must = bool(self._user) and not here
        self._start_tls = False if self._tls else must or None
        self._sender = sender.strip()

    async def send(self, to: str, subject: str, body: str) -> None:
        """Hand one mail over. Raises ToolFailed; where it may have been sent, it says so."""
        mail = self._mail(to, subject, body)
        try:
            await aiosmtplib.send(
                mail,
                hostname=self._host,
                port=self._port,
                username=self._user,
                password=self._password,
                use_tls=self._tls,
                start_tls=self._start_tls,
                timeout=SMTP_S,
            )
        except aiosmtplib.SMTPAuthenticationError as error:
            raise _failed(error, "tool.mail.login", host=self._host) from error
        except (aiosmtplib.SMTPConnectError, aiosmtplib.SMTPConnectTimeoutError) as error:
            raise _failed(error, "tool.mail.unreachable", host=self._host) from error
        except (aiosmtplib.SMTPRecipientsRefused, aiosmtplib.SMTPResponseException) as error:
            raise _failed(error, "tool.mail.refused", to=to, reason=_reason(error)) from error
        except (aiosmtplib.SMTPException, OSError) as error:
            # The line broke in the middle: it may have been taken.
            raise _failed(error, "tool.mail.unknown", to=to) from error

    async def reach(self) -> None:
        """Connect and log in as before a mail, and send none. Raises ToolFailed with a sentence."""
        server = aiosmtplib.SMTP(
            hostname=self._host,
            port=self._port,
            username=self._user,
            password=self._password,
            use_tls=self._tls,
            start_tls=self._start_tls,
            timeout=SMTP_S,
        )
        try:
            async with server:
                await server.noop()
        except aiosmtplib.SMTPAuthenticationError as error:
            raise ToolFailed(key="tool.mail.login", host=self.host) from error
        except (aiosmtplib.SMTPException, OSError) as error:
            raise ToolFailed(key="tool.mail.unreachable", host=self.host) from error

    @property
    def host(self) -> str:
        return self._host

    def _mail(self, to: str, subject: str, body: str) -> EmailMessage:
        mail = EmailMessage()
        mail["From"], mail["To"], mail["Subject"] = self._sender, to, subject
        mail["Date"] = formatdate(localtime=False)
        # The same call has the same id: a mail that arrives twice is shown once.
        held = hashlib.sha256("\0".join((AT_WORK.get(), to, subject, body)).encode()).hexdigest()
        domain = self._sender.rpartition("@")[2].rstrip("> ") or "localhost"
        mail["Message-ID"] = f"<{held[:32]}@{domain}>"
        mail.set_content(body, charset="utf-8")
        return mail


def _failed(error: Exception, key: str, **values: str) -> ToolFailed:
    log.warning("mail was not sent: %s", type(error).__name__)
    return ToolFailed(key=key, **values)


def _reason(error: Exception) -> str:
    """The server's own code and short text."""
    if isinstance(error, aiosmtplib.SMTPRecipientsRefused) and error.recipients:
        error = error.recipients[0]
    if isinstance(error, aiosmtplib.SMTPResponseException):
        return f"{error.code} {' '.join(str(error.message).split())}"[:160]
    return type(error).__name__
