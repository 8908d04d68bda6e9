"""Sources: the document places that an answer rests on, made by code from what tools touched."""

from __future__ import annotations

from core.messages import Frozen


class Source(Frozen):
    mark: int
    """The run-local mark `[n]`, in order of first touch, from 1."""
    document: str
    """Name as the uploader gave it."""
    document_id: str
    version: int
    page: int | None = None
    heading: str = ""
    """Heading path, parts joined by ` > `."""
    quote: str = ""
    """The sentence or passage start that was used, at most a few hundred characters."""
    link: str = ""
    """Link to the message that brought the document, if the platform has one."""
