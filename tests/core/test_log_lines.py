"""Log lines: one a record, without secrets and without escape sequences."""

import io
import json
import logging
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.redact import JsonLines, Redaction, plain


@pytest.fixture
def stream() -> Iterator[io.StringIO]:
    target = io.StringIO()
    handler = logging.StreamHandler(target)
    handler.addFilter(Redaction(["a registered secret"]))
    handler.setFormatter(JsonLines())
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    yield target
    log.removeHandler(handler)


log = logging.getLogger("tests.logs")


def lines(stream: io.StringIO) -> list[dict[str, object]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_a_forged_line_stays_inside_its_record(stream: io.StringIO) -> None:
    log.info("question %s", "line\r\n2026-01-01 INFO forged log entry")
    (line,) = lines(stream)
    assert line["message"] == "question line\\n2026-01-01 INFO forged log entry"
    assert (line["level"], line["logger"]) == ("info", "tests.logs")


def test_escape_sequences_and_bidi_do_not_reach_the_log(stream: io.StringIO) -> None:
    log.info("\x1b[2J\x1b[1;31mPWNED\x1b[0m \x1b]0;title\x07 pay \u202e4321\u202c \x00")
    (line,) = lines(stream)
    assert str(line["message"]).split() == ["PWNED", "pay", "4321"]
    assert "\x1b" not in stream.getvalue()


def test_an_exception_is_logged_without_its_secrets(stream: io.StringIO) -> None:
    try:
        raise ValueError("401 for https://slack.com/api/x?token=xoxb-000000000000-CANARY")
    except ValueError:
        log.exception("call failed: %s", "postgresql://bot:CANARYPW@db/x")
    (line,) = lines(stream)
    assert "CANARY" not in stream.getvalue()
    assert "ValueError: 401 for https://slack.com" in str(line["error"])


def test_fields_that_came_with_extra_are_cleaned_too(stream: io.StringIO) -> None:
    log.info("x", extra={"run": "r1", "note": {"token": "sk-canary-7Q2f9ZtL0pXv"}, "ms": 3})
    (line,) = lines(stream)
    assert (line["run"], line["ms"]) == ("r1", 3)
    assert "7Q2f9ZtL0pXv" not in stream.getvalue()


def test_a_record_whose_arguments_do_not_fit_is_logged(stream: io.StringIO) -> None:
    text = "%d of %d"
    log.info(text, "a")
    assert "%d of %d" in str(lines(stream)[0]["message"])


def test_registered_secrets_are_hidden(stream: io.StringIO) -> None:
    log.info("it was %s", "a registered secret")
    assert lines(stream)[0]["message"] == "it was [redacted]"


def test_a_very_long_message_is_cut(stream: io.StringIO) -> None:
    log.info("x" * 1_000_000)
    assert len(stream.getvalue()) < 20_000


@given(st.text(max_size=100))
def test_no_text_brings_a_control_character_into_a_log(text: str) -> None:
    assert not any(
        ord(char) < 32 and char not in "\n\t" or 127 <= ord(char) < 160 for char in plain(text)
    )
    assert plain(plain(text)) == plain(text)
