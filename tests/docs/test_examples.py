"""The files that people copy and the commands that they type say what is so."""

import re
import tomllib
from pathlib import Path

import pytest
from pydantic import BaseModel
from typer.main import get_command

from bot.cli import app
from bot.config import Config, load
from core.messages import Place
from core.model import ModelSpec
from core.settings import Settings

ROOT = Path(__file__).parents[2]
EXAMPLE = (ROOT / "threadmate.toml.example").read_text("utf-8")
NOT_A_DEFAULT = re.compile(r"^#(language|time_zone|kbs|tools|cheap_model)\b")
"""Lines that show a choice: without them, language and zone are as above, and all KBs are read."""


def written(text: str) -> Config:
    Path("threadmate.toml").write_text(text, "utf-8")
    return load()


def taken_in(text: str) -> str:
    """With every setting that stands in a comment; sentences stay comments."""
    return re.sub(r"^#(?=[a-z\[])", "", text, flags=re.M)


@pytest.fixture(autouse=True)
def _empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for field in Config.model_fields.values():
        monkeypatch.delenv(str(field.alias), raising=False)
    # The example names it as the variable of a key.
    monkeypatch.setenv("QWEN_KEY", "sk-example")


def test_the_example_of_the_settings_holds_every_default() -> None:
    defaults, _, _ = EXAMPLE.partition("#[channels")
    lines = [line for line in defaults.splitlines() if not NOT_A_DEFAULT.match(line)]
    example = written(taken_in("\n".join(lines)))
    Path("threadmate.toml").unlink()
    plain = load()
    for name in ("language", "time_zone", "hosts", "admins", "limits", "plan"):
        assert getattr(example, name) == getattr(plain, name), name
    assert Settings.model_validate(example.defaults) == Settings()


def test_the_example_of_the_settings_names_every_setting() -> None:
    known = {name for name, field in Config.model_fields.items() if not field.alias}
    for field in Config.model_fields.values():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            known |= set(field.annotation.model_fields)
    known |= set(Settings.model_fields) | set(ModelSpec.model_fields)
    named = set(re.findall(r"^#?\[*(\w+)(?:\]| =|\.\")", EXAMPLE, re.M))
    assert named == known


def test_every_line_of_the_example_may_be_taken_in() -> None:
    config = written(taken_in(EXAMPLE))
    place = Place(platform="slack", workspace="slack:T1", channel="slack:T1/C2", thread="t")
    settings = config.book.of(place)
    assert (settings.language, settings.kbs) == ("zh", ("policies",))
    assert (settings.ingest, settings.documents_only) == ("mention", True)


def test_the_example_of_the_environment_names_every_variable() -> None:
    named = set(re.findall(r"^#([A-Z_]+)=", (ROOT / ".env.example").read_text("utf-8"), re.M))
    known = {str(field.alias) for field in Config.model_fields.values() if field.alias}
    # SQLite is all that this release has.
    assert named == known - {"THREADMATE_DATABASE_URL"}


def commands() -> dict[str, set[str]]:
    """Each command and subcommand with its options."""
    found: dict[str, set[str]] = {}
    for name, command in get_command(app).commands.items():  # type: ignore[attr-defined]
        for path, each in [(name, command), *((f"{name} {n}", c) for n, c in below(command))]:
            found[path] = {option for param in each.params for option in param.opts}
    return found


def below(command: object) -> list[tuple[str, object]]:
    return list(getattr(command, "commands", {}).items())


@pytest.mark.parametrize("name", ["README.md", "README.zh.md", "CHANGELOG.md", "Procfile"])
def test_every_command_in_the_documents_exists(name: str) -> None:
    known = commands()
    text = (ROOT / name).read_text("utf-8")
    lines = re.findall(r"threadmate ((?:[a-z]+)(?: [a-z]+)?)([^`\n]*)", text)
    typed = [(words, rest) for words, rest in lines if words.split()[0] in known or "--" in rest]
    for words, rest in typed:
        command = words if words in known else words.split()[0]
        assert command in known, words
        assert set(re.findall(r"--[a-z-]+", rest)) <= known[command] | {"--help"}, (words, rest)
    assert typed or name == "CHANGELOG.md"


def test_the_changelog_names_every_command() -> None:
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert {name.split()[0] for name in commands()} <= set(re.findall(r"`([a-z]+)`", text))


@pytest.mark.parametrize("name", ["README.md", "README.zh.md", "CONTRIBUTING.md"])
def test_every_make_target_in_the_documents_exists(name: str) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.M))
    typed = set(re.findall(r"(?:^ +|`)make ([a-z-]+)", (ROOT / name).read_text("utf-8"), re.M))
    assert typed and typed <= targets


def test_a_package_holds_every_file_that_is_read() -> None:
    """What is no module must be named in pyproject.toml, or an installed copy lacks it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    data = project["tool"]["setuptools"]["package-data"]
    held = {
        path
        for package, patterns in data.items()
        for pattern in patterns
        for path in (ROOT / package.replace(".", "/")).glob(pattern)
    }
    there = {
        path
        for top in ("bot", "core", "bench")
        for path in (ROOT / top).rglob("*")
        if path.is_file() and path.suffix not in (".py", ".pyc")
    }
    assert there <= held
