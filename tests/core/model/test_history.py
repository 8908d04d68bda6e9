"""Whatever a run left behind, every call that is sent has exactly one result behind it."""

from hypothesis import given, settings
from hypothesis import strategies as st

from core.model.history import repaired
from core.model.protocol import ModelMessage, ToolCall

IDS = st.sampled_from("abc")
MESSAGES = st.one_of(
    st.builds(lambda text: ModelMessage(role="user", text=text), st.text(max_size=3)),
    st.builds(
        lambda ids: ModelMessage(
            role="assistant",
            calls=tuple(ToolCall(id=call_id, name="f", arguments="{}") for call_id in ids),
        ),
        st.lists(IDS, max_size=3),
    ),
    st.builds(lambda call_id: ModelMessage(role="tool", call_id=call_id, text="r"), IDS),
)


@settings(max_examples=200, deadline=None)
@given(st.lists(MESSAGES, max_size=10))
def test_every_call_has_its_one_result_behind_it(messages: list[ModelMessage]) -> None:
    out = list(repaired(messages))
    assert repaired(out) == tuple(out)
    place = 0
    while place < len(out):
        calls = [call.id for call in out[place].calls]
        assert out[place].role != "tool"
        assert [message.call_id for message in out[place + 1 : place + 1 + len(calls)]] == calls
        place += 1 + len(calls)
    for before, message in zip(out, out[1:], strict=False):
        assert (before.role, message.role) != ("user", "user")
    kept = "".join(message.text for message in messages if message.role == "user")
    said = "".join(message.text for message in out if message.role == "user")
    assert said.replace("\n\n", "") == kept.replace("\n\n", "")


def test_results_are_put_in_the_order_of_the_calls() -> None:
    calls = tuple(ToolCall(id=call_id, name="f", arguments="{}") for call_id in "ab")
    out = repaired(
        [
            ModelMessage(role="assistant", calls=calls),
            ModelMessage(role="tool", call_id="b", text="B"),
            ModelMessage(role="tool", call_id="a", text="A"),
            ModelMessage(role="tool", call_id="a", text="again"),
        ]
    )
    assert [message.text for message in out[1:]] == ["A", "B"]


def test_arguments_that_are_no_object_are_sent_as_an_empty_one() -> None:
    call = ToolCall(id="a", name="f", arguments="null")
    out = repaired([ModelMessage(role="assistant", calls=(call,))])
    assert out[0].calls[0].arguments == "{}"


def test_names_that_no_provider_takes_back_are_sent_as_ones_that_they_do() -> None:
    names = {"a": "no such\n@tool.v2", "b": "x" * 5_000, "c": "", "d": "get_time", "e": "查天气"}
    calls = tuple(ToolCall(id=at, name=name, arguments="{}") for at, name in names.items())
    out = repaired([ModelMessage(role="assistant", calls=calls)])
    sent = ["no_such__tool_v2", "x" * 64, "unknown", "get_time", "___"]
    assert [call.name for call in out[0].calls] == sent
