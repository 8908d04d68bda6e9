"""The composition root: patience with a platform that is away, and an end in order."""

import asyncio
import os
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from pydantic import SecretStr

from bot.app import models_of
from bot.config import Config, data_folder
from bot.ending import Ending
from bot.ports import patiently
from core.errors import TryLater, WrongConfig
from core.model import ModelSpec
from core.model.scripted import ScriptedModel


async def test_a_platform_that_is_away_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.ports.FIRST_PAUSE_S", 0.001)
    tried: list[int] = []

    async def start() -> None:
        tried.append(1)
        if len(tried) < 3:
            raise TryLater("no route", seconds=60)

    assert await patiently(start, Ending())
    assert len(tried) == 3


async def test_the_wait_for_a_platform_ends_with_the_process() -> None:
    ending = Ending()

    async def start() -> None:
        asyncio.get_running_loop().call_soon(ending.end, 0)
        raise TryLater("no route", seconds=60)

    async with asyncio.timeout(30):
        assert not await patiently(start, ending)


async def test_a_wrong_token_is_not_tried_again() -> None:
    async def start() -> None:
        raise WrongConfig("SLACK_BOT_TOKEN: wrong")

    with pytest.raises(WrongConfig):
        await patiently(start, Ending())


def test_a_data_folder_that_cannot_be_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(WrongConfig, match="THREADMATE_DATA"):
        data_folder(tmp_path / "file" / "data")


async def test_a_process_ends_with_its_parent() -> None:
    reader, writer = os.pipe()
    ending = Ending()
    ending.with_parent(reader)
    os.close(writer)
    async with asyncio.timeout(30):
        await ending.wanted.wait()
    assert ending.code == 0
    os.close(reader)


async def test_a_teammates_model_is_made_once_and_our_key_goes_to_our_provider_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[tuple[str, str | None, bool]] = []
    closed: list[str] = []

    class Made(ScriptedModel):
        async def close(self) -> None:
            closed.append(self.name)

    def made(spec: ModelSpec, key: object) -> Made:
        asked.append((spec.name, spec.api_base, key is not None))
        return Made([], spec.name)

    monkeypatch.setattr("bot.app.model_of", made)
    config = Config(model="ours/a", api_base="http://127.0.0.1:1/v1", api_key=SecretStr("k"))
    async with AsyncExitStack() as stack:
        model = models_of(config, stack)
        assert model("ours/b") is model("ours/b")
        model("theirs/c")
    assert asked == [("ours/b", "http://127.0.0.1:1/v1", True), ("theirs/c", None, False)]
    assert sorted(closed) == ["ours/b", "theirs/c"]
