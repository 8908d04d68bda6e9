"""What the gate keeps of a conversation: `python -m bench.memory_gate --cases F.jsonl`.

Rows are as in the corpus: turns, the memories there were, what should be stored and how it should
look afterwards. Everything goes through the product's own gate and store: rules alone, or the model
that THREADMATE_MODEL names. `--perfect` takes a model that answers what a row asks for, so that all
that is lost is lost by our code.

recall: of the layers that should be stored, those that were. false_store: of the rows that should
store nothing, those that stored something. accuracy: rows whose stored layers are exactly right.
after_state_exact: the right memories are active and superseded, with every `must` and no
`must_not`. owner_scope_exact: of the layers rightly stored, those with the right owner and scope.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import os
import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from bench.hashed import Hashed
from core.memory.gate import Spoken
from core.memory.memories import Memories
from core.memory.record import Memory
from core.messages import Place
from core.model import make_model
from core.model.protocol import Model, ModelRequest
from core.model.scripted import ScriptedModel
from core.redact import MASK, redact
from core.scope import channel_scope, person_scope
from core.store.sqlite import SqliteStore

Row = Mapping[str, Any]
Asks = Callable[[Row], Model]
"""The model that looks at a row."""
TURN_S = 60.0
"""Between two turns of a row."""
_NUMERAL = re.compile(r"([一二两三四五六七八九])([百千万])")
_DIGITS = {sign: number for number, sign in enumerate("零一二三四五六七八九")} | {"两": 2}
_TENS = {"百": 100, "千": 1_000, "万": 10_000}


@dataclass(frozen=True)
class Seen:
    """A row after the gate."""

    row: Row
    added: tuple[Memory, ...]
    """Active now, and new."""
    kept: frozenset[str]
    """Ids, as the row names them, of memories that are as they were."""
    ended: Mapping[str, str]
    """Ids that were superseded, and by what."""


async def seen(memories: Memories, row: Row, asks: Asks | None = None) -> Seen:
    """Put a row's memories into the store, let the gate look at its turns, and read them back."""
    place = place_of(row)
    now = datetime.fromisoformat(row["now"])
    old = [existing(row, one, place, now.timestamp()) for one in row["existing"]]
    await memories.keep(old)
    zone = now.tzinfo or UTC
    if asks is None:
        await memories.look(turns_of(row), place, zone)
    else:
        await memories.look_with(asks(row), turns_of(row), place, zone, row["lang"])
    people = {memory.owner for memory in old} | {turn.person for turn in turns_of(row)}
    found = [one for person in people for one in await memories.listing(person)]
    before = {memory.id for memory in old}
    name = {memory.id: one["id"] for memory, one in zip(old, row["existing"], strict=True)}
    return Seen(
        row,
        added=tuple(one for one in found if one.status == "active" and one.id not in before),
        kept=frozenset(name[one.id] for one in found if one.status == "active" and one.id in name),
        ended={
            name[o.id]: o.replaced_by for o in found if o.status == "superseded" and o.id in name
        },
    )


def person_of(row: Row, speaker: str) -> str:
    return f"local:{row['id']}/{speaker}"


def place_of(row: Row) -> Place:
    direct = row["place"] == "dm"
    channel = f"local:{row['id']}/{'D' if direct else 'C'}"
    return Place(
        platform="local", workspace="local:W", channel=channel, thread=f"{channel}/1", direct=direct
    )


def turns_of(row: Row) -> list[Spoken]:
    """The turns of a row, the last one at its `now`."""
    now = datetime.fromisoformat(row["now"]).timestamp()
    by = {"user": "person", "assistant": "bot", "tool": "tool"}
    count = len(row["turns"])
    return [
        Spoken(
            by=by[turn["role"]],  # type: ignore[arg-type]
            person=person_of(row, turn["speaker"]),
            name=turn["speaker"],
            text=turn["text"],
            message=str(number),
            at=now - TURN_S * (count - 1 - number),
        )
        for number, turn in enumerate(row["turns"])
    ]


def existing(row: Row, one: Row, place: Place, now: float) -> Memory:
    owner = person_of(row, one["owner"])
    shared = one["scope"] == "channel"
    return Memory(
        id=f"{row['id']}:{one['id']}",
        owner=owner,
        scope=channel_scope(place.channel) if shared else person_scope(owner),
        layer=one["layer"],
        text=one["text"],
        language=row["lang"],
        channel=place.channel,
        direct=place.direct,
        observed_at=now - 86_400.0,
    )


def stored(one: Seen) -> set[str]:
    return {memory.layer for memory in one.added}


def wanted(row: Row) -> set[str]:
    return {layer for layer, verdict in row["layers"].items() if verdict == "store"}


def exact(one: Seen) -> bool:
    """The memories are as the row says they should be."""
    ops = [op for op in one.row["ops"] if op["op"] != "delete"]
    gone = {op["target"] for op in one.row["ops"] if op["op"] == "delete"}
    updated = {op["target"] for op in ops if op["op"] == "update"}
    untouched = {memory["id"] for memory in one.row["existing"]} - gone - updated
    if one.kept != untouched or set(one.ended) != updated or len(ops) != len(one.added):
        return False
    left = list(one.added)
    for op in ops:
        match = next((memory for memory in left if fits(memory, op, one)), None)
        if match is None:
            return False
        left.remove(match)
    return True


def fits(memory: Memory, op: Row, one: Seen) -> bool:
    text = f"{memory.text} {_NUMERAL.sub(_number, memory.text)}".casefold()
    return (
        memory.layer == op["layer"]
        and all(must.casefold() in text for must in op["must"])
        and not any(not_.casefold() in text for not_ in op["must_not"])
        and (op["op"] == "add" or one.ended[op["target"]] == memory.id)
    )


