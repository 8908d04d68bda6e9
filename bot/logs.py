"""Logs: JSON lines on standard error, secrets redacted, never message text at INFO."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterable

from core.redact import JsonLines, Redaction

NOISY = ("slack_bolt", "slack_sdk", "aiohttp", "dbos", "litellm", "LiteLLM", "asyncio", "httpx")
"""Libraries that tell at INFO what only their developers want to know."""


def log_to_stderr(level: str, secrets: Iterable[str]) -> None:
    """Send all logging to standard error; `secrets` are struck out wherever they appear."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    handler.addFilter(Redaction(secrets))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    for name in NOISY:
        logging.getLogger(name).setLevel(max(logging.WARNING, root.level))
