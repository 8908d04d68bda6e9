"""Headless Chromium for the page's tests."""

from __future__ import annotations

import os
from pathlib import Path

VARIABLE = "THREADMATE_CHROMIUM"
USUAL = "/usr/bin/chromium"

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--no-first-run",
]


def chromium() -> str:
    """Where Chromium should be; the file may be missing."""
    return os.environ.get(VARIABLE) or USUAL


def missing() -> str:
    """Why the page cannot be tested here; empty if it can."""
    if Path(chromium()).is_file():
        return ""
    return f"no Chromium at {chromium()}; set {VARIABLE} to its path"
