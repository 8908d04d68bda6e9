"""A teammate's file is read strictly, and each mistake is named with its line."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.prompt import ROLE_TOKENS as ROOM
from core.router import MODES
from core.teammates.card import CARD_MODES, FILE_BYTES, ROLE_TOKENS, card_of
from core.teammates.front_matter import Refused
from core.texts import LANGUAGES, catalogue


def card(front: str, role: str = "You look things up.", stem: str = "finder") -> Any:
    return card_of(f"---\n{front}\n---\n{role}\n".encode(), stem)


def refused(data: str | bytes) -> Refused:
    raw = data if isinstance(data, bytes) else data.encode()
    with pytest.raises(Refused) as caught:
        card_of(raw, "finder")
    for language in LANGUAGES:
        assert not re.search(r"\{[a-z]+\}", caught.value.error.told(language))
    return caught.value


def test_every_field_is_read() -> None:
    made = card(
        "name: researcher   # as people mention it\n"
        'aliases: ["研究员", digger]\n'
        "avatar: 🔎\n"
        "description: Looks things up: papers, 'news'\n"
        "model: openai/gpt-x\n"
        "tools:\n  - semantic_search\n  # the web\n  - search_web\n"
        "knowledge: [handbook, 'law, old']\n"
        "language: zh\n"
        "style: 'It''s calm'\n"
        'verbosity: "short"\n'
        "mode: loop\n"
        "max_rounds: 6\n"
    )
    assert (made.name, made.aliases, made.avatar) == ("researcher", ("研究员", "digger"), "🔎")
    assert made.description == "Looks things up: papers, 'news'"
    assert made.tools == ("semantic_search", "search_web")
    assert made.knowledge == ("handbook", "law, old")
    assert (made.model, made.language, made.style) == ("openai/gpt-x", "zh", "It's calm")
    assert (made.verbosity, made.mode, made.max_rounds) == ("short", "loop", 6)
    assert made.role == "You look things up."


def test_a_name_alone_comes_from_the_file() -> None:
    made = card("description: x")
    assert (made.name, made.tools, made.knowledge) == ("finder", None, None)


@pytest.mark.parametrize("none", ["[]", "none", "无", ""])
def test_no_knowledge_is_not_all_knowledge(none: str) -> None:
    made = card(f"knowledge: {none}")
    # A field that is left open is as good as one that is left out.
    assert made.knowledge == (() if none else None)


@pytest.mark.parametrize("words", ["a, b", "[a, b]", "[a, b,]", "a、b", "[a，b]"])
def test_a_list_may_be_written_in_one_line(words: str) -> None:
    assert card(f"tools: {words}").tools == ("a", "b")


def test_two_versions_of_a_file_differ_in_their_digest() -> None:
    assert card("name: a").version != card("name: a", "You write.").version
    assert card("name: a").version == card("name: a").version


@pytest.mark.parametrize(
    ("text", "key", "line"),
    [
        ("no front matter", "no_front_matter", 1),
        ("", "no_front_matter", 1),
        ("---\nname: x\nrole", "not_closed", 1),
        ("---\nname: x\n\tnested: y\n---\nr", "not_a_field", 3),
        ("---\nname: x\nname: y\n---\nr", "twice", 3),
        ("---\ntools: [a, b\n---\nr", "list_not_closed", 2),
        ("---\nmodel: !!python/object:os.system x\n---\nr", "not_plain", 2),
        ("---\nname: &x y\n---\nr", "not_plain", 2),
        ("---\nname: *x\n---\nr", "not_plain", 2),
        ("---\ndescription: |\n  long\n---\nr", "not_plain", 2),
        ("---\ntools: {a: b}\n---\nr", "not_plain", 2),
        ("---\ntools: [a, {b: c}]\n---\nr", "not_plain", 2),
        ("---\ntools: [[a]]\n---\nr", "not_plain", 2),
        ('---\nname: "x\n---\nr', "not_plain", 2),
        ("---\nname: x\n- a\n---\nr", "not_a_field", 3),
        ("---\ntool: [a]\n---\nr", "unknown_field", 2),
        ("---\nname: [a]\n---\nr", "one_value", 2),
        ("---\nname: two words\n---\nr", "bad_name", 2),
        ("---\nname: ../etc\n---\nr", "bad_name", 2),
        ("---\nname: everyone\n---\nr", "reserved_name", 2),
        ("---\nname: 默认\n---\nr", "reserved_name", 2),
        ("---\navatar: http://x/y.png\n---\nr", "bad_avatar", 2),
        ("---\navatar: https://x/ y.png\n---\nr", "bad_avatar", 2),
        ("---\navatar: robot\n---\nr", "bad_avatar", 2),
        ("---\ntools: [rm -rf]\n---\nr", "bad_tool", 2),
        ("---\nlanguage: fr\n---\nr", "choice", 2),
        ("---\nverbosity: loud\n---\nr", "choice", 2),
        ("---\nmode: yolo\n---\nr", "choice", 2),
        ("---\nmax_rounds: 0\n---\nr", "rounds", 2),
        ("---\nmax_rounds: 1e3\n---\nr", "rounds", 2),
        ("---\nmodel: a b\n---\nr", "bad_model", 2),
        ("---\nname: x\n---\n\n", "no_role", 0),
        (f"---\nname: x\n---\n{'规' * (ROLE_TOKENS + 1)}", "long_role", 0),
        (f"---\nstyle: {'s' * 301}\n---\nr", "too_long", 2),
        (f"---\nstyle: {'s' * 3000}\n---\nr", "long_line", 2),
        (f"---\ntools: [{'a, ' * 201}]\n---\nr", "too_many", 2),
        ("---\nname: x\n---\nr\nevil\u202etxt", "control", 5),
        ("---\nname: x\n---\nr\x00", "control", 4),
    ],
)
def test_a_mistake_is_named_with_its_line(text: str, key: str, line: int) -> None:
    error = refused(text).error
    assert (error.key, error.line) == (f"teammates.{key}", line)


def test_a_file_that_is_no_utf_8_is_named() -> None:
    error = refused("---\nname: x\n---\n研究".encode("gb18030")).error
    assert (error.key, error.line) == ("teammates.not_utf8", 4)


def test_a_byte_order_mark_and_windows_lines_do_no_harm() -> None:
    made = card_of("\ufeff---\r\nname: x\r\n---\r\nA role.\r\nMore.\r\n".encode(), "y")
    assert (made.name, made.role) == ("x", "A role.\nMore.")


def test_a_file_of_10_000_lines_is_refused_at_once_and_says_what_is_too_long() -> None:
    role = "\n".join(f"Rule {number}: be careful." for number in range(10_000))
    assert refused(f"---\nname: x\n---\n{role}").error.key == "teammates.long_role"
    assert refused(f"---\nname: x\n---\n{role * 2}").error.key == "teammates.too_big"
    fields = "\n".join(f"field_{number}: x" for number in range(10_000))
    assert refused(f"---\n{fields}\n---\nrole").error.key == "teammates.not_closed"


def test_hostile_lines_cost_no_time() -> None:
    """Counted in steps, not on the clock: each line is refused by its length before it is read."""
    started = time.process_time()
    for line in ("tools: [" + " " * 200_000, 'name: "' + "\\" * 200_000, "a" * 250_000):
        assert refused(f"---\n{line}\n---\nr").error.key == "teammates.long_line"
    refused("---\n" + "tools: [" + " " * 1_900 + "{\n---\nr")
    assert time.process_time() - started < 20
    assert len(b"x" * (FILE_BYTES + 1)) > FILE_BYTES


def test_what_a_card_may_fix_are_the_modes_that_may_be_picked() -> None:
    assert set(CARD_MODES) == {"auto", *MODES}


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet="---\nnametols: [],'\"#研\\&*x1", max_size=120) | st.binary(max_size=80))
def test_any_file_is_read_or_refused_with_a_sentence(text: str | bytes) -> None:
    raw = text if isinstance(text, bytes) else f"---\n{text}\n---\nrole".encode()
    try:
        made = card_of(raw, "finder")
    except Refused as error:
        assert error.error.key in catalogue()
        assert error.error.told("zh") and error.error.told("en")
    else:
        assert made.role


def test_a_role_that_is_taken_fits_the_prompt() -> None:
    assert ROLE_TOKENS == ROOM
    parts = f"<!-- zh -->\n{'规' * 1_500}\n<!-- en -->\n{'rule ' * 1_200}"
    assert "规" in card("name: x", parts).role
