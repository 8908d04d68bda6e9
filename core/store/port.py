"""What a store can do. Work is a plain function of a transaction; it runs off the event loop."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol, TypeVar

T = TypeVar("T")
Row = tuple[Any, ...]
Values = Mapping[str, Any]


class Transaction(Protocol):
    """Statements of one transaction. SQL uses `:name` parameters and PostgreSQL's grammar."""

    def all(self, sql: str, values: Values | None = None) -> list[Row]:
        """Every row of a query."""
        ...

    def one(self, sql: str, values: Values | None = None) -> Row | None:
        """The first row of a query, or None."""
        ...

    def run(self, sql: str, values: Values | None = None) -> int:
        """Run a statement; the number of rows it changed."""
        ...

    def many(self, sql: str, rows: Iterable[Values]) -> None:
        """Run one statement for each row of values."""
        ...


class Store(Protocol):
    """One database. Errors are `core.errors.StoreError` and its children."""

    async def read(self, work: Callable[[Transaction], T]) -> T:
        """Run `work` on a reader: one consistent snapshot, beside the writer."""
        ...

    async def write(self, work: Callable[[Transaction], T]) -> T:
        """Run `work` in a write transaction: committed on return, rolled back on an error."""
        ...
