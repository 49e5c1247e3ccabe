"""The frameworks, one file each. base.py has the class that documents what a framework must provide."""
from __future__ import annotations

import functools
import importlib
import inspect
import sys
import types
from typing import Any, Callable

from normproof.errors import UsageError
from normproof.frameworks.base import Framework

# The package that a user imports, and the module here.
MODULES = {"torch": "torch_tensors", "jax": "jax_arrays", "tensorflow": "tensorflow_tensors", "mlx": "mlx_arrays",
           "tinygrad": "tinygrad_tensors", "numpy": "numpy_arrays", "dlpack": "dlpack_tensors"}
_BUILT_ON = {"flax": "jax", "jaxlib": "jax", "equinox": "jax", "haiku": "jax", "optax": "jax", "triton": "torch",
             "liger_kernel": "torch", "fla": "torch", "transformers": "torch", "timm": "torch", "keras": "tensorflow",
             "torchvision": "torch", "flash_attn": "torch", "apex": "torch", "pallas": "jax"}
MAX_DEPTH = 4  # of the functions that detect follows


def framework(name: str) -> Framework:
    """Returns the framework of that name.

    Throws UsageError if the name is unknown, or the framework is not installed.
    """
    if name not in MODULES:
        raise UsageError(f"normproof: framework={name!r}; expected one of {', '.join(MODULES)}")
    try:
        module = importlib.import_module("normproof.frameworks." + MODULES[name])
    except ImportError as error:
        raise UsageError(f"normproof: framework {name!r} cannot be imported: {error}") from error
    found: Framework = module.FRAMEWORK
    return found


def name_by_module(module: str | None) -> str | None:
    """Returns the name of the framework that a Python module belongs to or is built on, or None."""
    top = (module or "").split(".")[0]
    return top if top in MODULES else _BUILT_ON.get(top)


def name_by_value(value: Any) -> str:
    """Returns the name of the framework whose tensor a value is, among those imported; "numpy" if it is none of them."""
    for name in MODULES:
        if name in sys.modules and name not in ("numpy", "dlpack") and framework(name).is_tensor(value):
            return name
    if hasattr(value, "__dlpack__") and not type(value).__module__.startswith("numpy"):
        return "dlpack"
    return "numpy"


def detect(fn: Any) -> str:
    """Returns the name of the framework that a function or module uses, by its module and the names in its code.

    Throws UsageError if it uses several.
    """
    if isinstance(fn, functools.partial):
        return detect(fn.func)
    if inspect.isclass(fn) or not isinstance(fn, types.FunctionType):
        owner = getattr(fn, "__self__", None)
        classes = [*(fn if inspect.isclass(fn) else type(fn)).__mro__, *(owner.__mro__ if isinstance(owner, type) else ())]
        for module in (*(kind.__module__ for kind in classes), getattr(fn, "__module__", "")):
            name = name_by_module(module)
            if name:
                return name
    found: set[str] = set()
    seen: set[Any] = set()
    for part in _parts_of(fn):
        _search(part, found, seen, 0)
    others = sorted(found - {"numpy"})
    if len(others) > 1:
        raise UsageError(f"{getattr(fn, '__qualname__', fn)} uses {' and '.join(others)}; expected framework= that says "
                         "whose tensors it takes")
    return others[0] if others else "numpy"


def _parts_of(fn: Any) -> list[Any]:
    """Returns the functions that a call of fn may run, and the values of its attributes if it is an object of a plain class."""
    unwrapped = fn if isinstance(fn, types.FunctionType) else getattr(fn, "__func__", getattr(fn, "__wrapped__", None))
    if unwrapped is not None:
        return [unwrapped]
    own = {} if inspect.isclass(fn) else getattr(fn, "__dict__", {})
    members = [member for kind in (fn if inspect.isclass(fn) else type(fn)).__mro__ for member in vars(kind).values()]
    return [*own.values(), *(getattr(member, "__func__", getattr(member, "fget", member)) for member in members)]


def _search(fn: Any, found: set[str], seen: set[Any], depth: int) -> None:
    """Adds to `found` the frameworks that a function's code names, and those of the functions that it calls."""
    code = getattr(fn, "__code__", None)
    own = name_by_module(getattr(fn, "__module__", ""))
    if own:
        found.add(own)
    if code is None or code in seen or depth > MAX_DEPTH or own:
        return
    seen.add(code)
    named = _names_in(code)
    for value in _values_of(fn, named):
        if isinstance(value, types.ModuleType):
            name = name_by_module(value.__name__)
            if name:
                found.add(name)
            else:
                for attribute in named & set(vars(value)):
                    _search(vars(value)[attribute], found, seen, depth + 1)
        else:
            inner = getattr(value, "__func__", value)
            kinds = inner.__mro__ if isinstance(inner, type) else (type(inner), inner)
            name = next(filter(None, (name_by_module(getattr(kind, "__module__", "")) for kind in kinds)), None)
            if name:
                found.add(name)
            elif isinstance(inner, types.FunctionType):
                _search(inner, found, seen, depth + 1)


def _names_in(code: types.CodeType) -> set[str]:
    """Returns the global names in a function's code, and in the code of the functions that it defines."""
    named, nested = set(code.co_names), [code]
    while nested:
        inner = nested.pop()
        named.update(inner.co_names)
        nested.extend(constant for constant in inner.co_consts if isinstance(constant, types.CodeType))
    return named


def _values_of(fn: Callable[..., Any], named: set[str]) -> list[Any]:
    """Returns the values of a function's global names and of the variables that it closes over."""
    variables = getattr(fn, "__globals__", {})
    values = [variables[name] for name in sorted(named) if name in variables]
    for cell in getattr(fn, "__closure__", None) or ():
        try:
            values.append(cell.cell_contents)
        except ValueError:  # not assigned yet
            pass
    return values
