"""Tools of an installation's own: modules named in the configuration, whose `@tool` functions join.

    tools = ["acme.balance"]     threadmate.toml

The module is found in the folder where Threadmate was started, or where Python finds packages.
"""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from core.errors import WrongConfig
from core.tools.definition import ToolMaker
from core.tools.toolbox import Toolbox

_NAME = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")


def with_own(toolbox: Toolbox, modules: Sequence[str]) -> Toolbox:
    """A copy of the toolbox with the tools of the modules in it.

    Raises WrongConfig, naming the module, for one that cannot be loaded, that holds no tool, or
    whose tool has a name that is taken.
    """
    box = toolbox.copy()
    for module in modules:
        for maker in _makers(module):
            if maker.name in box.names:
                raise WrongConfig(f"tools: {module}: the name {maker.name} is taken already")
            box.register(maker.name, replace(maker, origin=f"own:{module}"))
    return box


def _makers(module: str) -> list[ToolMaker]:
    """The tools that a module defines, in its order."""
    if not _NAME.fullmatch(module):
        raise WrongConfig(f"tools: {module!r} is no name of a Python module; e.g. acme.balance")
    here = str(Path.cwd())
    if here not in sys.path:
        # Behind everything else: no file that lies here by chance takes the place of a package.
        sys.path.append(here)
    try:
        loaded = importlib.import_module(module)
    except Exception as error:  # Somebody else's code: whatever it raises, its name helps.
        detail = f"{type(error).__name__}: {error}"
        raise WrongConfig(f"tools: {module} cannot be loaded: {detail}") from error
    found = [made for made in vars(loaded).values() if isinstance(made, ToolMaker)]
    if not found:
        raise WrongConfig(f"tools: {module} holds no function with @tool")
    return list({made.name: made for made in found}.values())
