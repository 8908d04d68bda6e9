"""Errors that the product raises.

ThreadmateError            everything below; carries the sentence for a person
|- WrongUse                the caller asked for something that cannot be (exit code 2)
|- WrongConfig             the configuration cannot work (exit code 78)
|- Denied                  this person may not do this
|- StoreError              the data folder refuses
|  |- StoreBusy            another process holds the write lock for too long
|  |- StoreFull            the disk is full
|  `- SchemaTooNew         the data was written by a newer release
|- LostRun                 another process owns this run now; stop quietly
|- RunStopped              a person stopped the run
|- NeedsPerson             the run can go on only when a person has decided (`core.context`)
|- PlanInvalid             a plan cannot be worked as it is; carries what is wrong with it
|- KnowledgeError          a document cannot be taken, found or removed
|- ToolFailed              a tool could not do its work
|  |- BadArguments         the model's arguments do not fit the tool
|  `- ToolTimedOut         the tool was too slow
|- ModelError              the model could not answer
|  |- ModelDown            no connection, 5xx, timeout: worth another try or a fallback
|  |  `- ModelSilent     it answered with nothing
|  |- ModelRefused         wrong key, unknown model, 4xx: no use in trying again
|  |  `- ToolsRefused    it takes no tools in its requests
|  `- ContextTooLong       the request does not fit the model
|- LimitReached            rounds, calls, tokens or time of a run are used up
|- WebError                a page or file of the web could not be had (`core.http`)
|  `- Blocked              its address is not one that we may open
`- PlatformError           the chat platform did not take what we sent
   |- TryLater             rate limited or down; carries seconds to wait
   |- Undeliverable        the place is gone or closed to us: no use in trying again
   `- UnknownOutcome       the connection broke after sending: look before sending again
"""

from __future__ import annotations


class ThreadmateError(Exception):
    """Root of all. `key` and `values` name a sentence of the catalogue (`core.texts.say`)."""

    key = "error.unknown"

    def __init__(self, detail: str = "", *, key: str | None = None, **values: object) -> None:
        super().__init__(detail or key or self.key)
        self.detail = detail
        self.key = key or type(self).key
        self.values = {"detail": detail, **values}


class WrongUse(ThreadmateError):
    key = "error.wrong_use"


class WrongConfig(ThreadmateError):
    key = "error.wrong_config"


class Denied(ThreadmateError):
    key = "error.denied"


class StoreError(ThreadmateError):
    key = "error.store"


class StoreBusy(StoreError):
    key = "error.store_busy"


class StoreFull(StoreError):
    key = "error.store_full"


class SchemaTooNew(StoreError):
    key = "error.schema_too_new"


class LostRun(ThreadmateError):
    key = "error.lost_run"


class RunStopped(ThreadmateError):
    key = "error.run_stopped"


class PlanInvalid(ThreadmateError):
    """`errors` are lines for the planner, in English: kind, node, what is wrong."""

    key = "error.plan_invalid"

    def __init__(self, *errors: str) -> None:
        super().__init__("; ".join(errors))
        self.errors = errors


class KnowledgeError(ThreadmateError):
    key = "error.knowledge"


class ToolFailed(ThreadmateError):
    key = "error.tool_failed"


class BadArguments(ToolFailed):
    key = "error.bad_arguments"


class ToolTimedOut(ToolFailed):
    key = "error.tool_timed_out"


class ModelError(ThreadmateError):
    key = "error.model"


class ModelDown(ModelError):
    key = "error.model_down"

    def __init__(self, detail: str = "", *, retry_after: float | None = None) -> None:
        super().__init__(detail)
        self.retry_after = retry_after


class ModelSilent(ModelDown):
    key = "error.model_silent"

    def __init__(self) -> None:
        super().__init__("empty answer")


class ModelRefused(ModelError):
    key = "error.model_refused"


class ToolsRefused(ModelRefused):
    key = "error.model_refused"


class ContextTooLong(ModelError):
    key = "error.context_too_long"


class LimitReached(ThreadmateError):
    key = "error.limit_reached"


class PlatformError(ThreadmateError):
    key = "error.platform"


class TryLater(PlatformError):
    key = "error.try_later"

    def __init__(self, detail: str = "", *, seconds: float = 1.0) -> None:
        super().__init__(detail, seconds=seconds)
        self.seconds = seconds


class Undeliverable(PlatformError):
    key = "error.undeliverable"


class UnknownOutcome(PlatformError):
    key = "error.unknown_outcome"
