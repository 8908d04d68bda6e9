"""A message was deleted: what waits for a person because of it is given up."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass

from bot.outbox import Outbox
from bot.text.needs import settled_draft
from bot.worker.asking import post_key
from bot.worker.pictures import Pictures
from core.messages import Place
from core.needs import Needs
from core.runs import Runs

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Deleted:
    """Called with the place and the id of a message that is gone."""

    needs: Needs
    outbox: Outbox
    runs: Runs
    pictures: Pictures
    clock: Callable[[], float] = time.time

    async def __call__(self, place: Place, message: str) -> None:
        """End the runs that it asked for and that wait: nobody is to decide for them any more."""
        for claim, needs in await self.needs.drop(place.channel, message, self.runs.executor):
            log.info("run %s is given up: the message that asked was deleted", claim.run)
            await self.pictures.drop(claim.run)
            for asked in needs:
                draft = settled_draft(asked, self.clock())
                await self.outbox.amend(claim, post_key(asked), asked.message.place, draft)
