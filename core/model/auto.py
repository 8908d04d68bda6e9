"""Calls that a model writes as text are read and called, whatever its dialect.

`AutoModel` asks natively; a server that wants no tools in its requests gets them in the system text
from then on (`core.model.tags`).
"""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing

from core.errors import ToolsRefused
from core.model.protocol import Delta, Model, ModelRequest
from core.model.tags import TagsModel, called, warm

log = logging.getLogger(__name__)


class AutoModel:
    """Any model: tools are given natively, and calls are taken as they come."""

    def __init__(self, inner: Model) -> None:
        self.name = inner.name
        self._inner = inner
        self._tags = TagsModel(inner)
        self._refused = False
        """True once the server refused a request because of its tools."""

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Delta]:
        """Deltas of one answer; text that was a call comes as one. Raises as the inner model."""
        if not request.tools:
            async with aclosing(self._inner.stream(request)) as deltas:
                async for delta in deltas:
                    yield delta
            return
        if not self._refused:
            try:
                async with aclosing(called(self._inner.stream(request), request.tools)) as deltas:
                    async for delta in deltas:
                        yield delta
                return
            except ToolsRefused as error:
                log.warning("model %s takes no tools (%s); they are written out", self.name, error)
                self._refused = True
        async with aclosing(self._tags.stream(request)) as deltas:
            async for delta in deltas:
                yield delta

    async def warm(self) -> None:
        """Load what the inner model needs."""
        await warm(self._inner)

    async def close(self) -> None:
        await self._inner.close()
