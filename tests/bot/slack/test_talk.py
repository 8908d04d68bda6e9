"""Two people who talk to each other are left alone."""

from __future__ import annotations

from bot.slack import talk
from bot.slack.events import Spoken
from bot.slack.talk import Talk

US, A, B = "U0BOT", "UA", "UB"


def heard(*speakers: str, thread: str = "t") -> list[bool]:
    """Each speaker's id, with `!` behind it where the message mentioned us."""
    record = Talk(US)
    return [
        record.hear(Spoken(thread, speaker.rstrip("!"), speaker.endswith("!")))
        for speaker in speakers
    ]


def test_a_person_who_goes_on_after_us_talks_to_us() -> None:
    assert heard(A, US, A) == [False, False, False]


def test_another_person_who_answers_us_talks_to_us() -> None:
    assert heard(A, US, B)[-1] is False


def test_two_people_in_a_row_talk_to_each_other() -> None:
    assert heard(US, A, B, A)[2:] == [True, True]


def test_a_second_question_of_one_person_is_still_for_us() -> None:
    assert heard(US, A, A)[-1] is False


def test_somebody_who_speaks_after_a_mention_of_us_is_not_answering_that_person() -> None:
    assert heard(f"{A}!", B)[-1] is False


def test_the_record_is_bounded() -> None:
    record = Talk(US)
    for number in range(talk.THREADS + 50):
        record.hear(Spoken(f"t{number}", A, False))
    assert record.hear(Spoken("t0", B, False)) is False
    assert record.hear(Spoken(f"t{talk.THREADS + 49}", B, False)) is True
