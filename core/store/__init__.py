"""Connections, transactions, migrations. Each room owns its own tables and statements."""

from core.store.port import Row, Store, Transaction

__all__ = ["Row", "Store", "Transaction"]
