"""`/settings`: what holds here, where it comes from, and changing it. For the asker's eyes only."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from bot.commands.desk import Desk, first_word
from bot.commands.values import SHOWN, name_of, shown_value, value_of, wrong_value
from bot.commands.words import SETTINGS_COMMANDS
from bot.platform import Draft
from bot.text.listing import local_time
from bot.text.markdown import escaped
from bot.text.measure import clipped
from bot.text.needs import called, names_of
from core.errors import Denied, WrongConfig, WrongUse
from core.feedback import Feedback
from core.language.zones import first_zone
from core.quota import Asker, Kind, Quota, Used
from core.request import TeammateCard
from core.rights import ASKER, EVERYBODY, RIGHTS, Right
from core.settings import BUILT_IN, CHANNEL, OF_PERSON, PERSON, TEAMMATE, Merged, SettingsStore
from core.teammates import layer_of
from core.texts import say

LONGEST_QUESTION = 120
TARGETS: dict[str, Kind] = {
    "channel": "channel", "频道": "channel", "本频道": "channel",
    "workspace": "workspace", "工作区": "workspace", "server": "workspace",
}  # fmt: skip


@dataclass(frozen=True)
class SettingsCommands:
    """Shows and changes settings; looks at rights, quotas and feedback."""

    kept: SettingsStore
    quota: Quota
    feedback: Feedback
    here: Callable[[Desk], Awaitable[TeammateCard]]
    """Who answers in a place."""
    clock: Callable[[], float]

    async def run(self, desk: Desk, rest: str) -> list[Draft]:
        """Do what stands after `settings`. Raises WrongUse and Denied."""
        word, arguments = first_word(rest)
        match SETTINGS_COMMANDS.get(word.casefold(), ""):
            case "list":
                return [await self._list(desk)]
            case "channel":
                return [await self._set_channel(desk, arguments)]
            case "reset":
                return [await self._set_own(desk, f"{arguments} reset")]
            case "rights":
                return [self._rights(desk)]
            case "quota":
                return [await self._quota(desk, arguments)]
            case "feedback" if not arguments:
                return [await self._feedback(desk)]
            case _:
                return [await self._set_own(desk, rest)]

    async def _merged(self, desk: Desk) -> Merged:
        await self.kept.refresh()
        card = await self.here(desk)
        message = desk.message
        return self.kept.book.merged(message.place, message.author.id, layer_of(card))

    async def _list(self, desk: Desk) -> Draft:
        merged, language = await self._merged(desk), desk.language
        card = await self.here(desk)
        rows = [say("settings.columns", language).split("|"), ["---"] * 3]
        for name in SHOWN:
            value = escaped(clipped(shown_value(getattr(merged.settings, name), language), 80))
            rows.append([f"`{name}`", value, layer_text(merged.layer(name), desk, card)])
        table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
        parts = [say("settings.head", language), table]
        parts += [
            say("settings.narrower", language, name=name, layer=layer_text(layer, desk, card))
            for name, layers in merged.refused.items()
            for layer in layers
        ]
        return Draft(text="\n\n".join([*parts, say("settings.how", language)]))

    async def _set_own(self, desk: Desk, rest: str) -> Draft:
        word, text = first_word(rest)
        name = name_of(word)
        if name not in OF_PERSON:
            raise WrongUse(name, key="settings.channel_only", name=name)
        return await self._set(desk, PERSON, name, text)

    async def _set_channel(self, desk: Desk, rest: str) -> Draft:
        _admins_only(desk)
        word, text = first_word(rest)
        if SETTINGS_COMMANDS.get(word.casefold()) == "reset":
            word, text = text, "reset"
        return await self._set(desk, CHANNEL, name_of(word), text)

    async def _set(self, desk: Desk, layer: str, name: str, text: str) -> Draft:
        message, book = desk.message, self.kept.book
        value = value_of(name, text)
        await self.kept.refresh()
        if value is not None:
            self._check_narrows(desk, layer, name, value, text)
        try:
            if layer == PERSON:
                await self.kept.for_person(message.author.id, name, value)
            else:
                await self.kept.for_channel(message.place.channel, name, value, message.author.id)
        except WrongConfig as error:
            raise wrong_value(name, text) from error
        merged, card = await self._merged(desk), await self.here(desk)
        if layer == CHANNEL:
            merged = book.merged(message.place)
        shown = escaped(shown_value(getattr(merged.settings, name), desk.language))
        from_where = layer_text(merged.layer(name), desk, card)
        return desk.draft("settings.done", name=name, value=shown, layer=from_where)

    def _check_narrows(self, desk: Desk, layer: str, name: str, value: object, text: str) -> None:
        """Raise WrongUse for a value that would open what an earlier layer has closed."""
        place = desk.message.place
        try:
            tried = self.kept.book.tried(place, layer, {name: value})
        except WrongConfig as error:
            raise wrong_value(name, text) from error
        if layer in tried.refused.get(name, ()):
            shown = shown_value(getattr(tried.settings, name), desk.language)
            where = layer_text(tried.layer(name), desk, TeammateCard())
            raise WrongUse(name, key="settings.wider", name=name, value=shown, layer=where)

    def _rights(self, desk: Desk) -> Draft:
        language, settings = desk.language, desk.settings
        lines = [say("rights.head", language)]
        mentioned: list[str] = []
        for right in RIGHTS:
            held = settings.everyone_with.held(right)
            mentioned += [one for one in held if one not in (EVERYBODY, ASKER)]
            lines.append(f"- {say(f'rights.right.{right}', language)}: {_people(desk, right)}")
        lines.append(say("rights.admins_may", language))
        return Draft(text="\n".join(lines), people=tuple(mentioned))

    async def _quota(self, desk: Desk, rest: str) -> Draft:
        if rest.strip():
            return await self._raise(desk, rest)
        language = desk.language
        rows = [
            _quota_row(say(f"settings.quota_{used.share.kind}", language), used)
            for used in await self.quota.of(self._asker(desk))
        ]
        parts = [say("settings.quota_head", language), _quota_table(desk, rows)]
        if desk.settings.may(desk.message.author.id, "admin"):
            start = desk.message.author.id.rpartition("/")[0] or desk.message.place.platform
            busy = await self.quota.busiest(start, desk.time_zone)
            people = [_quota_row(called(used.share.target), used) for used in busy]
            if people:
                parts += [say("settings.quota_all", language), _quota_table(desk, people)]
            parts.append(say("settings.quota_how", language))
        return Draft(text="\n\n".join(parts))

    async def _raise(self, desk: Desk, rest: str) -> Draft:
        """`@U2 200`, `channel 500`, `workspace reset`."""
        _admins_only(desk)
        place, by = desk.message.place, desk.message.author.id
        words = rest.split()
        count = _count(words[-1])
        kind = TARGETS.get(words[0].casefold(), "person")
        target = {"channel": place.channel, "workspace": place.workspace}.get(kind, "")
        if kind == "person":
            target = next(iter(desk.message.mentions), "") or _person(words[0], by)
        if len(words) < 2 or not target:
            raise WrongUse(rest, key="settings.quota_use")
        await self.quota.limit(kind, target, count, by)
        who = called(target) if kind == "person" else say(f"settings.quota_{kind}", desk.language)
        if count is None:
            return desk.draft("settings.quota_reset", who=who)
        text = say("settings.quota_done", desk.language, who=who, count=count)
        return Draft(text=text, people=(target,) if kind == "person" else ())

    async def _feedback(self, desk: Desk) -> Draft:
        _admins_only(desk)
        channel, language = desk.message.place.channel, desk.language
        counts = await self.feedback.counts(channel)
        if not counts:
            return desk.draft("settings.feedback_none")
        good, bad = counts.get("helpful", 0), counts.get("unhelpful", 0)
        lines = [say("settings.feedback_head", language, good=good, bad=bad)]
        people: list[str] = []
        for said in await self.feedback.latest(channel):
            people.append(said.person)
            names = dict.fromkeys(f"{one.document} v{one.version}" for one in said.sources)
            lines.append(
                say(
                    "settings.feedback_line",
                    language,
                    sign="👍" if said.verdict == "helpful" else "👎",
                    who=called(said.person),
                    time=local_time(said.written_at, desk.time_zone, self.clock()),
                    question=escaped(clipped(" ".join(said.question.split()), LONGEST_QUESTION)),
                    sources=escaped(", ".join(names)) or say("settings.nothing", language),
                    run=f"`{said.run}`",
                )
            )
        return Draft(text="\n".join(lines), people=tuple(people))

    def _asker(self, desk: Desk) -> Asker:
        place = desk.message.place
        return Asker(
            run=desk.message.key,
            thread=place.thread,
            person=desk.message.author.id,
            channel=place.channel,
            workspace=place.workspace,
            zone=desk.time_zone,
            place_zone=first_zone(desk.settings.time_zone, desk.usual_zone),
        )


def layer_text(layer: str, desk: Desk, card: TeammateCard) -> str:
    """A layer as people read it."""
    language = desk.language
    if layer == BUILT_IN:
        return say("settings.layer.built_in", language)
    if layer == TEAMMATE:
        return say("settings.layer.teammate", language, name=escaped(card.name))
    if layer.startswith("channels."):
        channel = layer.removeprefix("channels.")
        return say("settings.layer.file", language, channel=channel)
    return say(f"settings.layer.{layer}", language)


def _admins_only(desk: Desk) -> None:
    if not desk.settings.may(desk.message.author.id, "admin"):
        people = names_of(desk.settings.who_may("admin"), desk.language)
        named = people or say("rights.nobody", desk.language)
        raise Denied("settings", key="rights.refused.admin", people=named)


def _people(desk: Desk, right: Right) -> str:
    held, language = desk.settings.everyone_with.held(right), desk.language
    words = {EVERYBODY: say("rights.everybody", language), ASKER: say("rights.asker", language)}
    named = [words.get(one) or called(one) for one in held]
    return ", ".join(named) or say("settings.nothing", language)


def _quota_row(who: str, used: Used) -> list[str]:
    def of(value: str, most: str, limited: bool) -> str:
        return f"{value} / {most}" if limited else value

    spent, most = used.used, used.most
    return [
        who,
        of(f"{spent.requests:,}", f"{most.requests:,}", most.requests > 0),
        of(f"{spent.tokens:,}", f"{most.tokens:,}", most.tokens > 0),
        of(f"${spent.usd:.2f}", f"${most.usd:.2f}", most.usd > 0),
    ]


def _quota_table(desk: Desk, rows: list[list[str]]) -> str:
    head = say("settings.quota_columns", desk.language).split("|")
    rule = ["---", "--:", "--:", "--:"]
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, rule, *rows])


def _count(word: str) -> int | None:
    """A number of questions; None for `reset`."""
    if SETTINGS_COMMANDS.get(word.casefold()) == "reset":
        return None
    if not re.fullmatch(r"[0-9]{1,9}", word):
        raise WrongUse(word, key="settings.quota_use")
    return int(word)


def _person(word: str, by: str) -> str:
    """The id of a person as it is typed: `slack:T1/U2`, or `@U2` of the writer's own workspace."""
    bare = word.strip("<>@＠")
    if ":" in bare:
        return bare
    return by[: len(by) - len(by.rpartition("/")[2])] + bare if "/" in by else ""
