"""The catalogue: both languages whole, every sentence used, one rule for one and many."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest

from core.errors import ThreadmateError, WrongUse
from core.texts import catalogue, say, told
from core.texts.counts import counted, megabytes

ROOT = Path(__file__).parents[3]
HAN = r"[\u4e00-\u9fff]"


def fields(sentence: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(sentence) if name}


def written_in(folder: str) -> Iterator[str]:
    """Every string of the code, and f-strings with `*` for what is put in."""
    for path in (ROOT / folder).rglob("*.py"):
        if path.parent == ROOT / "core" / "texts":
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value
            elif isinstance(node, ast.JoinedStr):
                yield "".join(
                    str(part.value) if isinstance(part, ast.Constant) else "*"
                    for part in node.values
                )


def test_both_languages_of_a_sentence_take_the_same_values() -> None:
    different = {key for key, (zh, en) in catalogue().items() if fields(zh) != fields(en)}
    # One language says "of how many", the other one "in which place" in other words.
    assert different == {"receipt.some", "tool.time.sentence"}
    assert all(zh.strip() and en.strip() for zh, en in catalogue().values())


def test_every_sentence_is_said_somewhere() -> None:
    strings = {text for folder in ("core", "bot") for text in written_in(folder)}
    # Keys that are put together (`quotes.{why}`) begin with the name of their room.
    patterns = [
        text.replace("*", r"\w+") for text in strings if re.match(r"[a-z]+\.[\w.*]+$", text)
    ]
    made = re.compile("|".join(patterns))
    left = {key for key in catalogue() if key not in strings and not made.fullmatch(key)}
    nouns = {f"count.{noun}" for noun in strings}
    assert {key for key in left if key.removesuffix(".one") not in nouns} == set()


def test_chinese_keeps_a_space_beside_latin_words_and_figures() -> None:
    close = re.compile(rf"{HAN}[A-Za-z0-9@]|[A-Za-z0-9]{HAN}")
    assert {key: zh for key, (zh, _) in catalogue().items() if close.search(zh)} == {}


def test_english_holds_no_chinese_and_chinese_no_half_width_stops() -> None:
    assert {key for key, (_, en) in catalogue().items() if re.search(HAN, en)} == set()
    stops = re.compile(rf"{HAN}[,;:!?]|{HAN}\.(?!\w)")
    assert {key for key, (zh, _) in catalogue().items() if stops.search(zh)} == set()


@pytest.mark.parametrize(
    ("n", "en", "zh"),
    [(1, "1 passage", "1 段"), (0, "0 passages", "0 段"), (1200, "1,200 passages", "1,200 段")],
)
def test_one_is_one_and_many_are_many(n: int, en: str, zh: str) -> None:
    assert (counted("passages", n, "en"), counted("passages", n, "zh")) == (en, zh)


def test_a_file_a_little_over_a_limit_does_not_read_as_on_it() -> None:
    limit = 50 * 2**20
    assert (megabytes(limit), megabytes(limit + 1), megabytes(60 * 2**20)) == ("50", "50.1", "60")


def test_an_error_whose_values_do_not_fit_is_told_in_general() -> None:
    fitting = WrongUse(key="command.unknown", word="x")
    assert told(fitting, "en") == say("command.unknown", "en", word="x")
    assert told(WrongUse(key="command.unknown"), "zh") == say("error.unknown", "zh")
    assert told(ThreadmateError(key="no.such.key"), "en") == say("error.unknown", "en")


def test_whoever_only_speaks_loads_no_data_models() -> None:
    """The practice workspace's own process says a few sentences and should stay small."""
    script = "import sys; from core.texts import catalogue; catalogue(); print(*sys.modules)"
    child = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert "core.texts.counts" in child.stdout.split()
    assert "pydantic" not in child.stdout.split()
