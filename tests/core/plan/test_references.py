"""References in arguments: values of other nodes, filled in on parsed JSON."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.plan.references import ReferenceMissing, TooMuch, filled, view
from core.texts import say

WEATHER = view('{"days": [{"high": 21}, {"high": 9}], "city": "北京"}', "2 days", {"id": 7})
REPORT = view("Four types [1].", "a report", {"rows": [{"name": "ClusterIP"}], "city": "details"})
RESULTS = {"n1": WEATHER, "n2": REPORT}


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("${n2}", "Four types [1]."),
        ("${n2.text}", "Four types [1]."),
        (" ${ n2.text } ", "Four types [1]."),
        ("${n1.days[1].high}", 9),
        ("${n1.days.0.high}", 21),
        ("${n1.text.city}", "北京"),
        ("${n1.days}", [{"high": 21}, {"high": 9}]),
        ("${n1.details.id}", 7),
        ("${n1.id}", 7),
        ("${n2.details.rows[0].name}", "ClusterIP"),
        ("${n2.summary}", "a report"),
        ("${n1.city}: ${n1.days[0]}", '北京: {"high": 21}'),
        ("price $5 {n1}", "price $5 {n1}"),
    ],
)
def test_a_reference_gives_what_stands_there_with_its_type(written: str, value: Any) -> None:
    assert filled(written, RESULTS) == value


def test_references_stand_anywhere_in_the_arguments() -> None:
    arguments = {"to": "a@b.c", "rows": [{"t": "${n1.city}"}, 3, None], "text": "${n2}"}
    filled_in = filled(arguments, RESULTS)
    assert filled_in == {"to": "a@b.c", "rows": [{"t": "北京"}, 3, None], "text": "Four types [1]."}


@pytest.mark.parametrize(
    "written",
    ["${n3}", "${n1.nights}", "${n1.days[2]}", "${n1.days.x}", "${n2.text.city}", "${n1.city.x}"],
)
def test_a_reference_to_nothing_is_an_error_that_names_it(written: str) -> None:
    with pytest.raises(ReferenceMissing) as caught:
        filled({"a": f"see {written}"}, RESULTS)
    assert written in caught.value.detail
    for language in ("zh", "en"):
        assert written in say(caught.value.key, language, **caught.value.values)


def test_an_error_names_what_is_there_for_the_planner() -> None:
    with pytest.raises(ReferenceMissing, match="known there: .*city"):
        filled("${n1.town}", RESULTS)


TEXT = st.text() | st.sampled_from(['${n1}"}', '", "admin": true, "x": "', "${n1.text}", "\\", "{"])


@given(result=TEXT, before=TEXT, after=TEXT)
def test_a_result_can_change_neither_the_shape_of_a_call_nor_reach_another(
    result: str, before: str, after: str
) -> None:
    before, after = before.replace("$", ""), after.replace("$", "")
    results = {"n1": view("secret", "", {}), "n2": view(result, "", {})}
    made = filled({"a": f"·{before}${{n2}}{after}", "b": "${n2}", "c": 1}, results)
    assert made == {"a": f"·{before}{result}{after}", "b": result, "c": 1}
    assert json.loads(json.dumps(made)) == made


def test_a_task_that_refers_to_a_result_ten_thousand_times_is_too_much() -> None:
    big = {"n1": view("x" * 24_000, "", {"rows": ["y" * 1_000] * 60})}
    with pytest.raises(TooMuch):
        filled("${n1}" * 10_000, big)
    with pytest.raises(TooMuch):
        filled({"rows": ["${n1.details.rows}"] * 10_000}, big)
    assert filled(["${n1}"] * 10, big) == ["x" * 24_000] * 10


def test_a_place_of_thousands_of_digits_points_at_nothing() -> None:
    with pytest.raises(ReferenceMissing):
        filled(f"${{n1.days[{'9' * 5_000}]}}", RESULTS)
