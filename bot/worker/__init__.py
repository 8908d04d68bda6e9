"""The worker: one queued key in, one delivered answer out."""

from bot.worker.desk import Desk
from bot.worker.worker import Worker

__all__ = ["Desk", "Worker"]
