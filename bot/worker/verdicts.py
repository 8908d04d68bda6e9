"""Verdicts: what people say of an answer by its buttons."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bot.inbox import language
from bot.platform import Draft
from bot.worker.desk import Desk
from core.agent.door import Admitted
from core.events import Answer
from core.feedback import Verdict
from core.journal import Claim, Journal, StoredJournal
from core.messages import Message
from core.request import Request
from core.texts import say

Told = Literal["feedback.thanks", "feedback.gone"]


@dataclass(frozen=True)
class Verdicts:
    """Keeps answers that buttons stand under, and what is said of them."""

    desk: Desk

    async def keep(self, message: Message, journal: Journal, answer: Answer) -> None:
        """Keep what the buttons under an answer are about, where the channel has them."""

        async def itself() -> Answer:
            return answer

        if self.desk.settings.of(message.place).feedback:
            await journal.step("answer", Answer, itself)

    async def take(self, message: Message, verdict: Verdict) -> None:
        """Keep what somebody says; an answer that is no help is not given again."""
        told = await self._take(message, verdict)
        draft = Draft(text=say(told, language(message)))
        await self.desk.outbox.whisper(message.place, message.author.id, draft)

    async def _take(self, message: Message, verdict: Verdict) -> Told:
        desk, run = self.desk, message.click.value if message.click is not None else ""
        journal = StoredJournal(desk.store, Claim(run, 0, "", ""))
        request = await journal.kept("request", Request)
        answer = await journal.kept("answer", Answer)
        if desk.feedback is None or request is None or answer is None:
            return "feedback.gone"
        if request.place.channel != message.place.channel:
            return "feedback.gone"
        await desk.feedback.put(request, answer, message.author.id, verdict)
        admitted = await journal.kept("admit", Admitted)
        if verdict == "unhelpful" and desk.cache is not None and admitted and admitted.slot:
            await desk.cache.drop(admitted.slot)
        return "feedback.thanks"
