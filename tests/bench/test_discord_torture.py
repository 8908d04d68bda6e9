"""Every addressed message is answered once, whatever Discord does to the connection."""

from __future__ import annotations

import asyncio
import json
import sys
from asyncio.subprocess import PIPE

import pytest

from bench.bot import ROOT

FAULTS = 12


@pytest.mark.timeout(600)
async def test_every_message_is_answered_once_while_connections_sessions_and_calls_break() -> None:
    command = (sys.executable, "-m", "bench.discord_torture", "--faults", str(FAULTS))
    child = await asyncio.create_subprocess_exec(
        *command, "--seed", "4", cwd=ROOT, stdout=PIPE, stderr=PIPE
    )
    out, told = await child.communicate()
    found = json.loads(out)
    assert (found["lost"], found["doubled"], found["beyond_limits"]) == ([], [], []), told.decode()
    assert found["asked"] >= FAULTS / 2
    assert len(found["faults"]) >= 5, "several kinds of faults"
