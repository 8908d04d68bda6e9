"""Numbered, forward-only migrations: `migrations/NNNN_name.sql`, each applied once, in order.

A file named `NNNN_name.sqlite.sql` holds what only SQLite understands (full-text tables).
"""

from __future__ import annotations

from importlib.resources import files

import apsw

from core.errors import SchemaTooNew


def scripts() -> list[tuple[int, str]]:
    """Every migration as (number, SQL), in order of its number; each number stands once."""
    found = [
        (int(entry.name.split("_")[0]), entry.read_text(encoding="utf-8"))
        for entry in (files("core.store") / "migrations").iterdir()
        if entry.name.endswith(".sql")
    ]
    numbers = [number for number, _ in found]
    if len(set(numbers)) != len(numbers):
        raise ValueError("two migrations share a number")
    return sorted(found)


def migrate(connection: apsw.Connection) -> int:
    """Apply what is missing, each migration in a transaction of its own; the schema's number.

    Raises SchemaTooNew when the file was written by a newer release.
    """
    known = scripts()
    connection.execute("CREATE TABLE IF NOT EXISTS schema_version (number bigint PRIMARY KEY)")
    newest = known[-1][0] if known else 0
    for number, sql in known:
        connection.execute("BEGIN IMMEDIATE")
        try:
            # Read inside the transaction: two processes may start at the same moment.
            found = current(connection)
            if found > newest:
                raise SchemaTooNew(key="error.schema_too_new", found=found, known=newest)
            if found < number:
                connection.execute(sql)
                connection.execute(
                    "INSERT INTO schema_version VALUES (:number)", {"number": number}
                )
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
    return newest


def current(connection: apsw.Connection) -> int:
    """The number of the newest migration that was applied; 0 for a new file."""
    row = next(iter(connection.execute("SELECT max(number) FROM schema_version")), (None,))
    return int(row[0] or 0)
