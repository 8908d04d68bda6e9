"""Several models in one: the last good one first, the others when it fails."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

from core.errors import ModelDown, ModelError, ModelRefused
from core.model.protocol import Delta, Model, ModelRequest
from core.model.tags import warm

log = logging.getLogger(__name__)


class Failover:
    """A list of models. Whoever asks for a whole answer takes a `turn`; see `core.model.retry`."""

    def __init__(self, models: Sequence[Model]) -> None:
        self.models = tuple(models)
        self.good = 0
        """Index of the model that answered last."""
        self.name = self.models[0].name
        """That of the model that is asked first."""

    def answered(self, model: Model) -> None:
        """`model` gave an answer: it is asked first from now on."""
        self.good = self.models.index(model)
        self.name = model.name

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Delta]:
        """Deltas of the last good model's answer, without any failover."""
        async with aclosing(self.models[self.good].stream(request)) as deltas:
            async for delta in deltas:
                yield delta

    async def warm(self) -> None:
        """Load what the models need."""
        for model in self.models:
            await warm(model)

    async def close(self) -> None:
        for model in self.models:
            await model.close()


@dataclass
class Turn:
    """The models that may be asked for one answer, in order."""

    model: Model
    order: list[Model] = field(init=False)
    _at: int = 0

    def __post_init__(self) -> None:
        self.order = [self.model]
        if isinstance(self.model, Failover):
            good, models = self.model.good, self.model.models
            self.order = [models[good], *models[:good], *models[good + 1 :]]

    @property
    def current(self) -> Model:
        return self.order[self._at]

    def after(self, error: ModelError) -> Model | None:
        """The next model that is worth a try after `error`; None if the same one is, or none.

        A model that is down or refuses us says nothing about the others. A request that is too
        long is one for all: the caller shortens it.
        """
        if not isinstance(error, ModelDown | ModelRefused) or self._at + 1 >= len(self.order):
            return None
        log.warning("model %s failed (%s), the next one is asked", self.current.name, error)
        self._at += 1
        return self.current

    def answered(self) -> None:
        """The current model gave an answer."""
        if isinstance(self.model, Failover):
            self.model.answered(self.current)
