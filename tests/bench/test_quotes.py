"""The bench of quotes and refusal: what it takes out, puts back, learns and reports."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bench.quotes import bare, figures
from bench.removal import Asked, Bench, Lesson, article_of, fit, gone, without_answer
from bench.removal import figures as removal_figures
from bench.retrieval import load
from core.knowledge.refusal import Judge, Signs
from tests.core.knowledge.rigs import opened

CORPUS = {
    "x1-0-0": {"id": "x1-0-0", "text": "年假每年 15 天。"},
    "x1-0-1": {"id": "x1-0-1", "text": "年假可以结转。"},
    "x2-0-0": {"id": "x2-0-0", "text": "报销在次月到账。"},
}


def seen(number: int, covered: float, right: bool = True) -> Asked:
    return Asked(number, Signs(*[0.0] * len(Signs._fields))._replace(covered=covered), right)


def test_shares_count_the_first_quote_that_holds_the_answer() -> None:
    assert figures([1, 2, 0, 3]) == {"q1": 0.25, "q2": 0.5, "q3": 0.75, "n": 4}
    assert bare("Ａ b\nC") == "abc"


def test_an_article_is_all_passages_whose_name_begins_alike() -> None:
    assert article_of("x1-0-1") == "x1"
    assert article_of("cmrc_dev-348") == "cmrc_dev-348"


async def test_what_is_taken_out_is_not_found_and_is_there_again_after(tmp_path: Path) -> None:
    queries: list[dict[str, Any]] = [{"q": "年假每年几天？", "pos": ["x1-0-0"]}]
    async with opened(tmp_path) as desk:
        kb = await load(desk.library, desk.store, list(CORPUS.values()))
        bench = Bench(desk.library, desk.store, kb, CORPUS)
        assert gone(bench, ["x1-0-0"], "passage") == ("x1-0-0",)
        assert gone(bench, ["x1-0-0"], "article") == ("x1-0-0", "x1-0-1")
        whole = await bench.ask(0, "年假每年几天？", {"x1-0-0"})
        [piece] = await without_answer(bench, queries, "q", "pos", "passage")
        [article] = await without_answer(bench, queries, "q", "pos", "article")
        again = await bench.ask(0, "年假每年几天？", {"x1-0-0"})
    assert whole.right
    assert again == whole
    assert whole.signs.covered > piece.signs.covered > article.signs.covered


def test_the_sign_that_tells_them_apart_is_learned() -> None:
    there = [seen(at, 0.6 + at / 100) for at in range(20)]
    without = [seen(at, 0.2 + at / 100) for at in range(20)]
    weights, bias = fit([Lesson(there, [(1.0, without)])], ("covered", "rare"))
    assert weights.covered > 0
    assert abs(weights.rare) < 1e-6
    assert bias + weights.covered * 0.7 > 0 > bias + weights.covered * 0.3


def test_the_floor_is_set_on_even_lines_and_reported_on_odd_ones() -> None:
    judge = Judge(seen(0, 1.0).signs, bias=0.0, floor=0.5, foreign=1.0)
    there = [seen(at, 0.9 if at % 2 == 0 else 0.8) for at in range(40)]
    without = [seen(at, 0.95 if at % 4 == 1 else 0.1) for at in range(40)]
    told = removal_figures(judge, there, without)
    assert (told["shown"], told["false_refusal"], told["n"]) == (0.5, 1.0, 20)
    assert told["as_shipped"] == {"shown": 0.5, "false_refusal": 0.0}
