"""Log lines: one JSON object each, without secrets, escape sequences or line breaks in them."""

from __future__ import annotations

import json
import logging
import re
import time
from typing import TextIO

from core.redact import redact

ANSI = re.compile(
    "\x1b\\[[0-?]*[ -/]*[@-~]|\x1b\\][^\x07\x1b]*(?:\x07|\x1b\\\\)?|\x1b[PX^_].*?\x1b\\\\"
    "|\x1b[@-_]?"
    "|\x9b[0-?]*[ -/]*[@-~]",
    re.S,
)
CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff"
    "\U000e0000-\U000e007f]"
)
MAX_MESSAGE = 16_000
"""Characters: a log is no store; what is longer is cut and says so."""

OWN = set(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName", "color_message"}
"""Fields that every record has; others came with `extra`."""


def plain(text: str) -> str:
    """`text` without secrets and without anything that moves a cursor or starts a new line."""
    text = ANSI.sub("", text)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = redact(CONTROL.sub("", text))
    if len(text) > MAX_MESSAGE:
        text = f"{text[:MAX_MESSAGE]}… ({len(text) - MAX_MESSAGE} more)"
    return text


class SafeFilter(logging.Filter):
    """Cleans each record before any formatter sees it; put it on handlers, not on loggers."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg = plain(message_of(record)).replace("\n", "\\n")
        record.args = ()
        if record.exc_info and not record.exc_text:
            record.exc_text = logging.Formatter().formatException(record.exc_info)
        if record.exc_text:
            record.exc_text = plain(record.exc_text)
        # Formatters would write it again, uncleaned, from the exception itself.
        record.exc_info = None
        if record.stack_info:
            record.stack_info = plain(record.stack_info)
        for name in set(vars(record)) - OWN:
            value = getattr(record, name)
            if not isinstance(value, int | float | bool | None):
                setattr(record, name, plain(str(value)).replace("\n", "\\n"))
        return True


def message_of(record: logging.LogRecord) -> str:
    """The message; a record whose arguments do not fit its text is still a record."""
    try:
        return record.getMessage()
    except (TypeError, ValueError, KeyError, IndexError):
        return f"{record.msg} {record.args!r}"


class JsonLines(logging.Formatter):
    """One JSON object a line: time, level, logger, message, error, and what came with `extra`."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
            + f".{int(record.msecs):03d}Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": message_of(record),
        }
        if record.exc_text:
            line["error"] = record.exc_text
        line |= {name: vars(record)[name] for name in sorted(set(vars(record)) - OWN)}
        return json.dumps(line, ensure_ascii=False, default=str)


class TextLines(logging.Formatter):
    """For people at a terminal: time, level, logger, message; a traceback indented below."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)-7s %(name)s: %(message)s", "%H:%M:%S")

    def formatException(self, ei: object) -> str:  # the library's name
        return ""

    def format(self, record: logging.LogRecord) -> str:
        error, record.exc_text = record.exc_text, None
        line = super().format(record)
        record.exc_text = error
        if not error:
            return line
        # Indented, so that no line of a traceback can pass for a record of its own.
        return line + "\n" + "\n".join("    " + part for part in error.split("\n"))


def log_to(stream: TextIO, *, as_json: bool = True, level: int | str = "INFO") -> logging.Handler:
    """Send the root logger's records to `stream`, cleaned; the handler, to be removed again."""
    handler = logging.StreamHandler(stream)
    handler.addFilter(SafeFilter())
    handler.setFormatter(JsonLines() if as_json else TextLines())
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(level)
    return handler
