"""Scope: who may see a thing. A column on every row, filtered in SQL before any ranking."""

from __future__ import annotations


def person_scope(person: str) -> str:
    """Scope of things that one person may see; `person` is a prefixed platform id."""
    return f"person:{person}"


def channel_scope(channel: str) -> str:
    """Scope of things that everybody in the channel may see."""
    return f"channel:{channel}"


def workspace_scope(workspace: str) -> str:
    """Scope of things that everybody in the workspace may see."""
    return f"workspace:{workspace}"


def audience(person: str, channel: str, workspace: str) -> tuple[str, ...]:
    """The scopes that `person` may see while speaking in `channel`, narrowest first.

    A person's own things are left out on purpose: what a channel sees is what a run there may read.
    """
    del person
    return (channel_scope(channel), workspace_scope(workspace))
