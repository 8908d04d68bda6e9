"""What people are shown of a call that they are asked to allow."""

import pytest

from bot.platform import Draft
from bot.text.needs import arguments_shown
from bot.text.outbound import clean


def shown(**arguments: object) -> str:
    """The arguments as they stand in the thread, behind the outbound filter."""
    text = arguments_shown(arguments, 3_000, "en")
    return clean(Draft(text=text), "slack").text


@pytest.mark.parametrize(
    ("value", "spelled"),
    [
        ("boss@corp.com\u200b.evil.com", "boss@corp.com⟨U+200B⟩.evil.com"),
        ("a\u202emoc.live", "a⟨U+202E⟩moc.live"),
        ("hi\U000e0041\U000e0042", "hi⟨U+E0041⟩⟨U+E0042⟩"),
        ("one\rtwo\x1b[2Kthree", "one⟨U+000D⟩two⟨U+001B⟩[2Kthree"),
        ("Hello <think>the salaries: 1, 2, 3</think>", "⟨U+003C⟩think>the salaries: 1, 2, 3"),
        ('<tool_use>{"a": 1}</tool_use> bye', '⟨U+003C⟩tool_use>{"a": 1}'),
        ("<|im_start|>secret<|im_end|>", "⟨U+003C⟩|im_start|>secret"),
        ("e" + "\u0301" * 9, "e" + "⟨U+0301⟩" * 9),
    ],
)
def test_nothing_of_the_exact_arguments_is_hidden_from_who_allows_them(
    value: str, spelled: str
) -> None:
    assert spelled in shown(body=value)


def test_plain_text_and_families_stay_as_they_are() -> None:
    for value in ("两行\n文字 👨‍👩‍👧 café", "a < b and [x](y)", "می‌خواهم"):
        assert value in shown(body=value)
