"""Settings: merged in layers, each value traceable."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import WrongConfig
from core.messages import Place
from core.settings import (
    VARIABLES,
    Settings,
    SettingsBook,
    SettingsStore,
    filled,
    merge,
    unknown_variable,
)
from core.store.sqlite import SqliteStore

PLACE = Place(platform="slack", workspace="slack:T1", channel="slack:T1/C1", thread="slack:T1/C1/1")


def test_a_channel_overrides_the_defaults_and_each_value_names_its_layer() -> None:
    book = SettingsBook(
        {"language": "zh", "documents_only": True},
        {"C1": {"documents_only": False, "hosts": ["a.example"]}},
    )
    merged = book.merged(PLACE)
    assert merged.settings == Settings(language="zh", documents_only=False, hosts=("a.example",))
    layers = {name: merged.layer(name) for name in ("language", "documents_only", "hosts", "web")}
    assert layers == {
        "language": "defaults",
        "documents_only": "channels.C1",
        "hosts": "channels.C1",
        "web": "built-in",
    }


def test_the_full_id_of_a_channel_wins_over_its_short_one() -> None:
    book = SettingsBook({}, {"C1": {"steps": "replies"}, "slack:T1/C1": {"steps": "card"}})
    assert book.of(PLACE).steps == "card"
    assert book.merged(PLACE).layer("steps") == "channels.slack:T1/C1"


def test_another_channel_keeps_the_defaults() -> None:
    assert SettingsBook({}, {"C2": {"documents_only": True}}).of(PLACE) == Settings()


def test_a_value_of_none_changes_nothing() -> None:
    assert merge(("a", {"steps": "replies"}), ("b", {"steps": None})).settings.steps == "replies"


def test_a_city_may_stand_for_a_time_zone() -> None:
    assert merge(("a", {"time_zone": "上海"})).settings.time_zone == "Asia/Shanghai"


@pytest.mark.parametrize(
    "wrong", [{"ingest": "sometimes"}, {"ingets": "auto"}, {"time_zone": "Narnia"}]
)
def test_what_cannot_be_is_refused_and_its_layer_named(wrong: dict[str, str]) -> None:
    with pytest.raises(WrongConfig, match=rf"channels\.C1\.{next(iter(wrong))}"):
        SettingsBook({}, {"C1": wrong}).check()


LAYERS = ("defaults", "teammate", "channel", "person")


def test_the_last_layer_wins_in_how_answers_read() -> None:
    merged = merge(
        *((layer, {"style": layer, "verbosity": "short", "language": "zh"}) for layer in LAYERS)
    )
    assert merged.settings.style == "person"
    assert {merged.layer(name) for name in ("style", "verbosity", "language")} == {"person"}


ORDERS: dict[str, tuple[Any, ...]] = {
    "web": ("off", "when_asked", "on"),
    "respond": ("asked", "all"),
    "model": ("cheap", "usual"),
}


@given(st.sampled_from(sorted(ORDERS)), st.data())
def test_what_may_be_used_only_narrows(name: str, data: st.DataObject) -> None:
    order = ORDERS[name]
    wanted = data.draw(st.lists(st.sampled_from(order), min_size=1, max_size=4))
    merged = merge(*((layer, {name: value}) for layer, value in zip(LAYERS, wanted, strict=False)))
    narrowest = min(wanted, key=order.index)
    assert getattr(merged.settings, name) == narrowest
    assert merged.layer(name) == LAYERS[wanted.index(narrowest)]


NAMES = st.lists(st.sampled_from(("a", "b", "c", "d")), unique=True, max_size=4).map(tuple)


@given(st.sampled_from(("tools", "effects", "kbs")), st.lists(NAMES, min_size=1, max_size=4))
def test_lists_of_what_may_be_used_only_lose_names(
    name: str, wanted: list[tuple[str, ...]]
) -> None:
    merged = merge(*((layer, {name: value}) for layer, value in zip(LAYERS, wanted, strict=False)))
    assert set(getattr(merged.settings, name)) == set.intersection(*map(set, wanted))


def test_a_mode_that_was_fixed_stays_and_who_wanted_another_is_known() -> None:
    merged = merge(("defaults", {"mode": "auto"}), ("a", {"mode": "rag"}), ("b", {"mode": "loop"}))
    assert (merged.settings.mode, merged.layer("mode")) == ("rag", "a")
    assert merged.refused == {"mode": ("b",)}


@pytest.mark.parametrize("layer", ["defaults", "channels.C1"])
def test_an_unknown_variable_is_refused_with_its_layer_and_name(layer: str) -> None:
    with pytest.raises(WrongConfig, match=rf"{re.escape(layer)}\.style: .*\{{\{{nick\}}\}}"):
        merge((layer, {"style": "Hello {{nick}}"}))


VALUE = st.text(max_size=40) | st.sampled_from([f"{{{{{name}}}}}" for name in VARIABLES])


@given(st.dictionaries(st.sampled_from(VARIABLES), VALUE))
def test_values_are_data_and_are_never_expanded_again(values: dict[str, str]) -> None:
    text = "·".join(f"{{{{ {name} }}}}" for name in VARIABLES)
    parts = filled(text, values).split("·")
    if any("·" in value for value in values.values()):
        return
    for name, part in zip(VARIABLES, parts, strict=True):
        plain = "".join(
            " " if unicodedata.category(sign)[0] in "CZ" else sign for sign in values.get(name, "")
        )
        expected = " ".join(plain.split())[:80] if name in values else f"{{{{ {name} }}}}"
        assert part == expected


def test_braces_that_are_no_variables_are_left_alone() -> None:
    text = "{{#if x}} {a} {{ }} {{1}}"
    assert filled(text, {"time": "9"}) == text
    assert unknown_variable(text) is None


async def test_what_people_set_is_kept_and_seen_by_every_process(store: SqliteStore) -> None:
    ours, theirs = (
        SettingsStore(store, SettingsBook({"web": "on"}), clock=lambda: 1.0) for _ in range(2)
    )
    await ours.for_person("slack:T1/U1", "language", "zh")
    await ours.for_channel("slack:T1/C1", "web", "off", "slack:T1/U9")
    await theirs.refresh()
    for kept in (ours, theirs):
        merged = kept.book.merged(PLACE, "slack:T1/U1")
        assert (merged.settings.language, merged.layer("language")) == ("zh", "person")
        assert (merged.settings.web, merged.layer("web")) == ("off", "channel")
        assert kept.book.of(PLACE, "slack:T1/U2").language == "en"
    await theirs.for_channel("slack:T1/C1", "web", None, "slack:T1/U9")
    await ours.refresh()
    assert ours.book.merged(PLACE).layer("web") == "defaults"


async def test_a_value_that_cannot_be_is_not_kept(store: SqliteStore) -> None:
    kept = SettingsStore(store, SettingsBook())
    with pytest.raises(WrongConfig):
        await kept.for_person("slack:T1/U1", "verbosity", "endless")
    assert kept.book.of(PLACE, "slack:T1/U1") == Settings()
