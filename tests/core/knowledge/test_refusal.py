from __future__ import annotations

import pytest

from core.knowledge.documents import Evidence
from core.knowledge.refusal import verdict
from tests.core.fake_library import Doc, hit

DOC = Doc("d1", "a.md", [])


def test_nothing_found_answers_nothing() -> None:
    assert not verdict("年假？", [], Evidence(idf={}, covered=())).answered


@pytest.mark.parametrize(("covered", "answered"), [(("年假", "几天"), True), (("几天",), False)])
def test_an_answer_holds_the_telling_words_of_the_question(
    covered: tuple[str, ...], answered: bool
) -> None:
    evidence = Evidence(idf={"年假": 5.0, "几天": 1.0}, covered=(covered,))
    assert verdict("年假几天？", [hit(DOC, 1, "x")], evidence).answered is answered


def test_a_passage_of_another_language_may_answer_by_its_meaning_alone() -> None:
    evidence = Evidence(idf={"年假": 5.0}, covered=((),))
    near = hit(DOC, 1, "annual leave").model_copy(update={"vector": 0.5})
    far = near.model_copy(update={"vector": 0.2})
    assert verdict("年假？", [near], evidence).answered
    assert not verdict("年假？", [far], evidence).answered
