"""A mutation: one piece of core replaced by a wrong one, and what that breaks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Mutation:
    """`old` stands exactly once in `file`."""

    name: str
    file: str
    old: str
    new: str
    breaks: str
    """What must hold, and does not any more."""
    tests: tuple[str, ...]
    """Files or tests that notice it, quickest first."""

    def wrong(self, root: Path) -> str:
        """Why it cannot be made; empty if it can."""
        path = root / self.file
        if not path.exists():
            return f"{self.name}: {self.file} is gone"
        count = path.read_text("utf-8").count(self.old)
        if count != 1:
            how = "is gone" if count == 0 else f"stands {count} times"
            return f"{self.name}: its old text {how} in {self.file}: {self.old.strip()[:100]!r}"
        missing = [test for test in self.tests if not (root / test.split("::")[0]).exists()]
        return f"{self.name}: there is no {', '.join(missing)}" if missing else ""

    def make(self, root: Path) -> None:
        """Write it into the tree at `root`."""
        path = root / self.file
        path.write_text(path.read_text("utf-8").replace(self.old, self.new), "utf-8")