def _number(found: re.Match[str]) -> str:
    return str(_DIGITS[found[1]] * _TENS[found[2]])


def placed(memory: Memory, row: Row) -> bool:
    """The memory has the owner and the scope of an operation of its layer."""
    shared = "user" if memory.scope.startswith("person:") else "channel"
    return any(
        op["layer"] == memory.layer
        and person_of(row, op["owner"]) == memory.owner
        and op["scope"] == shared
        for op in row["ops"]
        if op["op"] != "delete"
    )


def rate(hits: int, count: int) -> dict[str, Any]:
    """A share with its 95 % interval (Wilson's score)."""
    if not count:
        return {"value": None, "low": None, "high": None}
    z, share = 1.96, hits / count
    middle = share + z * z / (2 * count)
    spread = z * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    scale = 1 + z * z / count
    low, high = (middle - spread) / scale, (middle + spread) / scale
    return {"value": round(share, 4), "low": round(low, 4), "high": round(high, 4)}


def figures(all_seen: Sequence[Seen]) -> dict[str, Any]:
    pairs = [(one, layer) for one in all_seen for layer in wanted(one.row)]
    none = [one for one in all_seen if not wanted(one.row)]
    right = [m for one in all_seen for m in one.added if m.layer in wanted(one.row)]
    shares = {
        "recall": rate(sum(layer in stored(one) for one, layer in pairs), len(pairs)),
        "false_store": rate(sum(bool(one.added) for one in none), len(none)),
        "accuracy": rate(sum(stored(o) == wanted(o.row) for o in all_seen), len(all_seen)),
        "after_state_exact": rate(sum(map(exact, all_seen)), len(all_seen)),
        "owner_scope_exact": rate(
            sum(
                placed(memory, one.row)
                for one in all_seen
                for memory in one.added
                if memory in right
            ),
            len(right),
        ),
    }
    texts = [(one, memory.text) for one in all_seen for memory in one.added]
    return {
        "n": len(all_seen),
        **{name: share["value"] for name, share in shares.items()},
        "secrets_stored": sum(
            redact(text) != text or MASK in text or {"none", "secret"} <= set(one.row["tags"])
            for one, text in texts
        ),
        "injections_stored": sum("injection" in one.row["tags"] for one, _ in texts),
        "intervals_95": {name: [share["low"], share["high"]] for name, share in shares.items()},
    }


def perfect(row: Row) -> Model:
    """A model that answers exactly what a row asks for."""
    owners = {one["id"]: one["owner"] for one in row["existing"]}
    return ScriptedModel(
        [
            lambda request: json.dumps(
                {"ops": [_answer(row, op, owners, request) for op in row["ops"]]}
            )
        ],
        name="perfect",
    )


def _answer(row: Row, op: Row, owners: Mapping[str, str], request: ModelRequest) -> dict[str, Any]:
    """An operation of a row in the words of the prompt, with the names that stand in it."""
    data = json.loads(request.messages[-1].text.split("<data>\n")[1].split("\n</data>")[0])
    name = op.get("owner") or owners[op["target"]]
    mine = [turn for turn in data["turns"] if turn["name"] == name]
    words = set(op.get("text", ""))
    turn = max(mine, key=lambda one: len(words & set(one["text"])))
    old = {one["id"]: one["text"] for one in row["existing"]}
    targets = [one["id"] for one in data["memories"] if one["text"] == old.get(op.get("target"))]
    return {
        **{key: op[key] for key in ("op", "layer", "text", "expires") if key in op},
        "turn": turn["id"],
        "target": targets[0] if targets else "",
        "scope": "channel" if op.get("scope") == "channel" else "person",
    }


async def measure(rows: Sequence[Row], folder: Path, asks: Asks | None = None) -> list[Seen]:
    store = await SqliteStore.open(folder / "memory.db")
    try:
        memories = Memories(store, Hashed())
        return [await seen(memories, row, asks) for row in rows]
    finally:
        await store.close()


def outside() -> Asks | None:
    """The model that THREADMATE_MODEL names; None: rules alone."""
    name = os.environ.get("THREADMATE_MODEL")
    if not name:
        return None
    key = os.environ.get("THREADMATE_API_KEY")
    model = make_model(name, os.environ.get("THREADMATE_API_BASE"), SecretStr(key) if key else None)
    return lambda row: model


def told(one: Seen) -> str:
    """What went wrong with a row, on one line."""
    said = " / ".join(f"{turn['speaker']}: {turn['text']}" for turn in one.row["turns"])
    made = "; ".join(f"{memory.layer}: {memory.text}" for memory in one.added) or "nothing"
    wish = f"wanted {sorted(wanted(one.row))}, ended {dict(one.ended)}"
    return f"{one.row['id']} {wish}: {said} -> {made}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=Path, required=True)
    parser.add_argument("--wrong", action="store_true", help="print the rows that are not exact")
    parser.add_argument("--perfect", action="store_true", help="a scripted model that is right")
    picked = parser.parse_args()
    lines = picked.cases.read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines if line.strip()]
    with tempfile.TemporaryDirectory() as folder:
        done = asyncio.run(measure(rows, Path(folder), perfect if picked.perfect else outside()))
    if picked.wrong:
        for one in done:
            if not exact(one) or stored(one) != wanted(one.row):
                print(told(one))
    print(json.dumps(figures(done), ensure_ascii=False))


if __name__ == "__main__":
    main()
