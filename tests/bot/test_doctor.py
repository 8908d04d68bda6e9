"""What the doctor finds of the services outside: reached, and nothing asked of them."""

import socket
import sys
from pathlib import Path

import pytest

from bot.config import MailConfig, WeatherConfig, WebConfig, load
from bot.doctor import CHECKS, Finding, _looked_at
from tests.rigs.outside import mail_server, serving

TOOL = '''
from core.tools.definition import tool

@tool()
async def ask_the_stars(when: str) -> str:
    """What the stars say.

    when: A day.
    """
    return "nothing"
'''


@pytest.fixture(autouse=True)
def _empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)


async def found(name: str, **given: object) -> Finding:
    return await _looked_at(name, dict(CHECKS)[name], load(**given), "en")


def nowhere() -> str:
    """An address on this machine that takes no connection."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{held.getsockname()[1]}"


async def test_a_search_server_is_reached_and_asked_nothing() -> None:
    async with serving({}) as server:
        web = WebConfig(provider="searxng", url=server.origin)
        finding = await found("web", web=web)
        assert (finding.state, server.asked) == ("ok", [])
    finding = await found("web", web=WebConfig(provider="searxng", url=nowhere()))
    assert finding.state == "wrong" and "127.0.0.1" in finding.text
    assert (await found("web", web=WebConfig(provider="off"))).state == "off"
    assert (await found("web")).state == "ok"


async def test_a_weather_service_of_ones_own_must_be_there() -> None:
    async with serving({}) as server:
        weather = WeatherConfig(geocoding_url=server.origin, forecast_url=server.origin)
        assert (await found("weather", weather=weather)).text == "127.0.0.1 can be reached."
        assert server.asked == []
    far = WeatherConfig(geocoding_url=nowhere(), forecast_url=nowhere())
    assert (await found("weather", weather=far)).state == "wrong"
    assert (await found("weather", weather=WeatherConfig(forecast_url=""))).state == "off"


async def test_an_installation_without_the_internet_is_sound(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def refused(host: str, port: int) -> object:
        raise ConnectionRefusedError(host, port)

    monkeypatch.setattr("bot.doctor.asyncio.open_connection", refused)
    finding = await found("weather")
    assert finding.state == "off" and "geocoding-api.open-meteo.com" in finding.text


async def test_the_mail_server_is_logged_in_to_and_sent_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    mail = MailConfig(sender="bot@example.com")
    assert (await found("mail")).state == "off"
    async with mail_server({"bot": "right"}) as server:
        at = f"127.0.0.1:{server.port}"
        for password, state in (("right", "ok"), ("wrong", "wrong")):
            monkeypatch.setenv("THREADMATE_SMTP_URL", f"smtp://bot:{password}@{at}")
            finding = await found("mail", mail=mail)
            assert finding.state == state
            assert password not in finding.text.split()
        assert server.mails == [] and server.envelopes == []
    finding = await found("mail", mail=mail)
    assert finding.state == "wrong" and "127.0.0.1" in finding.text


async def test_own_tools_are_named_and_a_module_that_cannot_be_loaded_is() -> None:
    assert (await found("tools")).state == "off"
    Path("stars_of_ours.py").write_text(TOOL, "utf-8")
    finding = await found("tools", tools=("stars_of_ours",))
    assert (finding.state, finding.text) == ("ok", "stars_of_ours brings: ask_the_stars.")
    finding = await found("tools", tools=("moons_of_ours",))
    assert finding.state == "wrong" and "moons_of_ours" in finding.text
