"""The frameworks, a file each, behind one small protocol.

A framework is a module of this package with

    NAME, DTYPES       what a report calls it, and the dtypes of the corpus that it computes in
    MOMENTUM           what its `momentum` is: "1 - running_decay", or "running_decay"
    CHANNELS_FIRST     whether channels are the axis after the samples, where a layer has channels
    is_tensor(value)   whether a value is one of its tensors
    tensor(stored, device)   a Stored as its tensor
    stored(tensor)     the reverse
    device_of(tensor)  where a tensor is, as text
    gradients(forward, leaves, grad_y)  forward(leaves) is (y, others); returns (y, others, gradients by name, or None
                       where there are none)
    stack(tensors), reshape(tensor, shape)  as NumPy has them, where there are gradients
    compiled(fn)       the same function compiled, or None where there is no compiler
    module_of(fn, ...) see torch_tensors.py; absent where there are no modules
"""
import importlib
import inspect
import sys
import types

from normproof.errors import UsageError

# The package that a user imports, and the file here.
FILES = {"torch": "torch_tensors", "jax": "jax_arrays", "tensorflow": "tensorflow_tensors", "mlx": "mlx_arrays",
         "tinygrad": "tinygrad_tensors", "numpy": "numpy_arrays", "dlpack": "dlpack_tensors"}
_BUILT_ON = {"flax": "jax", "jaxlib": "jax", "equinox": "jax", "haiku": "jax", "optax": "jax", "triton": "torch",
             "liger_kernel": "torch", "fla": "torch", "transformers": "torch", "timm": "torch", "keras": "tensorflow",
             "torchvision": "torch", "flash_attn": "torch", "apex": "torch", "pallas": "jax"}
DEEPEST = 4


def framework(name):
    """The framework of that name.

    Throws UsageError where it is unknown or not installed.
    """
    if name not in FILES:
        raise UsageError(f"normproof: framework={name!r}; expected one of {', '.join(FILES)}")
    try:
        return importlib.import_module("normproof.frameworks." + FILES[name])
    except ImportError as error:
        raise UsageError(f"normproof: framework {name!r} cannot be imported: {error}") from error


def of_name(module):
    """The framework that a module belongs to, by its name, or None."""
    top = (module or "").split(".")[0]
    return top if top in FILES else _BUILT_ON.get(top)


def of_value(value):
    """The framework whose tensor a value is, among those that are imported; "numpy" else."""
    for name in FILES:
        if name in sys.modules and name not in ("numpy", "dlpack") and framework(name).is_tensor(value):
            return name
    if hasattr(value, "__dlpack__") and not type(value).__module__.startswith("numpy"):
        return "dlpack"
    return "numpy"


def detect(fn):
    """The framework that a function or module uses, by its module and by the names that its code has.

    Throws UsageError where there are several.
    """
    if inspect.isclass(fn) or not isinstance(fn, types.FunctionType):
        for kind in (fn if inspect.isclass(fn) else type(fn)).__mro__:
            if of_name(kind.__module__):
                return of_name(kind.__module__)
        owner = getattr(fn, "__self__", None)
        for kind in owner.__mro__ if isinstance(owner, type) else ():
            if of_name(kind.__module__):
                return of_name(kind.__module__)
        if of_name(getattr(fn, "__module__", "")):
            return of_name(fn.__module__)
        fn = getattr(fn, "__func__", getattr(fn, "__wrapped__", getattr(type(fn), "__call__", fn)))
    found = set()
    _search(fn, found, set(), 0)
    others = sorted(found - {"numpy"})
    if len(others) > 1:
        raise UsageError(f"{getattr(fn, '__qualname__', fn)} uses {' and '.join(others)}; expected framework= that says "
                         "whose tensors it takes")
    return others[0] if others else "numpy"


def _search(fn, found, seen, depth):
    """Adds the frameworks of what a function's code names, and of the functions that it calls."""
    code = getattr(fn, "__code__", None)
    of_module = of_name(getattr(fn, "__module__", ""))
    if of_module:
        found.add(of_module)
    if code is None or code in seen or depth > DEEPEST or of_module:
        return
    seen.add(code)
    named, nested = set(code.co_names), [code]
    while nested:
        inner = nested.pop()
        named.update(inner.co_names)
        nested.extend(constant for constant in inner.co_consts if isinstance(constant, types.CodeType))
    values = [fn.__globals__[name] for name in sorted(named) if name in fn.__globals__]
    for cell in fn.__closure__ or ():
        try:
            values.append(cell.cell_contents)
        except ValueError:  # not assigned yet
            pass
    for value in values:
        if isinstance(value, types.ModuleType):
            name = of_name(value.__name__)
            if name:
                found.add(name)
            else:
                for attribute in named & set(vars(value)):
                    _search(vars(value)[attribute], found, seen, depth + 1)
        else:
            inner = getattr(value, "__func__", value)
            name = of_name(getattr(type(inner), "__module__", "")) or of_name(getattr(inner, "__module__", "") or "")
            if name:
                found.add(name)
            elif isinstance(inner, types.FunctionType):
                _search(inner, found, seen, depth + 1)
