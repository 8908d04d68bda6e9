"""Deltas become the calls that were meant, whatever the provider's way of cutting them."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from core.events import Usage
from core.model.calls import MOST_CALLS, Assembler, whole_reply
from core.model.protocol import CallDelta, Delta, Reply, ToolCall

A, B = '{"query": "请假"}', '{"query": "leave", "limit": 2}'


def calls(*pieces: CallDelta) -> list[tuple[str, str, str]]:
    """Id, name and arguments of the calls that `pieces` make."""
    reply = whole_reply(Delta(calls=(piece,)) for piece in pieces)
    return [(call.id, call.name, call.arguments) for call in reply.calls]


def piece(
    index: int | None = None, call_id: str | None = None, name: str | None = None, args: str = ""
) -> CallDelta:
    return CallDelta(index=index, id=call_id, name=name, arguments=args)


def test_parallel_calls_interleaved_by_index() -> None:
    made = calls(
        piece(0, "a", "f"), piece(1, "b", "g"), piece(0, args=A[:5]), piece(1, args=B[:9]),
        piece(0, args=A[5:]), piece(1, args=B[9:]),
    )  # fmt: skip
    assert made == [("a", "f", A), ("b", "g", B)]


def test_whole_calls_that_share_an_index_stay_two() -> None:
    assert calls(piece(0, "a", "f", A), piece(0, "b", "g", B)) == [("a", "f", A), ("b", "g", B)]


def test_calls_without_ids_get_some_and_stay_apart() -> None:
    made = calls(piece(0, None, "f", A), piece(0, None, "f", B))
    assert made == [("call_1", "f", A), ("call_2", "f", B)]


def test_id_and_name_repeated_on_every_piece_are_one_call() -> None:
    made = calls(*(piece(0, "a", "f", character) for character in B))
    assert made == [("a", "f", B)]


def test_no_index_at_all() -> None:
    made = calls(piece(None, "a", "f", A[:3]), piece(args=A[3:]), piece(None, "b", "g", B))
    assert made == [("a", "f", A), ("b", "g", B)]


def test_an_empty_id_is_no_id() -> None:
    assert calls(piece(0, "a", "f"), piece(0, "", None, A)) == [("a", "f", A)]


def test_an_id_that_comes_late_belongs_to_the_open_call() -> None:
    assert calls(piece(0, None, "f", A[:4]), piece(0, "a", None, A[4:])) == [("a", "f", A)]


def test_pieces_with_an_id_of_their_own_each_belong_to_the_named_call() -> None:
    assert calls(piece(0, "a", "f", A[:4]), piece(0, "b", "", A[4:])) == [("a", "f", A)]


def test_one_id_for_two_calls_is_made_two() -> None:
    made = calls(piece(0, "f", "f", A), piece(0, "f", "f", B))
    assert made == [("f", "f", A), ("f_", "f", B)]


def test_a_call_sent_once_more_whole_is_one_call() -> None:
    made = calls(piece(0, "a", "f"), piece(0, args=A), piece(0, "a", "f", A))
    assert made == [("a", "f", A)]


def test_a_call_without_arguments_is_kept() -> None:
    assert calls(piece(0, "a", "now"), piece(1, "b", "now")) == [
        ("a", "now", ""),
        ("b", "now", ""),
    ]


def test_text_finish_and_the_last_usage_are_kept() -> None:
    reply = whole_reply(
        [
            Delta(text="Hel", usage=Usage(input_tokens=1)),
            Delta(text="lo", finish="stop"),
            Delta(usage=Usage(input_tokens=9, output_tokens=2)),
        ]
    )
    assert (reply.text, reply.finish, reply.usage.input_tokens) == ("Hello", "stop", 9)


NAMES = st.sampled_from(["search", "now", "read"])
OBJECTS = st.dictionaries(
    st.sampled_from(["query", "数", 'q"}{']), st.text(max_size=6) | st.integers(), max_size=3
)
CALLS = st.lists(st.tuples(NAMES, OBJECTS), min_size=1, max_size=4)
SHAPES = st.sampled_from(["by_index", "index_0_ids", "index_0_no_ids", "no_index", "repeated"])


def pieces_of(
    meant: list[ToolCall], shape: str, cuts: list[int], alone: bool
) -> list[list[CallDelta]]:
    """Each call in pieces, as a provider of that shape sends them."""
    out: list[list[CallDelta]] = []
    for number, call in enumerate(meant):
        index = {"by_index": number, "no_index": None}.get(shape, 0)
        call_id = None if shape == "index_0_no_ids" else call.id
        edges = sorted({0, len(call.arguments), *(at % (len(call.arguments) + 1) for at in cuts)})
        parts = [call.arguments[a:b] for a, b in zip(edges, edges[1:], strict=False)]
        if alone:
            parts.insert(0, "")
        every = shape == "repeated"
        out.append(
            [
                piece(
                    index,
                    call_id if every or not position or shape == "no_index" else None,
                    call.name if every or not position else None,
                    part,
                )
                for position, part in enumerate(parts)
            ]
        )
    return out


@settings(max_examples=200, deadline=None)
@given(CALLS, SHAPES, st.lists(st.integers(0, 200), max_size=8), st.booleans(), st.randoms())
def test_every_cut_of_a_stream_gives_the_calls_that_were_meant(
    meant: list[tuple[str, dict[str, object]]],
    shape: str,
    cuts: list[int],
    alone: bool,
    random: object,
) -> None:
    wanted = [
        ToolCall(id=f"id{n}", name=name, arguments=json.dumps(value, ensure_ascii=False))
        for n, (name, value) in enumerate(meant)
    ]
    streams = pieces_of(wanted, shape, cuts, alone)
    ordered: list[CallDelta] = []
    if shape == "by_index":
        # Only calls with an index of their own may be interleaved.
        while any(streams):
            stream = random.choice([stream for stream in streams if stream])  # type: ignore[attr-defined]
            ordered.append(stream.pop(0))
    else:
        ordered = [part for stream in streams for part in stream]
    reply = whole_reply(Delta(calls=(part,)) for part in ordered)
    together = whole_reply([Delta(calls=tuple(ordered))])
    assert together == reply
    made = {(call.name, call.arguments) for call in reply.calls}
    assert made == {(call.name, call.arguments) for call in wanted}
    assert len(reply.calls) == len(wanted)
    assert len({call.id for call in reply.calls}) == len(wanted)
    if shape == "index_0_no_ids":
        return
    assert {call.id for call in reply.calls} == {call.id for call in wanted}


def test_a_model_that_never_stops_calling_is_cut() -> None:
    assembler = Assembler()
    for number in range(3 * MOST_CALLS):
        assembler.add(Delta(calls=(piece(number, f"c{number}", "f", "{}"),)))
    assert assembler.endless
    assert [call.id for call in assembler.reply().calls] == [f"c{n}" for n in range(MOST_CALLS)]


def test_what_follows_a_call_that_is_not_taken_joins_no_other() -> None:
    assembler = Assembler()
    for number in range(MOST_CALLS + 1):
        assembler.add(Delta(calls=(piece(number, f"c{number}", "f", A),)))
    assembler.add(Delta(calls=(piece(MOST_CALLS, args="}"),)))
    assert {call.arguments for call in assembler.reply().calls} == {A}


def test_a_character_that_the_server_cut_in_two_is_one() -> None:
    assembler = Assembler()
    told = [assembler.add(Delta(text=part)) for part in ("So \ud83d", "", "\ude00!")]
    assert told == ["So ", "", "😀!"]
    assert assembler.reply().text == "So 😀!"


def test_half_a_character_does_not_keep_a_reply_from_the_journal() -> None:
    halves = [Delta(text="a\ude00b\ud83d"), Delta(calls=(piece(0, "a", "f", '{"q": "\ud83d"}'),))]
    reply = whole_reply(halves)
    assert reply.text == "a\ufffdb\ufffd"
    assert Reply.model_validate_json(reply.model_dump_json()) == reply
