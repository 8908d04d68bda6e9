"""Sentences about memories."""

TEXTS: dict[str, tuple[str, str]] = {
    "memory.layer.identity": ("身份", "identity"),
    "memory.layer.preference": ("偏好", "preference"),
    "memory.layer.context": ("背景", "context"),
    "memory.layer.experience": ("经验", "experience"),
    "memory.state.exploring": ("在探索", "exploring"),
    "memory.state.active": ("进行中", "in progress"),
    "memory.state.blocked": ("受阻", "blocked"),
    "memory.state.completed": ("已完成", "completed"),
    "memory.by_another": ("（本频道里别人说的）", "(said by somebody else here)"),
}
