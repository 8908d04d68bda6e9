"""The door of a run: an answer that was given before, or what its quotas still allow."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from core.cache import AnswerCache, Kept, Slot
from core.events import Answer, Usage
from core.language.zones import first_zone
from core.messages import Frozen, Language
from core.quota import Asker, Grant, Level, Quota
from core.request import Request
from core.settings import SettingsBook
from core.texts import say


class Admitted(Frozen):
    """How a run goes on from its request; a step of the journal."""

    level: Level = "normal"
    answer: Answer | None = None
    """There is nothing to work: a kept answer, or a refusal."""
    notice: str = ""
    """Key of what is said first."""
    told: str = ""
    slot: Slot | None = None
    """Where the answer may be kept, or was."""


@dataclass(frozen=True)
class Door:
    """Lets runs in. `cache` and `quota` may be left out."""

    settings: SettingsBook
    cache: AnswerCache | None = None
    quota: Quota | None = None
    cheap: bool = False
    """There is a cheaper model."""
    time_zone: str = "UTC"

    async def admit(self, request: Request, tools: str) -> Admitted:
        """Look for a kept answer, which costs nothing; else count the run on its quotas."""
        slot = None if self.cache is None else await self.cache.slot(request, tools)
        if self.cache is not None and slot is not None:
            kept = await self.cache.get(slot)
            if kept is not None:
                told = _told(kept, request)
                return Admitted(answer=kept.answer, notice="cache.from", told=told, slot=slot)
        grant = Grant() if self.quota is None else await self.quota.reserve(self.asker(request))
        return self._granted(grant, request, slot)

    async def leave(self, run: str, usage: Usage) -> None:
        """The run is over, or waits for a person: count what it really used."""
        if self.quota is not None:
            await self.quota.settle(run, usage)

    async def keep(
        self, admitted: Admitted, request: Request, answer: Answer, touched: set[str]
    ) -> None:
        """Keep the answer for whoever asks the same."""
        if self.cache is not None and admitted.slot is not None:
            await self.cache.put(admitted.slot, request, answer, touched)

    def asker(self, request: Request) -> Asker:
        """Whose quotas the request is counted on."""
        place = request.place
        return Asker(
            run=request.run,
            thread=place.thread,
            person=request.asker.id,
            channel=place.channel,
            workspace=place.workspace,
            zone=request.time_zone,
            place_zone=first_zone(self.settings.of(place).time_zone, self.time_zone),
        )

    def _granted(self, grant: Grant, request: Request, slot: Slot | None) -> Admitted:
        """What a step of the ladder means for the run; it is said once."""
        level, language = grant.level, request.language
        if level == "cheap" and not self.cheap:
            level = "normal"
        if level == "normal":
            return Admitted(level=level, slot=slot)
        if grant.used is None:
            # Counted in an earlier life, which died before it could write down what it was told.
            return Admitted(level=level)
        time = shown_time(grant.renewed_at, grant.used.share.zone, language)
        whose = say(f"quota.whose.{grant.used.share.kind}", language)
        text = say(f"quota.{level}", language, whose=whose, time=time)
        if level == "refused":
            answer = Answer(
                text=text,
                language=language,
                mode="chat",
                teammate=request.teammate.name,
                stopped_by_limit=True,
            )
            return Admitted(level=level, answer=answer)
        # What the usual model would say is kept for others; what this one says is not.
        return Admitted(level=level, notice=f"quota.{level}", told=text if grant.tell else "")


def _told(kept: Kept, request: Request) -> str:
    """`Answered on 12 May 09:30 from policy.md v2; …`"""
    language = request.language
    names = dict.fromkeys(f"{one.document} v{one.version}" for one in kept.answer.sources)
    shown = ("、" if language == "zh" else ", ").join(names)
    date = shown_time(kept.written_at, request.time_zone, language)
    return say("cache.from", language, date=date, documents=shown)


def shown_time(at: float, zone: str, language: Language) -> str:
    """Day and time there, as people write them."""
    local = datetime.fromtimestamp(at, ZoneInfo(zone))
    date = f"{local.month} 月 {local.day} 日" if language == "zh" else f"{local:%-d %b}"
    return f"{date} {local:%H:%M}"
