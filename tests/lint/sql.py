"""Check that every SQL text of ours is one that PostgreSQL's grammar reads.

    python -m tests.lint.sql     one line per refused text; exit code 1 if there is any

Looks at string constants in core/ and bot/ that begin like a statement, and at the migrations.
Left out: what differs by database on purpose (core/index, core/store, `*.sqlite.sql`).
An f-string that begins like a statement is refused too: values travel as parameters.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pglast

ROOT = Path(__file__).resolve().parents[2]
SQLITE_ONLY = ("core/index/", "core/store/sqlite", "core/store/migrate")
STATEMENT = re.compile(
    r"\s*(SELECT|INSERT INTO|INSERT OR|REPLACE INTO|UPDATE \w+ SET|DELETE FROM|WITH \w+"
    r"|CREATE (TABLE|UNIQUE|INDEX)|ALTER TABLE)\b"
)
PARAMETER = re.compile(r"(?<![:\w]):[a-z_]\w*")


def statements(path: Path) -> Iterator[tuple[int, str]]:
    """(line, SQL) of every statement in a module."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    inside_f = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for part in node.values
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr) and node.values:
            first = node.values[0]
            if isinstance(first, ast.Constant) and STATEMENT.match(str(first.value)):
                yield node.lineno, f"f-string: {first.value}"
        elif isinstance(node, ast.Constant) and id(node) not in inside_f:
            yield from [(node.lineno, str(node.value))] if STATEMENT.match(str(node.value)) else []


def refusal(sql: str) -> str:
    """Why PostgreSQL's grammar refuses `sql`; empty if it does not."""
    if sql.startswith("f-string:"):
        return "SQL built from an f-string; use parameters"
    try:
        pglast.parse_sql(PARAMETER.sub("$1", sql))
    except pglast.parser.ParseError as error:
        return str(error)
    return ""


def refused(root: Path = ROOT) -> list[str]:
    """`file:line: reason` of every refused text."""
    found: list[str] = []
    for folder in ("core", "bot"):
        for path in sorted((root / folder).rglob("*.py")):
            name = path.relative_to(root).as_posix()
            if not name.startswith(SQLITE_ONLY):
                found += [
                    f"{name}:{n}: {why}" for n, sql in statements(path) if (why := refusal(sql))
                ]
    for path in sorted((root / "core/store/migrations").glob("*.sql")):
        if not path.name.endswith(".sqlite.sql"):
            why = refusal(path.read_text(encoding="utf-8"))
            found += [f"{path.relative_to(root)}: {why}"] if why else []
    return found


def main() -> int:
    found = refused()
    sys.stdout.write("".join(f"{line}\n" for line in found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
