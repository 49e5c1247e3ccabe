"""Finds the name of an implementation for reports and for lines that repeat a call."""
from __future__ import annotations

import sys
from typing import Any

from normproof import frameworks


def title_of(fn: Any) -> str:
    """Returns the name under which users import fn, such as "torch.nn.LayerNorm", or the name of a local function."""
    name: str = getattr(fn, "__qualname__", None) or type(fn).__name__
    module: str = getattr(fn, "__module__", None) or ""
    if module in ("__main__", "builtins", "") or "<lambda>" in name or "<locals>" in name:
        return local_title(fn)
    package = module.split(".")[0]
    if package in frameworks.MODULES and package in sys.modules:
        return frameworks.framework(package).public_name(fn, module, name)
    return f"{module}.{name}"


def local_title(fn: Any) -> str:
    """Returns the name of fn without its module and without the function that defines it."""
    name: str = getattr(fn, "__qualname__", None) or type(fn).__name__
    return name.split("<locals>.")[-1]
