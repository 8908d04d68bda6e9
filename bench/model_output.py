"""How well the outputs of models are read: calls, arguments, JSON and plans that drifted.

    python -m bench.model_output --cases F.jsonl [--cuts 200] [--seed 1]

Prints one JSON object `{ok, total, by_kind, by_policy, failed[]}`. Every row is also cut into
pieces at random, as a stream brings it: each cutting must give the same result. Rows that carry a
`policy` are those on which projects differ; docs/model-output.md says how we decide them.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import create_model

from core.context import PlanKnobs
from core.model.calls import Assembler
from core.model.protocol import CallDelta, Delta
from core.model.repair import read_arguments, read_json
from core.plan.loosen import loosened
from core.plan.read import read_plan
from core.plan.schema import Node, Plan, check
from core.tools.tool import Arguments, Tool, ToolResult

Row = Mapping[str, Any]
CUTS = 200
KINDS: dict[str, str] = {
    "cycle": "cycle", "cyclic": "cycle", "circular": "cycle", "self": "cycle", "race": "race",
    "duplicate": "duplicate", "tool": "tool", "required": "argument",
    "argument": "argument", "arg": "argument", "param": "argument", "depend": "dependency",
    "dep": "dependency", "dangling": "dependency", "reference": "dependency", "edge": "dependency",
    "empty": "nothing", "no_plan": "nothing", "no_json": "nothing", "not_a_plan": "nothing",
    "no_nodes": "nothing", "parse": "nothing", "invalid_json": "nothing", "cut": "cut",
    "trunc": "cut", "incomplete": "cut", "unclosed": "cut",
}  # fmt: skip
"""Words in the name of an error -> what it is about; names differ between projects, meanings
do not. A node that depends on itself is the shortest cycle."""


def rows_of(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def text_of(row: Row) -> str:
    """What the model said, whole."""
    return row["output"] if "output" in row else "".join(row["chunks"])


def pieces(text: str, rng: random.Random) -> Iterator[str]:
    """The text, cut at random places."""
    places = sorted(rng.randint(0, len(text)) for _ in range(rng.randint(1, 12)))
    for start, end in zip([0, *places], [*places, len(text)], strict=True):
        yield text[start:end]


def said(parts: Iterable[str]) -> str:
    """A text as our assembler of streams puts it together."""
    assembler = Assembler()
    for part in parts:
        assembler.add(Delta(text=part))
    return assembler.reply().text


def called(parts: Iterable[str]) -> str:
    """The arguments of a call, as the assembler puts them together."""
    assembler = Assembler()
    assembler.add(Delta(calls=(CallDelta(index=0, id="c1", name="tool"),)))
    for part in parts:
        assembler.add(Delta(calls=(CallDelta(index=0, arguments=part),)))
    return assembler.reply().calls[0].arguments


def json_of(text: str) -> Any:
    """The value; an empty text stands for "no JSON", which some projects tell so."""
    read = read_json(text)
    return "" if any(error.startswith("no_json") for error in read.errors) else read.value


def arguments_of(text: str) -> Any:
    return read_arguments(text).value


def tools_of(rows: Iterable[Row]) -> dict[str, Tool]:
    """The tools that plans of a corpus may use: those of its plans without errors. A parameter is
    needed if every use has it."""
    uses: dict[str, list[set[str]]] = {}
    for row in rows:
        if row["kind"] == "plan" and not row["expected"]["errors"]:
            for node in row["expected"]["nodes"]:
                uses.setdefault(node["tool"], []).append(set(node["args"]))
    return {name: _tool(name, held) for name, held in uses.items()}


def _tool(name: str, uses: list[set[str]]) -> Tool:
    needed = set.intersection(*uses)
    fields: dict[str, Any] = {
        one: (Any, ... if one in needed else None) for one in sorted(set.union(*uses))
    }

    async def run(_: Any) -> ToolResult:
        return ToolResult(text="")

    arguments = create_model(f"Arguments_{name}", __base__=Arguments, **fields)
    return Tool(name=name, description=name, arguments=arguments, run=run, title=lambda _: name)


def plan_of(text: str, tools: Mapping[str, Tool]) -> tuple[Plan | None, list[str]]:
    read = read_plan(text, tools)
    plan = read.plan
    found = list(read.errors)
    if plan is not None:
        found += check(plan, tools, (), PlanKnobs())
    if plan is None or not plan.nodes:
        found = found or ["empty: nothing is to do"]
    return plan, found


def meaning(error: str) -> str:
    """What an error is about, in one word."""
    name = re.split(r"[:\s]", error.strip().casefold(), maxsplit=1)[0]
    return next((about for word, about in KINDS.items() if word in name), name)


def _spot(error: str) -> str:
    """The node, and the argument where one is named, that an error is about."""
    found = re.search(r"(?:node |:\s*)([\w-]+\.[\w-]+)", error)
    return found[1] if found else ""


def shape(nodes: Iterable[Node]) -> list[dict[str, Any]]:
    return [
        {
            "id": node.id,
            "tool": node.tool,
            "args": node.arguments,
            "depends_on": list(node.depends_on),
            "race_group": node.race_group or None,
        }
        for node in nodes
    ]


def stages(plan: Plan | None, errors: list[str], tools: Mapping[str, Tool]) -> list[Any]:
    """The nodes of a plan with errors, at the stages at which projects stop: as read; nothing,
    because it cannot be worked; made workable; without the nodes that are wrong."""
    if plan is None or not errors:
        return [shape(plan.nodes) if plan else []]
    wrong = {spot for error in errors for spot in re.findall(r"node ([\w-]+)", error)}
    first = {node.id: node for node in reversed(plan.nodes)}
    return [
        shape(plan.nodes),
        [],
        shape(loosened(plan, tools).nodes),
        shape(node for node in plan.nodes if node.id not in wrong),
        shape(node for node in plan.nodes if first[node.id] is node),
    ]


def judge_plan(row: Row, plan: Plan | None, errors: list[str], tools: Mapping[str, Tool]) -> str:
    """Why a plan is not as expected; empty if it is."""
    expected = row["expected"]
    wanted, got = ({meaning(one) for one in side} for side in (expected["errors"], errors))
    # That an answer was cut is a state, told by `needs_click`: some call it an error, some do not.
    unsure = "cut" in got or (plan is not None and plan.needs_click)
    if wanted - {"cut"} != got - {"cut"} or ("cut" in wanted and not unsure):
        return f"errors {errors} are not {expected['errors']}"
    spots = {spot for error in expected["errors"] if (spot := _spot(error))}
    if missing := spots - {_spot(error) for error in errors}:
        return f"no error names {sorted(missing)}"
    nodes = json.loads(re.sub(r"\$(\d+)\b", r"${\1}", json.dumps(expected["nodes"])))
    if nodes not in stages(plan, errors, tools):
        return f"nodes {shape(plan.nodes) if plan else None} are not {expected['nodes']}"
    return ""


def judge(row: Row, tools: Mapping[str, Tool], rng: random.Random, cuts: int) -> str:
    """Why a row is not as expected; empty if it is."""
    kind, text = row["kind"], text_of(row)
    if kind == "tool_calls":
        return _calls(row, rng, cuts)
    if kind == "plan":
        wrong = judge_plan(row, *plan_of(text, tools), tools)
        return wrong or _cut(text, rng, cuts, said, lambda one: plan_of(one, tools))
    field, read, join = {
        "json": ("json", json_of, said),
        "args": ("arguments", arguments_of, called),
    }[kind]
    got, wanted = read(text), row["expected"][field]
    if kind == "json" and wanted is None and got == "":
        return ""
    if json.dumps(got, sort_keys=True) != json.dumps(wanted, sort_keys=True) and got != wanted:
        return f"{got!r} is not {wanted!r}"
    return _cut(text, rng, cuts, join, read)


def _cut(
    text: str,
    rng: random.Random,
    cuts: int,
    join: Callable[[Iterable[str]], str],
    read: Callable[[str], Any],
) -> str:
    whole = read(join([text]))
    for _ in range(cuts):
        parts = list(pieces(text, rng))
        joined = join(parts)
        # Reading is a function of the text: it is done again where the text came out otherwise.
        if joined != join([text]) and read(joined) != whole:
            return f"cut as {parts!r} it reads otherwise"
    return ""


def _calls(row: Row, rng: random.Random, cuts: int) -> str:
    try:
        from bench.model_calls import check as check_calls
    except ImportError:
        return "bench.model_calls is not there"
    return "; ".join(check_calls(row, rng, cuts))


def report(rows: list[Row], *, cuts: int = CUTS, seed: int = 1) -> dict[str, Any]:
    """The figures over the rows."""
    tools = tools_of(rows)
    total, good = Counter[str](), Counter[str]()
    policy = Counter[str]()
    failed: list[dict[str, str]] = []
    for row in rows:
        why = judge(row, tools, random.Random(f"{seed} {row['id']}"), cuts)
        total[row["kind"]] += 1
        good[row["kind"]] += not why
        if row.get("policy"):
            policy["ok" if not why else "failed"] += 1
        if why:
            failed.append(
                {"id": row["id"], "kind": row["kind"], "why": why, "policy": row.get("policy", "")}
            )
    return {
        "ok": sum(good.values()),
        "total": len(rows),
        "by_kind": {kind: {"ok": good[kind], "total": total[kind]} for kind in sorted(total)},
        "by_policy": dict(policy),
        "failed": failed,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--cases", type=Path, required=True)
    parser.add_argument("--cuts", type=int, default=CUTS)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    found = report(rows_of(given.cases), cuts=given.cuts, seed=given.seed)
    print(json.dumps(found, ensure_ascii=False, indent=2))


if __name__ == "__main__":
    main()
