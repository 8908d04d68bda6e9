"""`@tool`: a typed function becomes a tool.

    @tool(keywords=("股价", "stock price"), allowed={"market": ("sh", "sz")})
    async def get_stock_price(code: str, market: str = "sh") -> str:
        \"\"\"The latest price of one share. For reports take get_financial_report.

        code: Six digits, as 600519.
        market: Where it is traded.
        \"\"\"

The schema comes from the signature, the card's text from the docstring: lines `name: text` below
the first paragraph describe parameters. A first parameter annotated `Bound` gets what the run is
bound to and is no parameter of the tool. A function that is not async runs in a thread.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import re
import typing
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, cast

from pydantic import BaseModel, Field, create_model
from pydantic.fields import FieldInfo

from core.texts import catalogue, say
from core.tools.tool import Arguments, Effect, Tool, ToolResult
from core.tools.toolbox import Bound

Rule = Callable[[Bound, Any], bool]
"""Bound and the call's arguments -> yes or no."""
Title = str | tuple[str, str] | Callable[[Bound, Any], str]
"""The step's line for people: the key of a sentence or its two texts, Chinese and English, which
take the arguments' values (`("查询 {name} 的余额", "Balance of {name}")`); or a function."""

TITLE_VALUE = 60
"""Characters of one value in a title."""
PARAMETER_LINE = re.compile(r"\s*([a-z_]\w*)\s*(?:\([^)]*\))?\s*[:：]\s*(\S.*)")
HEADINGS = re.compile(r"\s*(?:args|arguments|parameters|参数)\s*[:：]\s*", re.I)


@dataclass(frozen=True)
class ToolMaker:
    """A tool that is not bound yet; what `@tool` makes of a function."""

    name: str
    function: Callable[..., Any]
    description: str
    arguments: type[Arguments]
    takes_bound: bool
    effect: Effect
    title: Title
    timeout_s: float
    cacheable: bool
    return_direct: bool
    needs_approval: bool | Rule
    unless_written: Callable[[Any], Sequence[str]] | None
    idempotent: bool
    pinned: bool
    keywords: tuple[str, ...]
    allowed: Mapping[str, tuple[str, ...]]
    origin: str
    when: Callable[[Bound], bool] | None

    def __call__(self, bound: Bound) -> Tool | None:
        """The tool of one run; None where `when` says that it has no use."""
        if self.when is not None and not self.when(bound):
            return None
        rule = self.needs_approval
        return Tool(
            name=self.name,
            description=self.description,
            arguments=self.arguments,
            run=lambda arguments: self._run(bound, arguments),
            title=lambda arguments: self._title(bound, arguments),
            effect=self.effect,
            timeout_s=self.timeout_s,
            cacheable=self.cacheable,
            return_direct=self.return_direct,
            needs_approval=rule if isinstance(rule, bool) else lambda given: rule(bound, given),
            unless_written=self.unless_written,
            idempotent=self.idempotent,
            pinned=self.pinned,
            keywords=self.keywords,
            allowed=self.allowed,
            origin=self.origin,
        )

    async def _run(self, bound: Bound, arguments: Arguments) -> ToolResult:
        values = {name: getattr(arguments, name) for name in type(arguments).model_fields}
        given = (bound,) if self.takes_bound else ()
        if inspect.iscoroutinefunction(self.function):
            return as_result(await self.function(*given, **values))
        return as_result(await asyncio.to_thread(self.function, *given, **values))

    def _title(self, bound: Bound, arguments: Arguments) -> str:
        if callable(self.title):
            return self.title(bound, arguments)
        values = {name: _short(value) for name, value in arguments.model_dump(mode="json").items()}
        if isinstance(self.title, tuple):
            zh, en = self.title
            return (zh if bound.request.language == "zh" else en).format(**values)
        if self.title:
            return say(self.title, bound.request.language, **values)
        first = next(iter(values.values()), "")
        return f"{self.name}: {first}" if first else self.name


