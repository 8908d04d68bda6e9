"""Texts and drafts made fit for a platform's sizes."""

from __future__ import annotations

from bot.platform import Draft, PlatformLimits
from bot.text.split import split
from bot.text.tables import without_tables


def fit(text: str, limits: PlatformLimits, spare: int = 0) -> list[str]:
    """`text` as posts that fit, with `spare` characters (and bytes) free in each."""
    most = limits.edit_bytes - spare if limits.edit_bytes else None
    shown = text if limits.tables else without_tables(text)
    return split(shown, limits.post_chars - spare, most, utf16=limits.utf16)


def fitted(draft: Draft, limits: PlatformLimits) -> list[Draft]:
    """A draft as one or more; buttons and small print are under the last."""
    texts = fit(draft.text, limits)
    if len(texts) <= 1:
        return [draft.model_copy(update={"text": texts[0]})] if texts else [draft]
    rest = [Draft(text=text, hosts=draft.hosts, people=draft.people) for text in texts[:-1]]
    rest = [one.model_copy(update={"speaker": draft.speaker}) for one in rest]
    return [*rest, draft.model_copy(update={"text": texts[-1]})]
