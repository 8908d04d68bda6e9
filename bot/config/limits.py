"""What a run, a plan and a day may use."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class LimitsConfig(BaseModel):
    """Checked before they are spent."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    rounds: int = Field(10, ge=1, le=50)
    """Model calls of one run's loop."""
    requests: int = Field(50, ge=1, le=500)
    """Model calls of one run, those of its sub-agents included."""
    tool_calls: int = Field(40, ge=1, le=500)
    """Tool calls of one run."""
    seconds: float = Field(600, ge=5, le=7200)
    """Time of one run."""
    tokens: int = Field(200_000, ge=1000)
    """Input and output tokens of one run."""
    usd: float = Field(0, ge=0)
    """Money of one run, in US dollars, where the model's price is known; 0 is no limit."""
    file_mb: int = Field(50, ge=1, le=50)
    """Largest file taken, in MiB; the reader takes no larger one."""
    parse_seconds: float = Field(60, ge=1, le=600)
    """Time that reading one file may take."""
    parse_mb: int = Field(1024, ge=256)
    """Memory of the child process that reads files, in MiB."""
    runs: int = Field(150, ge=1, le=1000)
    """Runs worked at the same time."""
    approval_hours: float = Field(24, gt=0, le=720)
    """How long a run waits for a click or an answer; later ones are told to ask anew."""
    drain_seconds: float = Field(20, ge=0, le=600)
    """On SIGTERM: how long running work may finish; the rest goes on at the next start."""


class PlanConfig(BaseModel):
    """How plans are worked; the same names as in `core.context.PlanKnobs`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    nodes: int = Field(20, ge=1, le=20)
    """Most nodes of one plan."""
    parallel: int = Field(4, ge=1, le=16)
    """Nodes at work at the same time."""
    racing: bool = True
    """False: all members of a race group run, and all results are kept."""
    grace_s: float = Field(0.3, ge=0, le=10)
    """How long a hit in the documents is waited for after one from the web: it is preferred."""
    node_s: float = Field(120, ge=1, le=3600)
    """Longest time of one node."""
    retries: int = Field(1, ge=0, le=5)
    """Of a node that only reads or is idempotent."""
    replans: int = Field(1, ge=0, le=3)
    """New plans after nodes failed."""
    result_chars: int = Field(6_000, ge=200, le=24_000)
    """What the answer gets of one result; a teammate who builds on results gets four times as
    much, of all of them together. The whole is kept."""


class QuotaConfig(BaseModel):
    """What may be used a day, in the time zone of the person or channel; 0 is no limit."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    person: int = Field(0, ge=0)
    """Questions of one person."""
    channel: int = Field(0, ge=0)
    """Questions in one channel."""
    workspace: int = Field(0, ge=0)
    """Questions in one workspace."""
    person_tokens: int = Field(0, ge=0)
    """Tokens of one person, in and out."""
    channel_tokens: int = Field(0, ge=0)
    workspace_tokens: int = Field(0, ge=0)
    person_usd: float = Field(0, ge=0)
    """Money of one person, in US dollars, where the model's price is known."""
    channel_usd: float = Field(0, ge=0)
    workspace_usd: float = Field(0, ge=0)
