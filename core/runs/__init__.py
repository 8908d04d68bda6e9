"""The run queue: one durable run per key, order per thread, takeover of dead processes."""

from core.runs.queue import Runs, Waiting

__all__ = ["Runs", "Waiting"]
