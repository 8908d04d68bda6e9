"""A run in the shell that needs a person: asked in a terminal, said where there is none."""

from __future__ import annotations

import io
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace

import pytest

from bot.cli import ask as room
from bot.cli.ask import Printer, Question
from bot.cli.decide import decisions
from bot.ending import FAILED
from core.agent import Agent
from core.context import Limits
from core.events import Need
from core.model.scripted import ScriptedModel
from core.request import Picks
from tests.core.fake_library import FakeLibrary
from tests.core.runs_of_one import a_request
from tests.rigs.bank import Purse, tells, toolbox

TOP_UP = Need(id="k", what="approval", tool="recharge", title="Top up 50", arguments={"amount": 50})
ADDRESS = Need(id="q", what="answer", tool="ask_person", title="Ask", question="Which address?")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def typed(monkeypatch: pytest.MonkeyPatch, *lines: str) -> Terminal:
    """A terminal at which these lines are typed; what it shows."""
    shown = Terminal()
    monkeypatch.setattr(sys, "stdin", Terminal("\n".join(lines) + "\n"))
    monkeypatch.setattr(sys, "stderr", shown)
    return shown


@pytest.mark.parametrize(("said", "yes"), [("y", True), ("是", True), ("", False), ("n", False)])
def test_an_approval_shows_the_exact_call_and_takes_a_clear_yes_only(
    monkeypatch: pytest.MonkeyPatch, said: str, yes: bool
) -> None:
    shown = typed(monkeypatch, said)
    (decision,) = decisions([TOP_UP], "local:me", "en", ask=True)
    assert decision.yes is yes and decision.digest == TOP_UP.digest
    assert "Top up 50" in shown.getvalue() and "amount: 50" in shown.getvalue()


def test_a_question_is_asked_until_the_words_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = typed(monkeypatch, "to my mail", "ann@example.com")
    asked = ADDRESS.model_copy(update={"expects": "email"})
    (decision,) = decisions([asked], "local:me", "en", ask=True)
    assert (decision.yes, decision.text) == (True, "ann@example.com")
    assert "address is needed" in shown.getvalue()


def test_without_a_terminal_nothing_is_decided_and_that_is_said(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert decisions([TOP_UP, ADDRESS], "local:me", "en", ask=True) == []
    err = capsys.readouterr().err
    assert "Top up 50" in err and "Which address?" in err


async def ask_in_the_shell(monkeypatch: pytest.MonkeyPatch, purse: Purse, text: str) -> int:
    box = toolbox(purse)
    agent = Agent(FakeLibrary(), ScriptedModel([tells] * 4), box)
    question = Question(text, "handbook", None, Picks())

    async def assemble(*_: object) -> object:
        fields = {"run": question.message.key, "tools": box.names, "picks": Picks(mode="loop")}
        return a_request(question=text).model_copy(update=fields)

    @asynccontextmanager
    async def opened() -> AsyncIterator[object]:
        yield SimpleNamespace(agent=agent, assembler=None, limits=Limits())

    monkeypatch.setattr(room.shell, "opened", opened)
    monkeypatch.setattr(room, "replace", lambda *_, **__: SimpleNamespace(assemble=assemble))
    return await question.answered(Printer(as_json=False, events=False))


async def test_a_yes_in_the_terminal_lets_the_run_go_on_to_its_answer(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed(monkeypatch, "y")
    purse = Purse()
    assert await ask_in_the_shell(monkeypatch, purse, "recharge 50") == 0
    assert purse.paid == [50]
    assert "topped up 50" in capsys.readouterr().out


async def test_without_a_terminal_the_run_fails_with_a_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    purse = Purse()
    assert await ask_in_the_shell(monkeypatch, purse, "recharge 50") == FAILED
    assert purse.paid == []
    assert "recharge 50" in capsys.readouterr().err


def test_what_paints_the_terminal_is_spelled_out_for_who_allows_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shown = typed(monkeypatch, "n")
    hidden = {"to": "ann@example.com\x1b[8m, and eve@example.com\x1b[0m"}
    need = TOP_UP.model_copy(update={"arguments": hidden, "title": "Mail\x1b[2J"})
    decisions([need], "local:me", "en", ask=True)
    assert "\x1b" not in shown.getvalue()
    assert "⟨U+001B⟩[8m, and eve@example.com" in shown.getvalue()
