"""Receipts: what became of files, in a few calm lines, with the way to take them out again."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from bot.platform import Button, Draft
from bot.text.markdown import escaped
from core.knowledge.documents import Receipt
from core.knowledge.parse.model import Skipped
from core.messages import Language
from core.texts import say
from core.texts.counts import counted

MOST_LINES = 20
"""Files that get a line of their own, read and unread ones each."""

MOST_SKIPPED = 3
"""Skipped parts that are told of one file."""

MOST_BUTTONS = 5
"""Documents that get a Remove button: a wall of buttons helps nobody, `/kb delete` takes names."""

LONGEST_LABEL = 40


def receipt_draft(
    receipts: Sequence[Receipt], language: Language, gone: Collection[str] = ()
) -> Draft:
    """One message for the files of one upload, with Remove buttons (value: the document's id).

    `gone` are ids of documents that were removed since.
    """
    here = [receipt for receipt in receipts if receipt.document not in gone]
    buttons = _buttons(here, language, alone=len(receipts) == 1)
    return Draft(text=receipt_text(receipts, language, gone), buttons=buttons)


def receipt_text(
    receipts: Sequence[Receipt], language: Language, gone: Collection[str] = ()
) -> str:
    if not receipts:
        return say("receipt.nothing", language)
    if len(receipts) == 1:
        if receipts[0].document in gone:
            return say("receipt.gone_one", language, name=f"**{escaped(receipts[0].name)}**")
        return "\n".join(_single(receipts[0], language))
    taken = [receipt for receipt in receipts if is_taken(receipt)]
    failed = [receipt for receipt in receipts if not is_taken(receipt)]
    found = [_heading(len(taken), len(failed), language), ""]
    for receipt in taken[:MOST_LINES]:
        if receipt.document in gone:
            found.append(f"- {say('receipt.gone', language, name=escaped(receipt.name))}")
            continue
        found += [f"- {line_of(receipt, language)}", *_remarks(receipt, language, "  - ")]
    if len(taken) > MOST_LINES:
        files = counted("files", len(taken) - MOST_LINES, language)
        found.append(f"- {say('receipt.more_files', language, files=files)}")
    found += [f"- ✗ {reason_of(receipt, language)}" for receipt in failed[:MOST_LINES]]
    if len(failed) > MOST_LINES:
        files = counted("files", len(failed) - MOST_LINES, language)
        found.append(f"- {say('receipt.more_failed', language, files=files)}")
    return "\n".join(found)


def is_taken(receipt: Receipt) -> bool:
    """True if the document can be asked about."""
    return receipt.status in ("ready", "partial")


def line_of(receipt: Receipt, language: Language) -> str:
    """`**policy.pdf** · 12 pages · 34 passages · version 2, replaces the one before`."""
    name = f"**{escaped(receipt.name)}**"
    if receipt.duplicate:
        return say("receipt.same", language, name=name)
    parts = [name, *counts(receipt.pages, receipt.passages, language)]
    if receipt.version > 1:
        parts.append(say("receipt.version", language, version=receipt.version))
    return " · ".join(parts)


def counts(pages: int, passages: int, language: Language) -> list[str]:
    """`12 pages`, `34 passages`; formats without pages tell none."""
    found = [counted("pages", pages, language)] if pages else []
    return [*found, counted("passages", passages, language)]


def reason_of(receipt: Receipt, language: Language) -> str:
    """Why a file was not read, and the way out, in one sentence that names it."""
    name = escaped(receipt.name)
    if not receipt.reason:
        return say("receipt.failed", language, name=name)
    values = {key: escaped(value) for key, value in receipt.values.items()}
    return say(receipt.reason, language, **{"name": name, "detail": name, **values})


def _single(receipt: Receipt, language: Language) -> list[str]:
    if not is_taken(receipt):
        return [reason_of(receipt, language)]
    if receipt.duplicate:
        name = f"**{escaped(receipt.name)}**"
        return [say("receipt.same_one", language, name=name)]
    line = line_of(receipt, language)
    remarks = _remarks(receipt, language, "- ")
    return [say("receipt.one", language, line=line), *([""] if remarks else []), *remarks]


def _heading(taken: int, failed: int, language: Language) -> str:
    if not failed:
        return say("receipt.many", language, count=taken)
    if not taken:
        return say("receipt.none", language, failed=failed)
    return say("receipt.some", language, count=taken, failed=failed, total=taken + failed)


def _remarks(receipt: Receipt, language: Language, lead: str) -> list[str]:
    """What was skipped and why, and whose file stands beside it."""
    told = [_skipped(skipped, language) for skipped in receipt.skipped[:MOST_SKIPPED]]
    if len(receipt.skipped) > MOST_SKIPPED:
        parts = counted("parts", len(receipt.skipped) - MOST_SKIPPED, language)
        told.append(say("receipt.more_skipped", language, parts=parts))
    if receipt.status == "partial" and not told:
        told.append(reason_of(receipt, language))
    if receipt.needs_click:
        told.append(say("receipt.beside", language))
    return [lead + remark for remark in told]


def _skipped(skipped: Skipped, language: Language) -> str:
    values: dict[str, object] = {k: escaped(value) for k, value in skipped.values.items()}
    page = "" if skipped.page is None else skipped.page
    return say(skipped.key, language, **{"pages": page, "page": page, "name": "", **values})


def _buttons(receipts: Sequence[Receipt], language: Language, *, alone: bool) -> tuple[Button, ...]:
    removable = [r for r in receipts if is_taken(r) and not r.duplicate and r.document]
    if len(removable) > MOST_BUTTONS:
        return ()
    return tuple(_remove_button(receipt, language, alone) for receipt in removable)


def _remove_button(receipt: Receipt, language: Language, alone: bool) -> Button:
    name = shortened(receipt.name)
    key = "receipt.remove" if alone else "receipt.remove_name"
    return Button(
        action="remove",
        label=say(key, language, name=name),
        value=receipt.document,
        confirm=say("receipt.confirm", language, name=name),
    )


def shortened(name: str, most: int = LONGEST_LABEL) -> str:
    """A name cut in its middle, so that its extension stays."""
    if len(name) <= most:
        return name
    tail = most // 3
    return f"{name[: most - tail - 1]}…{name[-tail:]}"
