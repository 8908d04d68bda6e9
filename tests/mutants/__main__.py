"""Make each mutation in a copy of the tree and run its tests: `python -m tests.mutants`.

    python -m tests.mutants [--only NAME ...] [--jobs 2] [--list]

Prints one line a mutation and the sum. A mutation is caught when a test fails, or hangs. Exit code
0 when at least the share `WANTED` was caught, 1 when less, 2 when one cannot be made any more or
the tests do not pass on the tree as it is.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tests.mutants.mutation import Mutation
from tests.mutants.table import MUTATIONS

ROOT = Path(__file__).parents[2]
PARTS = ("bench", "bot", "core", "data", "docs", "teammates", "tests", "pyproject.toml")
WANTED = 0.9
"""Share that must be caught: 27 of 30."""
HANGS_S = 300
"""A mutation whose tests take longer has made something wait for ever."""


@dataclass(frozen=True)
class Verdict:
    mutation: Mutation
    caught: bool
    how: str
    seconds: float


def copied(place: Path) -> Path:
    """A copy of the tree in `place`."""
    for part in PARTS:
        source = ROOT / part
        if source.is_dir():
            without = shutil.ignore_patterns("__pycache__", "*.db", "*.db-*", "node_modules")
            shutil.copytree(source, place / part, ignore=without)
        elif source.exists():
            shutil.copy(source, place / part)
    return place


def tests_of(root: Path, tests: Sequence[str]) -> tuple[int, str]:
    """pytest's exit code and the last lines that it wrote; -1 when it hung."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider"]
    command += ["-p", "tests.mutants.quick", "--no-header", "--tb=line", *tests]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(root)}
    try:
        done = subprocess.run(
            command, cwd=root, env=environment, capture_output=True, text=True, timeout=HANGS_S
        )
    except subprocess.TimeoutExpired:
        return -1, f"still running after {HANGS_S} s"
    lines = [line for line in done.stdout.splitlines() if line.strip()]
    failed = [line.removeprefix("FAILED ") for line in lines if line.startswith("FAILED ")]
    return done.returncode, " | ".join(failed[:1] or lines[-3:])


def judged(mutation: Mutation) -> Verdict:
    """One mutation in a tree of its own."""
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="mutant-") as folder:
        root = copied(Path(folder))
        mutation.make(root)
        code, said = tests_of(root, mutation.tests)
    seconds = time.monotonic() - started
    if code > 1:
        # Nothing was tested: the mutation does not even load.
        return Verdict(mutation, False, f"INVALID, pytest ended with {code}: {said}", seconds)
    return Verdict(mutation, code != 0, said if code else "SURVIVED", seconds)


def chosen(names: Sequence[str]) -> list[Mutation]:
    """The mutations of these names; all without names. ValueError for a name that is not there."""
    known = {mutation.name: mutation for mutation in MUTATIONS}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ValueError(f"there is no mutation {', '.join(unknown)}")
    return [known[name] for name in names] if names else list(MUTATIONS)


def tell(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--list", action="store_true", help="print the table and end")
    given = parser.parse_args(arguments)
    try:
        mutations = chosen(given.only)
    except ValueError as error:
        tell(error)
        return 2
    if given.list:
        for mutation in mutations:
            tell(f"{mutation.name}: {mutation.breaks} ({mutation.file})")
        return 0
    wrong = [line for mutation in mutations if (line := mutation.wrong(ROOT))]
    if wrong:
        tell("\n".join(wrong))
        return 2
    return worked(mutations, given.jobs)


def worked(mutations: Sequence[Mutation], jobs: int) -> int:
    """Judge the mutations, after their tests have passed on the tree as it is."""
    tests = sorted({test for mutation in mutations for test in mutation.tests})
    with tempfile.TemporaryDirectory(prefix="mutant-") as folder:
        code, said = tests_of(copied(Path(folder)), tests)
    if code != 0:
        tell(f"the tests do not pass on the tree as it is: {said}")
        return 2
    caught = 0
    with ThreadPoolExecutor(jobs) as pool:
        for verdict in pool.map(judged, mutations):
            caught += verdict.caught
            word = "caught  " if verdict.caught else "MISSED  "
            tell(f"{word} {verdict.mutation.name} ({verdict.seconds:.0f} s): {verdict.how[:200]}")
    tell(f"{caught}/{len(mutations)} caught")
    return 0 if caught >= WANTED * len(mutations) else 1


if __name__ == "__main__":
    sys.exit(main())
