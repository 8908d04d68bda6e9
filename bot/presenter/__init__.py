"""The presenter: events to plan, answer and sources in the thread; platform-neutral."""

from bot.presenter.presenter import Presenter
from bot.presenter.view import View

__all__ = ["Presenter", "View"]
