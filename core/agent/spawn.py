"""Sub-agents: a teammate with a history and tools of its own, at work inside another's run."""

from __future__ import annotations

from dataclasses import dataclass, replace

from core.agent.channel import Channel
from core.agent.crew import Crew
from core.agent.hand import TeammateHand
from core.agent.opening import opening
from core.context import Emit, RunContext, SubAnswer, SubTask
from core.errors import ModelRefused, ToolFailed
from core.events import Body, TextDelta, TextTakenBack
from core.model.protocol import ModelMessage
from core.modes import loop
from core.prompt import fence, new_nonce
from core.request import Request, TeammateCard
from core.teammates import Team
from core.texts import say
from core.tools.sources import SourceBook, is_refusal


@dataclass(frozen=True)
class Spawner:
    """Starts the sub-agents of one run: they share its journal, purse, stop and sources."""

    crew: Crew
    book: SourceBook
    channel: Channel

    async def __call__(self, ctx: RunContext, sub: SubTask) -> SubAnswer:
        """Work a task to its end.

        Journal steps are `{path}/loop:N:model` and so on; events carry that path and the
        teammate's name. Raises ToolFailed for an unknown teammate, NeedsPerson, RunStopped,
        ModelError.
        """
        card = known(ctx.request, sub.teammate)
        model = self.crew.model_of(card)
        if model is None:
            raise ModelRefused("no model", key="teammates.no_model", name=card.name)
        self.channel.speaks(sub.path, card.name)
        request = request_of(self.crew.as_worked_by(ctx.request, card), sub)
        inner = replace(ctx, request=request, emit=quiet(ctx.emit), spawn=None)
        hand = TeammateHand(self.crew, inner, self.book)
        found = await opening(inner, sub.path, self.crew.tools(request, self.book, ctx.heard))
        upstream = "\n\n".join(text for text in (sub.upstream, found) if text)
        nonce = new_nonce()
        said = await loop.run(
            inner,
            model,
            hand,
            [ModelMessage(role="user", text=task_text(request, upstream, nonce))],
            path=f"{sub.path}/loop",
            rounds=card.max_rounds,
            nonce=nonce,
        )
        return SubAnswer(
            text=said.text,
            usage=said.usage,
            found=not said.by_code and not is_refusal(said.text),
            by_code=said.by_code,
        )


def known(request: Request, name: str) -> TeammateCard:
    """The card of a teammate that can be asked here, the speaking one included."""
    card = Team((*request.team, request.teammate)).get(name)
    if card is None:
        names = ", ".join(other.name for other in request.team)
        raise ToolFailed(name, key="teammates.unknown", name=name[:40], known=names)
    return card


def request_of(request: Request, sub: SubTask) -> Request:
    """The request of a sub-agent: the task is all it knows of what went before."""
    alone: dict[str, object] = {
        "question": sub.task,
        "cut": 0,
        "team": (),
        "named": (),
        "history": (),
        "memory": "",
        "pictures": (),
    }
    return request.model_copy(update=alone)


def task_text(request: Request, upstream: str, nonce: str) -> str:
    """The one message that a sub-agent is given: its task, and what is known already."""
    if not upstream:
        return request.question
    lead = say("teammates.upstream", request.language)
    return f"{request.question}\n\n{lead}\n{fence(upstream, nonce)}"


def quiet(emit: Emit) -> Emit:
    """Events without the text that a sub-agent writes: it is a result, not the answer."""

    async def send(path: str, body: Body) -> None:
        if not isinstance(body, TextDelta | TextTakenBack):
            await emit(path, body)

    return send
