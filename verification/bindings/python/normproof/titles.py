"""Finds the name of an implementation for reports and for lines that repeat a call."""
from __future__ import annotations

import functools
import sys
import types
from typing import Any, Mapping

from normproof import frameworks
from normproof.errors import printable

# The compilers whose functions are recognized: the package and the name of the class of a compiled function, the name of the
# compiler, and the attribute that has the original function. PyTorch compiles to functions and to modules.
_COMPILERS = (("torch", "OptimizedModule", "torch.compile", "_orig_mod"),
              ("", "function", "torch.compile", "_torchdynamo_orig_callable"),
              ("jaxlib", "PjitFunction", "jax.jit", "__wrapped__"),
              ("tensorflow", "Function", "tf.function", "python_function"))


def title_of(fn: Any) -> str:
    """Returns the name under which users import fn, such as "torch.nn.LayerNorm", or the name of a local function.

    The title of a compiled function names the compiler, such as "torch.compile(kernels.softmax)", unless it is imported
    in its compiled form. A title is one line of printable characters.
    """
    compiled = find_original(fn)
    if compiled is not None:
        return f"{compiled[0]}({title_of(compiled[1])})"
    if isinstance(fn, functools.partial):
        return f"functools.partial({title_of(fn.func)})"
    name, module = qualified_name(fn), module_name(fn)
    if found := _builtin_title(fn):
        return found
    if module in ("__main__", "builtins", "") or "<lambda>" in name or "<locals>" in name:
        return local_title(fn)
    package = module.split(".")[0]
    if package in frameworks.MODULES and package in sys.modules:
        public = f"{package}.{name.rpartition('.')[2]}"
        return public if find_import(public) is fn else printable(frameworks.framework(package).public_name(fn, module, name))
    return printable(f"{module}.{name}")


def local_title(fn: Any) -> str:
    """Returns the name of fn without its module and without the function that defines it."""
    if isinstance(fn, functools.partial):
        return f"functools.partial({local_title(fn.func)})"
    return _builtin_title(fn) or printable(qualified_name(fn).split("<locals>.")[-1]) or type(fn).__name__


def _builtin_title(fn: Any) -> str:
    """Returns the name of a function of a framework that is not written in Python, such as "torch.rms_norm", or ""."""
    if not isinstance(fn, types.BuiltinFunctionType):
        return ""
    last = qualified_name(fn).rpartition(".")[2]
    return next((f"{package}.{last}" for package in frameworks.MODULES
                 if package in sys.modules and find_import(f"{package}.{last}") is fn), "")


def qualified_name(fn: Any) -> str:
    """Returns `__qualname__` of a function or class, or the name of the class of an object that has none."""
    return _text_attribute(fn, "__qualname__") or type(fn).__name__


def module_name(fn: Any) -> str:
    """Returns the name of the module of a function or class, or "" if it has none."""
    return _text_attribute(fn, "__module__")


def find_original(fn: Any) -> tuple[str, Any] | None:
    """Returns the name of the compiler and the original function, such as ("torch.compile", f).

    Returns None if fn is not compiled, or if it is imported in its compiled form.
    """
    kind = type(fn)
    for package, class_name, compiler, attribute in _COMPILERS:
        if kind.__name__ == class_name and kind.__module__.startswith(package):
            original = getattr(fn, attribute, None)
            if callable(original) and find_import(f"{module_name(fn)}.{qualified_name(fn)}") is not fn:
                return compiler, original
    return None


def find_import(path: str) -> Any:
    """Returns the object with a dotted name such as "torch.nn.LayerNorm" in the imported modules, or None."""
    module, _, name = path.rpartition(".")
    members: Mapping[str, Any] = getattr(sys.modules.get(module), "__dict__", {})
    return members.get(name)


def _text_attribute(fn: Any, attribute: str) -> str:
    value = getattr(fn, attribute, None)
    return value if isinstance(value, str) else ""
