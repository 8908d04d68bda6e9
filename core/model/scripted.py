"""Models that say what a script says: for tests, and for a running bot without a provider.

A script file for `scripted:PATH.json`; the first rule that fits is taken:

    {"rules": [
        {"user": "leave", "tool": "[1]", "text": "The handbook says: 15 days [1]."},
        {"user": "leave", "calls": [{"name": "semantic_search", "arguments": {"query": "leave"}}]},
        {"user": "slow", "text": "One word at a time.", "delay_ms": 200},
        {"user": "crash", "error": "down"}],
     "otherwise": "This script has nothing to say to that."}
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError

from core.errors import ModelDown, ModelRefused, WrongConfig
from core.messages import Frozen
from core.model.calls import deltas_of
from core.model.protocol import Delta, ModelRequest, Reply, ToolCall


class UnexpectedCall(AssertionError):
    """The model was called more often than its script has steps."""


@dataclass(frozen=True)
class Breaks:
    """A step that gives some deltas and then raises."""

    error: BaseException
    after: Sequence[Delta] = ()


Step = str | Reply | BaseException | Breaks | Sequence[Delta] | Callable[[ModelRequest], "Step"]
"""A text, a whole reply, an error, a broken stream, the very deltas, or what a function makes."""


@dataclass
class ScriptedModel:
    """Gives its steps one after another and keeps every request that it got."""

    steps: Sequence[Step]
    name: str = "scripted"
    calls: list[ModelRequest] = field(default_factory=list[ModelRequest])
    closed: int = 0
    """Streams that were closed, at their end or before."""

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Delta]:
        """Deltas of the next step. Raises UnexpectedCall when there is none."""
        number = len(self.calls)
        self.calls.append(request)
        if number >= len(self.steps):
            last = request.messages[-1]
            raise UnexpectedCall(
                f"call {number + 1} came, the script has {len(self.steps)} steps;"
                f" its last message is {last.role}: {last.text[:200]!r}"
            )
        try:
            for delta in _deltas(self.steps[number], request):
                await asyncio.sleep(0)
                if isinstance(delta, BaseException):
                    raise delta
                yield delta
        finally:
            self.closed += 1

    async def close(self) -> None:
        """Nothing is held open."""

    def assert_complete(self) -> None:
        """Fail unless every step was used."""
        left = len(self.steps) - len(self.calls)
        assert left == 0, f"{left} of {len(self.steps)} steps were never asked for"


def calling(*calls: tuple[str, Any], text: str = "", prefix: str = "call") -> Reply:
    """A reply that calls tools: pairs of name and arguments (a dict, or raw text as it is)."""
    made = tuple(
        ToolCall(
            id=f"{prefix}_{number}",
            name=name,
            arguments=arguments
            if isinstance(arguments, str)
            else json.dumps(arguments, ensure_ascii=False),
        )
        for number, (name, arguments) in enumerate(calls, 1)
    )
    return Reply(text=text, calls=made, finish="tool_calls")


def _deltas(step: Step, request: ModelRequest) -> Sequence[Delta | BaseException]:
    if isinstance(step, str):
        return deltas_of(Reply(text=step))
    if isinstance(step, Reply):
        return deltas_of(step)
    if isinstance(step, BaseException):
        return [step]
    if isinstance(step, Breaks):
        return [*step.after, step.error]
    if callable(step):
        return _deltas(step(request), request)
    return step


class ScriptCall(Frozen):
    name: str
    arguments: dict[str, Any] = Field(default_factory=dict[str, Any])


class Rule(Frozen):
    """One line of a script file: what must be so, and what is said then."""

    user: str = ""
    """Must stand in the last question, case aside."""
    tool: str | None = None
    """Must stand in the results that came after it; without it, calls fire before any result."""
    text: str = ""
    """`{results}` stands for the results that came."""
    calls: tuple[ScriptCall, ...] = ()
    again: bool = False
    """True: fires after results as well, so that the model never stops calling."""
    error: Literal["", "down", "refused"] = ""
    delay_ms: int = 0
    """Pause before each delta."""


class Script(Frozen):
    rules: tuple[Rule, ...]
    """The first that fits is taken."""
    otherwise: str = "This script has nothing to say to that."
    delta_size: int = 12


class FileModel:
    """Answers by the rules of a JSON file (`scripted:PATH`)."""

    def __init__(self, path: Path) -> None:
        self.name = f"scripted:{path.name}"
        try:
            self._script = Script.model_validate_json(path.read_bytes())
        except OSError as error:
            raise WrongConfig(f"{path}: {error.strerror}") from error
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"])
            raise WrongConfig(f"{path}: {where}: {first['msg']}") from error

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Delta]:
        """Deltas of the first rule that fits."""
        question, results = _state(request)
        rule = self._rule(question, results) if request.tools else None
        rule = rule or self._rule(question, results, calls=False)
        rule = rule or Rule(text=self._script.otherwise)
        if rule.error:
            raise ModelDown("scripted") if rule.error == "down" else ModelRefused("scripted")
        text = rule.text.replace("{results}", "\n".join(results))
        calls = calling(*((call.name, call.arguments) for call in rule.calls)).calls
        finish = "tool_calls" if calls else "stop"
        reply = Reply(text=text, calls=calls if request.tools else (), finish=finish)
        for delta in deltas_of(reply, self._script.delta_size):
            await asyncio.sleep(rule.delay_ms / 1000)
            yield delta

    async def close(self) -> None:
        """Nothing is held open."""

    def _rule(self, question: str, results: list[str], *, calls: bool = True) -> Rule | None:
        fitting = (
            rule
            for rule in self._script.rules
            if rule.user.casefold() in question.casefold()
            and _fits(rule, results)
            and (calls or not rule.calls)
        )
        return next(fitting, None)


def _fits(rule: Rule, results: list[str]) -> bool:
    if rule.tool is not None:
        return any(rule.tool in result for result in results)
    return not results or rule.again or not rule.calls


def _state(request: ModelRequest) -> tuple[str, list[str]]:
    """The last question, and the tool results after it."""
    question, results = "", list[str]()
    for message in request.messages:
        if message.role == "user":
            question, results = message.text, []
        elif message.role == "tool":
            results.append(message.text)
    return question, results
