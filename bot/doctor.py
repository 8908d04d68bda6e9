"""Doctor: looks at each part that must work, and says what to do about the ones that do not."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from bot.app import TEAMMATES, migrated
from bot.config import Config, WeatherConfig, data_folder, load
from core.errors import ThreadmateError, WrongConfig
from core.http import WebError
from core.messages import Frozen, Language
from core.texts import say, told

LEAST_FREE = 500 * 2**20
"""Less free disk than this and an upload or two may fill it."""
MODEL_S = 60.0
REACH_S = 5.0
"""For a connection to a server; nothing is asked of it."""


class Finding(Frozen):
    name: str
    state: Literal["ok", "wrong", "off"]
    text: str


Check = Callable[[Config, Language], Awaitable[str]]


async def examine(language: Language) -> list[Finding]:
    """Every part, in the order in which they need each other."""
    try:
        config = load()
    except WrongConfig as error:
        return [
            Finding(name="config", state="wrong", text=line) for line in error.detail.splitlines()
        ]
    found = [Finding(name="config", state="ok", text=say("doctor.config", language))]
    for name, check in CHECKS:
        found.append(await _looked_at(name, check, config, language))
    return found


async def _looked_at(name: str, check: Check, config: Config, language: Language) -> Finding:
    try:
        text = await check(config, language)
    except Off as off:
        return Finding(name=name, state="off", text=say(off.key, language, **off.values))
    except WrongConfig as error:
        text = error.detail or told(error, language)
    except ThreadmateError as error:
        text = told(error, language)
    else:
        return Finding(name=name, state="ok", text=text)
    return Finding(name=name, state="wrong", text=text)


class Off(ThreadmateError):
    """This part is not switched on."""


async def _data(config: Config, language: Language) -> str:
    folder = data_folder(config.data)
    free = shutil.disk_usage(folder).free
    if free < LEAST_FREE:
        raise WrongConfig(say("doctor.disk", language, folder=folder, free=free // 2**20))
    number = await migrated(config)
    return say("doctor.data", language, folder=folder, free=free // 2**30, number=number)


async def _reading(config: Config, language: Language) -> str:
    from core.knowledge.parse import Parser

    parser = Parser(timeout_s=config.limits.parse_seconds, memory_mb=config.limits.parse_mb)
    try:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "note"
            await asyncio.to_thread(path.write_text, "# Leave\n\nTen days.", encoding="utf-8")
            parsed = await parser.parse(path, "note.md")
    finally:
        await parser.close()
    if parsed.status != "ready":
        raise WrongConfig(say("doctor.parser", language, status=parsed.status))
    return say("doctor.parser_ok", language)


async def _meaning(config: Config, language: Language) -> str:
    from core.index.embed import SentenceEncoder

    encoder = SentenceEncoder(data_folder(config.data) / "cache")
    await asyncio.to_thread(encoder.embed, ["年假", "annual leave"])
    return say("doctor.embedder", language, model=encoder.model, size=encoder.dimension)


async def _teammates(config: Config, language: Language) -> str:
    from core.teammates import Roster

    del config
    team = await Roster(Path(TEAMMATES)).team()
    if team.errors:
        raise WrongConfig("; ".join(error.told(language) for error in team.errors))
    return say("cli.teammates_fine", language, count=len(team.cards))


async def _tools(config: Config, language: Language) -> str:
    from core.tools.builtin import BUILTIN
    from core.tools.own import with_own

    if not config.tools:
        raise Off(key="doctor.tools_off")
    own = [name for name in with_own(BUILTIN, config.tools).names if name not in BUILTIN.names]
    return say("doctor.tools", language, tools=", ".join(own), modules=", ".join(config.tools))


async def _web(config: Config, language: Language) -> str:
    match config.web.provider:
        case "off":
            raise Off(key="doctor.web_off")
        case "ddgs":
            return say("doctor.web_free", language)
        case "searxng" | "api":
            return say("doctor.reached", language, host=await reached(config.web.url))


async def _weather(config: Config, language: Language) -> str:
    weather = config.weather
    if not weather.geocoding_url or not weather.forecast_url:
        raise Off(key="doctor.weather_off")
    try:
        hosts = [await reached(url) for url in (weather.geocoding_url, weather.forecast_url)]
    except WebError as error:
        if weather == WeatherConfig():
            # Nobody set it up: an installation without the internet is sound all the same.
            host = str(error.values.get("host", ""))
            raise Off(key="doctor.weather_far", host=host) from error
        raise
    return say("doctor.reached", language, host=", ".join(dict.fromkeys(hosts)))


async def _mail(config: Config, language: Language) -> str:
    mailer = config.outside.mailer()
    if mailer is None:
        raise Off(key="doctor.mail_off")
    await mailer.reach()
    return say("doctor.mail", language, host=mailer.host)


async def reached(url: str) -> str:
    """The host of an address that takes a connection; WebError if it takes none."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        async with asyncio.timeout(REACH_S):
            _, line = await asyncio.open_connection(host, port)
    except OSError as error:  # TimeoutError is one.
        raise WebError(key="web.unreachable", host=host) from error
    line.close()
    with suppress(OSError):
        await line.wait_closed()
    return host


async def _slack(config: Config, language: Language) -> str:
    from slack_sdk.web.async_client import AsyncWebClient

    from bot.slack.account import SlackConfig, check_tokens, socket_address, who_are_we

    bot_token, app_token = config.slack_bot_token, config.slack_app_token
    if bot_token is None or app_token is None:
        raise Off(key="doctor.slack_off")
    slack = SlackConfig(bot_token, app_token, config.slack_api_url)
    check_tokens(slack)
    client = AsyncWebClient(token=bot_token.get_secret_value(), base_url=slack.api_url)
    account = await who_are_we(client, slack)
    await socket_address(client, slack)
    if account.missing:
        scopes = ", ".join(account.missing)
        return say("doctor.slack_scopes", language, team=account.us.team, scopes=scopes)
    return say("doctor.slack", language, team=account.us.team, user=account.us.user)


async def _discord(config: Config, language: Language) -> str:
    if config.discord_token is None:
        raise Off(key="discord.off")
    from bot.discord.account import DiscordConfig
    from bot.discord.health import examined, report

    health = await examined(DiscordConfig(config.discord_token, config.discord_api_url))
    return report(health, language)


async def _model(config: Config, language: Language) -> str:
    from core.model import model_of
    from core.model.protocol import ModelMessage, ModelRequest

    if config.model is None:
        raise Off(key="doctor.model_off")
    model = model_of(*config.asked(config.model))
    request = ModelRequest(
        messages=(ModelMessage(role="user", text="Answer with: ok"),), max_tokens=16
    )
    try:
        async with asyncio.timeout(MODEL_S):
            async for _ in model.stream(request):
                pass
    except TimeoutError:
        raise WrongConfig(say("doctor.model_slow", language, seconds=MODEL_S)) from None
    finally:
        await model.close()
    return say("doctor.model", language, model=config.model)


CHECKS: tuple[tuple[str, Check], ...] = (
    ("data", _data),
    ("files", _reading),
    ("search", _meaning),
    ("teammates", _teammates),
    ("tools", _tools),
    ("web", _web),
    ("weather", _weather),
    ("mail", _mail),
    ("slack", _slack),
    ("discord", _discord),
    ("model", _model),
)
