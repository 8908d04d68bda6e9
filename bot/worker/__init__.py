"""The worker: one queued key in, one delivered answer out."""

from bot.worker.deleted import Deleted
from bot.worker.desk import Desk
from bot.worker.pictures import Pictures
from bot.worker.worker import Worker

__all__ = ["Deleted", "Desk", "Pictures", "Worker"]
