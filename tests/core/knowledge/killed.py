"""Ingests one file and kills itself at a named point: `python -m tests.core.knowledge.killed`."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from core.index import fulltext, vectors
from core.knowledge.blobs import BlobFolder, Staged
from core.knowledge.ingest import Ingest
from tests.core.knowledge.rigs import SCOPE, HashEmbedder, TextParser, opened

POINTS: dict[str, tuple[Any, str, bool]] = {
    "before parsing": (TextParser, "parse", False),
    "before the copy": (BlobFolder, "stage", False),
    "after the copy": (BlobFolder, "stage", True),
    "after the blob's rename": (BlobFolder, "keep", True),
    "before the words": (fulltext, "add", False),
    "after the words": (fulltext, "add", True),
    "after the commit": (Staged, "close", False),
    "before the receipt": (Ingest, "_put", True),
    "before the vector": (HashEmbedder, "embed", False),
    "while the vector is kept": (vectors, "put", True),
}


def deadly(work: Callable[..., Any], after: bool) -> Callable[..., Any]:
    def die(*args: Any, **values: Any) -> Any:
        if after:
            result = work(*args, **values)
            if asyncio.iscoroutine(result):
                return _then_die(result)
        os.kill(os.getpid(), signal.SIGKILL)

    return die


async def _then_die(result: Any) -> None:
    await result
    os.kill(os.getpid(), signal.SIGKILL)


async def main(folder: Path, point: str) -> None:
    owner, name, after = POINTS[point]
    setattr(owner, name, deadly(getattr(owner, name), after))
    async with opened(folder) as desk:
        kb = await desk.library.kb_for(SCOPE)
        await desk.library.ingest(
            kb, scope=SCOPE, owner="u", name="a.txt", path=folder / "a.txt", key="run:file"
        )
        await desk.library.embedded()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2]))
