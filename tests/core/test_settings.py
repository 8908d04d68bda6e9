"""Settings: merged in layers, each value traceable."""

from __future__ import annotations

import pytest

from core.errors import WrongConfig
from core.messages import Place
from core.settings import Settings, SettingsBook, merge

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
