"""The answer as posts: how the text, its end and its sources are spread over drafts. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from bot.platform import PlatformLimits
from bot.presenter.view import View
from bot.text.fit import fit
from bot.text.markdown import cjk_safe
from bot.text.outbound import hold_back
from bot.text.split import closed
from core.events import Done, Failed, Stopped, Suspended
from core.messages import Message
from core.sources import rewrite_marks
from core.texts import say

MOST_POSTS = 10
"""Posts of one answer: whoever reads a thread is not buried, whatever a model writes."""

ENDING_CHARS = 400
"""Kept free in the last post for the sentence that says what was cut."""


@dataclass(frozen=True)
class Writer:
    """Spreads one run's text over posts of a platform's size."""

    limits: PlatformLimits
    asked: Message

    def early(self, view: View) -> list[str]:
        """The posts of an answer that is still being written; its unsafe end waits."""
        text = hold_back(view.text).rstrip()
        return self._posts(view, cjk_safe(text)) if text else []

    def thought(self, view: View) -> str:
        """The newest thought as one post, for what was shown early and was no answer."""
        text = cjk_safe(hold_back(view.thought + "\n").strip())
        return self._posts(view, text)[0] if text else say("presenter.void", view.language)

    def final(self, view: View) -> list[str]:
        """The posts of a run that has ended; at least one."""
        return self._posts(view, self._whole(view))

    def _whole(self, view: View) -> str:
        language = view.language
        match view.ending:
            case Done(answer=answer):
                return cjk_safe(answer.text.strip()) or say("presenter.empty", language)
            case Failed(text=text):
                return self._partly(view, text)
            case Stopped(by=by):
                return self._partly(view, self._stopped(view, by))
            case Suspended():
                return self.thought(view)
            case None:
                return self._partly(view, say("presenter.no_end", language))

    def _stopped(self, view: View, by: str) -> str:
        if view.text.strip():
            return say("presenter.stopped_partly", view.language)
        if by and by != self.asked.author.id:
            return say("presenter.stopped_by", view.language, who=by.rsplit("/", 1)[-1])
        return say("presenter.stopped", view.language)

    def _partly(self, view: View, sentence: str) -> str:
        """What was written so far stays, with the sentence under it."""
        # Its marks would point at sources that are told at the end of an answer only.
        text = rewrite_marks(view.text, lambda _: [])
        written = cjk_safe(hold_back(text + "\n").strip())
        if not written:
            return sentence
        # A fence that was still open would swallow the sentence.
        return f"{closed(written)}\n\n{sentence}"

    def _posts(self, view: View, text: str) -> list[str]:
        said = [f"*{notice}*" for notice in self._notices(view)]
        text = "\n\n".join([*said, text])
        posts = fit(text, self.limits)
        if len(posts) <= MOST_POSTS:
            return posts
        return self._cut(view, text, posts)

    def _cut(self, view: View, text: str, posts: list[str]) -> list[str]:
        last = fit(posts[MOST_POSTS - 1], self.limits, ENDING_CHARS)[0]
        kept = [*posts[: MOST_POSTS - 1], last]
        count = max(1, len(text) - sum(len(post) for post in kept))
        sentence = say("presenter.cut", view.language, count=f"{count:,}")
        return [*kept[:-1], f"{last}\n\n{sentence}"]

    def _notices(self, view: View) -> list[str]:
        return [" ".join(notice.split()).replace("*", "") for notice in view.notices]
