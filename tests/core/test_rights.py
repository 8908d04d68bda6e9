"""Rights: who may do what, by ids."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from core.messages import Place
from core.rights import RIGHTS, Rights
from core.settings import SettingsBook

ANN, BEN, BOSS = "slack:T1/U1", "slack:T1/U2", "slack:T1/U9"
PLACE = Place(platform="slack", workspace="slack:T1", channel="slack:T1/C1", thread="slack:T1/C1/1")


def test_everybody_may_all_but_approve_for_others_and_administer() -> None:
    rights = Rights()
    assert all(rights.may(ANN, right) for right in ("chat", "tools", "ingest"))
    assert rights.may(ANN, "approve", asker=ANN)
    assert not rights.may(BEN, "approve", asker=ANN)
    assert not rights.may(ANN, "admin")


def test_nobody_is_the_asker_of_a_run_without_one() -> None:
    assert not Rights().may("", "approve")
    assert not Rights().may(ANN, "approve")


def test_admins_may_all_and_are_named_where_nobody_else_is() -> None:
    rights = Rights(chat=(), tools=(), ingest=(), approve=(), admin=(BOSS,))
    assert all(rights.may(BOSS, right, asker=ANN) for right in RIGHTS)
    assert not any(rights.may(ANN, right, asker=ANN) for right in RIGHTS)
    assert all(rights.who(right) == (BOSS,) for right in RIGHTS)


def test_a_list_takes_the_askers_place() -> None:
    rights = Rights(approve=(BEN,))
    assert not rights.may(ANN, "approve", asker=ANN)
    assert rights.may(BEN, "approve", asker=ANN) and rights.who("approve", asker=ANN) == (BEN,)


@pytest.mark.parametrize("wrong", ["Ann", "slack:T1/U1 ", "all"])
def test_a_name_is_no_id(wrong: str) -> None:
    with pytest.raises(ValidationError, match="no id like"):
        Rights(chat=(wrong,))


def test_the_asker_has_a_meaning_in_approve_only() -> None:
    with pytest.raises(ValidationError, match="approve only"):
        Rights(tools=("asker",))


def test_a_channel_replaces_the_rights_that_it_names_and_keeps_the_others() -> None:
    book = SettingsBook(
        {"rights": {"chat": (ANN,), "ingest": (BEN,)}, "admins": (BOSS,)},
        {"C1": {"rights": {"chat": (BEN,)}}},
    )
    assert not book.may(ANN, "chat", PLACE) and book.may(BEN, "chat", PLACE)
    assert book.may(BEN, "ingest", PLACE) and not book.may(ANN, "ingest", PLACE)
    assert book.may(BOSS, "chat", PLACE)
    elsewhere = PLACE.model_copy(update={"channel": "slack:T1/C2"})
    assert book.may(ANN, "chat", elsewhere)
    merged = book.merged(PLACE)
    assert merged.layer("rights.chat") == "channels.C1"
    assert merged.layer("rights.ingest") == "defaults"
