"""Two people who talk to each other are left alone, and two bots that would never end."""

from __future__ import annotations

from bot import talk
from bot.talk import BotPairs, Spoken, Talk

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


def test_two_bots_that_answer_each_other_are_parted_for_a_while() -> None:
    now = [0.0]
    pairs = BotPairs(lambda: now[0])
    asked = [pairs.admit("B1", "C1") for _ in range(talk.ROUNDS + 5)]
    assert asked == [True] * talk.ROUNDS + [False] * 5
    assert pairs.admit("B1", "C2") and pairs.admit("B2", "C1")
    now[0] = talk.REST_S + 0.1
    assert pairs.admit("B1", "C1")


def test_a_bot_that_asks_now_and_then_is_never_left_alone() -> None:
    now = [0.0]
    pairs = BotPairs(lambda: now[0])
    for _ in range(100):
        now[0] += talk.WINDOW_S / talk.ROUNDS + 0.1
        assert pairs.admit("B1", "C1")


def test_the_record_of_bots_is_bounded() -> None:
    pairs = BotPairs(lambda: 0.0)
    for number in range(talk.PAIRS + 50):
        pairs.admit(f"B{number}", "C")
    assert len(pairs._asked) == talk.PAIRS
