"""The gate: which of the things that a person said are worth keeping."""

from core.memory.gate.model import model_gate
from core.memory.gate.op import Op, Spoken
from core.memory.gate.rules import gate

__all__ = ["Op", "Spoken", "gate", "model_gate"]
