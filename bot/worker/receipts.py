"""Receipts of files: given once, and kept true when a document is removed."""

from __future__ import annotations

from dataclasses import dataclass

from bot.commands import MOST_DOCUMENTS
from bot.inbox import language, wanted
from bot.text.receipts import receipt_draft
from bot.worker.desk import Desk
from bot.worker.files import MOST_FILES, Intake
from bot.worker.gate import Gate
from bot.worker.pictures import looked_at
from core.journal import Claim, StoredJournal
from core.knowledge.library import Receipt
from core.messages import Language, Message
from core.scope import channel_scope
from core.store import Store
from core.texts import say


@dataclass(frozen=True)
class Receipts:
    """Takes files and speaks of them."""

    desk: Desk

    async def take(self, message: Message, claim: Claim) -> None:
        """Take the files of a message and give one receipt, in the uploader's language."""
        desk = self.desk
        asked = looked_at(message, sees=desk.assembler.model is not None)
        files = [
            one for one in wanted(message, desk.settings.of(message.place)) if one not in asked
        ]
        if not files or not await Gate(desk.settings, desk.outbox).lets(message, "ingest"):
            return
        intake = Intake(
            desk.library,
            desk.platforms[message.place.platform],
            StoredJournal(desk.store, claim),
            desk.runs.scratch,
            desk.file_limit,
        )
        receipts = await intake.take(message, files)
        tongue = await intake.journal.step("receipt", Language, lambda: tongue_of(message))
        draft = receipt_draft(receipts, tongue)
        if len(files) > MOST_FILES:
            left = say("worker.not_taken", tongue, limit=MOST_FILES, count=len(files) - MOST_FILES)
            draft = draft.model_copy(update={"text": f"{draft.text}\n\n{left}"})
        await desk.outbox.say(claim, "post:receipt", message.place, draft)

    async def mark_removed(self, message: Message, claim: Claim) -> None:
        """Take what is gone off the receipt whose button was pressed."""
        desk, place = self.desk, message.place
        post = await desk.outbox.post_of(message.click.message) if message.click else None
        if post is None:
            return
        run, key = post
        receipts = await receipts_of(desk.store, run)
        if not receipts:
            return
        tongue = await StoredJournal(desk.store, Claim(run, 0, "", "")).kept("receipt", str)
        kb = await desk.library.kb_for(channel_scope(place.channel))
        here = {document.id for document in await desk.library.listing([kb], MOST_DOCUMENTS)}
        gone = {one.document for one in receipts if one.document} - here
        draft = receipt_draft(receipts, "zh" if tongue == "zh" else "en", gone)
        await desk.outbox.amend(claim, key, place, draft, of=run)


async def tongue_of(message: Message) -> Language:
    """The language of a receipt: its step, so that an edit of it later speaks the same."""
    return language(message)


async def receipts_of(store: Store, run: str) -> list[Receipt]:
    """The receipts that a run gave, in the order of its files."""
    journal = StoredJournal(store, Claim(run, 0, "", ""))
    found: list[Receipt] = []
    while (receipt := await journal.kept(f"ingest:{len(found) + 1}", Receipt)) is not None:
        found.append(receipt)
    return found
