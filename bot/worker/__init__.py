"""The worker: one queued key in, one delivered answer out."""

from bot.worker.worker import Desk, Worker

__all__ = ["Desk", "Worker"]
