"""The toolbox: what a run may use, and tools that come and go while it runs."""

import logging
from collections.abc import Sequence

import pytest

from core.journal import MemoryJournal
from core.tools.builtin import BUILTIN
from core.tools.definition import tool
from core.tools.sources import SourceBook
from core.tools.tool import Tool
from core.tools.toolbox import READ, Bound, Toolbox
from tests.core.fake_library import FakeLibrary, request
from tests.core.runs_of_one import a_tool


@tool()
async def look(query: str) -> str:
    """Looks."""
    return query


@tool(effect="write_shared")
async def keep(query: str) -> str:
    """Keeps."""
    return query


@tool(effect="external")
async def send(query: str) -> str:
    """Sends."""
    return query


def box() -> Toolbox:
    return Toolbox({"look": look, "keep": keep, "send": send, "peek": lambda _: a_tool("peek")})


def bound(*names: str) -> Bound:
    asked = request("x", tools=names)
    return Bound(asked, FakeLibrary(), SourceBook(MemoryJournal()))


def test_tools_are_grouped_by_what_they_do() -> None:
    assert box().grouped() == {
        "read": ("look", "peek"),
        "write_shared": ("keep",),
        "external": ("send",),
    }


@pytest.mark.parametrize(
    ("named", "effects", "picked", "may"),
    [
        (None, ("keep", "send"), None, ("look", "peek", READ)),
        (("look",), ("keep",), None, ("look",)),
        (("look", "keep", "send"), ("keep",), None, ("look", "keep")),
        (("keep",), (), None, ()),
        ((READ, "send"), ("send",), None, ("look", "send", "peek", READ)),
        ((), ("keep",), None, ()),
        (None, (), ("peek", "keep", "shell"), ("peek",)),
        (("keep", "look"), ("keep",), ("keep",), ("keep",)),
        (("gone", "look"), (), None, ("look",)),
    ],
)
def test_effects_need_a_line_and_a_channel_and_picks_only_narrow(
    named: Sequence[str] | None,
    effects: tuple[str, ...],
    picked: tuple[str, ...] | None,
    may: tuple[str, ...],
) -> None:
    assert box().permitted(named, effects, picked) == may


def test_a_run_sees_tools_that_come_and_loses_those_that_go() -> None:
    tools = box()
    mine = bound("look", "later", "keep")
    first = tools.of(mine)
    assert list(first) == ["look", "keep"]
    tools.register("later", lambda _: a_tool("later"))
    tools.unregister("look")
    tools.unregister("nobody")
    assert list(tools.of(mine)) == ["keep", "later"]
    assert list(first) == ["look", "keep"]
    assert tools.version == 3


def test_who_may_read_with_everything_gets_new_readers_but_no_new_effects() -> None:
    tools = box()
    mine = bound("look", READ)
    tools.register("news", lambda _: a_tool("news"))
    tools.register("wipe", send)
    assert list(tools.of(mine)) == ["look", "peek", "news"]


def test_a_tool_registered_again_is_another_one() -> None:
    tools = box()
    tools.register("look", lambda _: a_tool("look", timeout_s=1.0))
    assert tools.of(bound("look"))["look"].timeout_s == 1.0


def test_a_copy_changes_by_itself() -> None:
    tools = box()
    mine = tools.copy()
    mine.unregister("look")
    assert "look" in tools.names and "look" not in mine.names


def test_a_tool_that_cannot_be_made_takes_no_other_away(caplog: pytest.LogCaptureFixture) -> None:
    def broken(_: Bound) -> Tool:
        raise RuntimeError("no")

    tools = box()
    tools.register("broken", broken)
    with caplog.at_level(logging.ERROR):
        assert list(tools.of(bound("look", "broken"))) == ["look"]
    assert "tool broken cannot be made" in caplog.text


def test_what_ships_and_has_effects_is_known_by_its_effect() -> None:
    groups = BUILTIN.grouped()
    assert groups["write_shared"] == ("write_document",)
    assert groups["external"] == ("send_email",)


def test_without_services_their_tools_are_not_there() -> None:
    everything = bound(*BUILTIN.names)
    gone = set(BUILTIN.names) - set(BUILTIN.of(everything))
    said = {"read_thread", "search_conversation"}
    assert gone == {"get_weather", "search_web", "write_document", "send_email"} | said
