"""The roster is read again when a file changes; a broken file is named and the others work."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from core.request import TeammateCard
from core.teammates import SHIPPED, Roster
from core.tools.builtin import BUILTIN


def write(folder: Path, name: str, front: str = "", role: str = "You help.") -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(f"---\n{front}\n---\n{role}\n", "utf-8")
    return path


def names(roster: Roster) -> list[str]:
    return [card.name for card in roster.look().cards]


def test_four_teammates_ship_and_are_whole() -> None:
    team = Roster(None).look()
    assert team.errors == ()
    shipped = {"generalist", "librarian", "researcher", "writer"}
    assert {card.name for card in team.cards} == shipped
    for card in team.cards:
        assert card.avatar and card.description and card.aliases
        assert "<!-- zh -->" in card.role and "<!-- en -->" in card.role
    assert team.usual().name == "generalist"


def test_the_teammates_that_ship_lie_beside_the_packages() -> None:
    assert (SHIPPED.parent / "core").is_dir()
    assert (SHIPPED / "researcher.md").is_file()


def test_only_the_librarian_and_the_generalist_may_save() -> None:
    team = Roster(None).look()
    savers = {card.name for card in team.cards if "write_document" in (card.tools or ())}
    assert savers == {"generalist", "librarian"}


def test_tools_of_the_teammates_that_ship_exist() -> None:
    known = {*BUILTIN.names, "@read", "search_web", "write_document", "send_email"}
    for card in Roster(None).look().cards:
        assert set(card.tools or ()) <= known


def test_an_own_teammate_is_added_and_one_of_the_same_name_takes_its_place(tmp_path: Path) -> None:
    own, shipped = tmp_path / "own", tmp_path / "shipped"
    write(shipped, "writer.md", "description: ships", "Ships.")
    write(shipped, "finder.md")
    write(own, "writer.md", "description: ours", "Ours.")
    write(own, "lawyer.md", "name: 法务")
    team = Roster(own, shipped).look()
    assert [card.name for card in team.cards] == ["法务", "writer", "finder"]
    writer = team.get("@Writer")
    assert writer is not None and writer.role == "Ours."
    assert team.errors == ()
    assert dict(team.files)["writer"] == own / "writer.md"


def test_a_changed_a_new_and_a_removed_file_are_seen_at_the_next_look(tmp_path: Path) -> None:
    path = write(tmp_path, "a.md", role="One.")
    roster = Roster(tmp_path, None)
    assert roster.look().cards[0].role == "One."
    kept = path.stat()
    path.write_text(path.read_text("utf-8").replace("One.", "Two."), "utf-8")
    os.utime(path, ns=(kept.st_atime_ns, kept.st_mtime_ns + 1))
    assert roster.look().cards[0].role == "Two."
    write(tmp_path, "b.md")
    assert names(roster) == ["a", "b"]
    path.unlink()
    assert names(roster) == ["b"]


def test_nothing_is_read_while_nothing_changes(tmp_path: Path) -> None:
    write(tmp_path, "a.md")
    roster = Roster(tmp_path, None)
    assert roster.look() is roster.look()


def test_a_broken_file_is_named_and_the_others_work(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write(tmp_path, "good.md")
    write(tmp_path, "bad.md", "language: fr")
    (tmp_path / "latin.md").write_bytes(b"---\nname: x\n---\n\xe9")
    team = Roster(tmp_path, None).look()
    assert [card.name for card in team.cards] == ["good"]
    told = [error.told("en") for error in team.errors]
    assert told[0].startswith("bad.md, line 2: language cannot be “fr”")
    assert "bad.md" in team.errors[0].told("zh") and "第 2 行" in team.errors[0].told("zh")
    assert "latin.md" in told[1]
    assert "bad.md" in caplog.text


def test_a_teammate_keeps_its_last_good_card_while_its_file_is_broken(tmp_path: Path) -> None:
    write(tmp_path, "a.md", role="Good.")
    roster = Roster(tmp_path, None)
    assert roster.look().errors == ()
    write(tmp_path, "a.md", "mode: broken")
    team = roster.look()
    assert team.cards[0].role == "Good."
    assert len(team.errors) == 1
    write(tmp_path, "a.md", role="Better.")
    team = roster.look()
    assert (team.cards[0].role, team.errors) == ("Better.", ())


def test_a_shipped_teammate_does_not_step_in_for_a_broken_own_one(tmp_path: Path) -> None:
    own, shipped = tmp_path / "own", tmp_path / "shipped"
    write(shipped, "writer.md", "tools: [read, send_email]")
    write(own, "writer.md", "mode: broken")
    team = Roster(own, shipped).look()
    assert team.cards == ()
    assert [error.file for error in team.errors] == ["writer.md"]


def test_two_own_files_of_one_name_are_told(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "name: same\naliases: [x]")
    write(tmp_path, "b.md", "name: SAME")
    write(tmp_path, "c.md", "aliases: [x, y]")
    team = Roster(tmp_path, None).look()
    assert [(card.name, card.aliases) for card in team.cards] == [("same", ("x",)), ("c", ("y",))]
    assert [error.file for error in team.errors] == ["b.md", "c.md"]
    assert "a.md" in team.errors[0].told("en")


def test_what_is_no_teammate_in_the_folder_is_left_alone(tmp_path: Path) -> None:
    write(tmp_path, "README.md")
    write(tmp_path, "_draft.md")
    write(tmp_path, ".hidden.md")
    (tmp_path / "notes.txt").write_text("x", "utf-8")
    (tmp_path / "folder.md").mkdir()
    (tmp_path / "gone.md").symlink_to(tmp_path / "nowhere")
    os.mkfifo(tmp_path / "pipe.md")
    team = Roster(tmp_path, None).look()
    assert team.cards == ()
    assert [error.file for error in team.errors] == ["folder.md", "gone.md", "pipe.md"]


def test_an_installation_without_a_folder_has_those_that_ship(tmp_path: Path) -> None:
    team = Roster(tmp_path / "teammates").look()
    assert (len(team.cards), team.errors) == (4, ())


def test_without_any_teammate_the_bot_answers_itself(tmp_path: Path) -> None:
    team = Roster(tmp_path, None).look()
    assert team.usual("anybody") == TeammateCard()


async def test_the_files_are_looked_at_off_the_loop(tmp_path: Path) -> None:
    write(tmp_path, "a.md")
    assert (await Roster(tmp_path, None).team()).cards[0].name == "a"
