"""The splitter's bench finds nothing on good code, and something on bad."""

import random

import pytest

from bench import split as bench
from bot.text.measure import Size
from bot.text.split import Piece


def test_random_documents_break_no_invariant_of_the_splitter():
    assert bench.main(150, 7)["broken"] == 0


@pytest.mark.parametrize(
    ("made", "line"),
    [
        ([Piece("", "```py\na\n", "```"), Piece("", "b\n```", "")], "a block is not opened again"),
        (
            [Piece("", "```py\na\n", "```"), Piece("```\n", "b\n```", "")],
            "a block's language is lost",
        ),
        ([Piece("", "```py\na\n", "```")], "something is lost"),
    ],
)
def test_a_broken_invariant_is_seen(made: list[Piece], line: str):
    assert line in list(bench.of_pieces("```py\na\nb\n```", made))


def test_documents_differ_and_hold_what_is_hard():
    chance = random.Random(1)
    texts = {bench.document(chance) for _ in range(50)}
    assert len(texts) > 40
    assert any("```" in text and "|---|" in text for text in texts)
    assert Size(1_700, None, True) in bench.SIZES