def tool(
    *,
    name: str = "",
    effect: Effect = "read",
    title: Title = "",
    timeout_s: float = 30.0,
    cacheable: bool = True,
    return_direct: bool = False,
    needs_approval: bool | Rule = False,
    unless_written: Callable[[Any], Sequence[str]] | None = None,
    idempotent: bool = False,
    pinned: bool = False,
    keywords: Sequence[str] = (),
    allowed: Mapping[str, tuple[str, ...]] | None = None,
    origin: str = "builtin",
    when: Callable[[Bound], bool] | None = None,
) -> Callable[[Callable[..., Any]], ToolMaker]:
    """Make a tool of a function; the fields are those of `core.tools.tool.Tool`.

    `when` tells whether a run has use for it. Raises TypeError, naming function and parameter, for
    a signature that no schema can be made of.
    """

    def made(function: Callable[..., Any]) -> ToolMaker:
        hints, takes_bound = parameters_of(function)
        described, docs = described_by(inspect.getdoc(function) or "", set(hints))
        if not described:
            raise TypeError(f"tool {function.__name__} needs a docstring: models choose by it")
        if isinstance(title, str) and title and title not in catalogue():
            raise TypeError(f"tool {function.__name__}: no sentence has the key {title!r}")
        if isinstance(title, tuple):
            _check_title(function.__name__, title, set(hints))
        return ToolMaker(
            name=name or function.__name__,
            function=function,
            description=described,
            arguments=arguments_of(function, hints, docs),
            takes_bound=takes_bound,
            effect=effect,
            title=title,
            timeout_s=timeout_s,
            cacheable=cacheable and effect == "read",
            return_direct=return_direct,
            needs_approval=needs_approval,
            unless_written=unless_written,
            idempotent=idempotent,
            pinned=pinned,
            keywords=tuple(keywords),
            allowed=dict(allowed or {}),
            origin=origin,
            when=when,
        )

    return made


def parameters_of(function: Callable[..., Any]) -> tuple[dict[str, Any], bool]:
    """(annotation by parameter name, whether the first parameter is the Bound)."""
    try:
        hints = typing.get_type_hints(function, include_extras=True)
    except NameError as error:
        raise TypeError(f"tool {function.__name__}: {error}") from error
    names: dict[str, Any] = {}
    takes_bound = False
    for place, (name, parameter) in enumerate(inspect.signature(function).parameters.items()):
        if place == 0 and hints.get(name) is Bound:
            takes_bound = True
            continue
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise TypeError(f"tool {function.__name__}: {name} must be a plain named parameter")
        if name not in hints:
            raise TypeError(f"tool {function.__name__}: {name} has no type")
        names[name] = hints[name]
    return names, takes_bound


def described_by(doc: str, names: set[str]) -> tuple[str, dict[str, str]]:
    """A docstring as (text of the card, text by parameter)."""
    card: list[str] = []
    docs: dict[str, str] = {}
    current = ""
    for line in doc.splitlines():
        found = PARAMETER_LINE.fullmatch(line)
        if found and found[1] in names:
            current = found[1]
            docs[current] = found[2].strip()
        elif not line.strip() or HEADINGS.fullmatch(line):
            current = ""
        elif current:
            docs[current] = f"{docs[current]} {line.strip()}"
        else:
            card.append(line.strip())
    return " ".join(card), docs


def arguments_of(
    function: Callable[..., Any], hints: Mapping[str, Any], docs: Mapping[str, str]
) -> type[Arguments]:
    """The model of a function's arguments."""
    fields: dict[str, Any] = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if name not in hints:
            continue
        default = ... if parameter.default is parameter.empty else parameter.default
        # The docstring's words count only where the annotation has none: the nearer one wins.
        told = FieldInfo.from_annotation(hints[name]).description or docs.get(name)
        hint: Any = Annotated[hints[name], Field(description=told)] if told else hints[name]
        fields[name] = (hint, default)
    title = "".join(part.capitalize() for part in function.__name__.split("_"))
    try:
        return create_model(title, __base__=Arguments, __module__=function.__module__, **fields)
    except Exception as error:
        raise TypeError(f"tool {function.__name__}: {error}") from error


def as_result(value: Any) -> ToolResult:
    """What a function gave, as a result: a ToolResult, a text, or anything that JSON can hold.

    None and empty values are results in which nothing was found.
    """
    if isinstance(value, ToolResult):
        return value
    found = value not in (None, "", [], {}, ())
    if isinstance(value, str):
        return ToolResult(text=value, summary=_short(value), found=found)
    if isinstance(value, BaseModel):
        value = value.model_dump(mode="json")
    text = json.dumps(value, ensure_ascii=False, default=str)
    return ToolResult(text=text, summary=_short(_spoken(value)), found=found)


def _spoken(value: Any) -> str:
    """A value as people read it, without JSON's signs: `name: Pika, balance: 10`."""
    if isinstance(value, dict):
        held = cast(dict[Any, Any], value)
        return ", ".join(f"{name}: {_spoken(one)}" for name, one in held.items())
    if isinstance(value, list | tuple | set):
        return ", ".join(_spoken(one) for one in cast(Collection[Any], value))
    return "" if value is None else str(value)


def _check_title(name: str, title: tuple[str, str], parameters: set[str]) -> None:
    """Raise TypeError for a line that names what is no parameter: it would fail at work."""
    for text in title:
        try:
            text.format(**dict.fromkeys(parameters, ""))
        except (KeyError, IndexError, ValueError) as error:
            raise TypeError(f"tool {name}: the title {text!r} cannot be filled: {error}") from error


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    line = " ".join(text.split())
    return line if len(line) <= TITLE_VALUE else f"{line[: TITLE_VALUE - 1]}…"
