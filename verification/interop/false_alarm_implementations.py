"""The implementations that verification/interop/false_alarms judges: functions of PyTorch and JAX, and formulas in NumPy."""
import dataclasses
import functools
import inspect
import os
import typing

import numpy as np

import protocol
from false_alarm_values import FOUR, NARROW, available_dtypes, numpy_dtype

NAMES = ("numpy", "torch", "jax")
# The dtype with more digits, for each dtype that has one.
WIDER = {"float32": "float64", "float16": "float32", "bfloat16": "float32"}


@dataclasses.dataclass(frozen=True)
class Implementation:
    """One implementation of one operation.

    fn          a function for normproof.judge
    dtypes      the dtypes that it computes
    framework   its framework, as normproof.judge names it
    widened     a function of fn and a dtype, which returns fn computed in a wider dtype and rounded at the end
    layout      as for normproof.judge
    uncompiled  the dtypes for which the framework cannot compile the function, whose operations then run one by one
    """
    fn: typing.Callable
    dtypes: tuple
    framework: str
    widened: typing.Callable
    layout: typing.Optional[str] = None
    uncompiled: tuple = ()


def option_of_protocol(value):
    if value is None:
        return "none"
    return value if isinstance(value, (bool, str)) else float(value)


def shape_of_operand(op, name, tensors):
    """Returns the shape of an operand that is not among the tensors, by its letters, or None if op has no such operand."""
    texts = {one["name"]: one["shape"] for one in protocol.OPERATIONS[op]["operands"]}
    if name not in texts:
        return None
    extents = {}
    for other, text in texts.items():
        letters = text.strip("[]").split(",")
        if other in tensors and len(letters) == tensors[other].ndim and all(map(str.isalpha, letters)):
            extents.update(zip(letters, tensors[other].shape))
    wanted = texts[name].strip("[]").split(",")
    if all(letter in extents for letter in wanted):
        return tuple(extents[letter] for letter in wanted)
    return tensors["x"].shape if "D" in texts[name] else tensors["x"].shape[:-1]


def numpy_twin(op, kind=None):
    """Returns a function that computes op by the formulas in NumPy.

    kind   the dtype of the computation; None for the usual one
    """
    import numpy_formulas

    def twin(case, grad_y=None):
        tensors = {name: numbers_of(stored) for name, stored in case.tensors.items()}
        dtypes = {name: stored.dtype for name, stored in case.tensors.items()}
        options = {name: option_of_protocol(value) for name, value in case.options.items()}
        forward_only = (op not in QUANTIZATION and "grad_y" not in tensors
                        and shape_of_operand(op, "grad_y", tensors) is not None)
        if forward_only:  # the formulas compute both
            for name in ("grad_y", "grad_sum") if "residual" in tensors else ("grad_y",):
                tensors[name] = np.zeros(shape_of_operand(op, name, tensors))
        make = ComputedIn if kind else protocol.Case
        asked = make(case.path, op, case.training, False, options, case.dtype, tensors, dtypes)
        if kind:
            asked.kind = kind
        protocol.check_read(asked, numpy_formulas.TAKES.get(op, ()))
        with np.errstate(all="ignore"):
            outputs = {name: in_dtype(*protocol.as_stored(asked, name, value))
                       for name, value in numpy_formulas.step(asked).items()}
        backward = ("nu",) if forward_only else ()  # a state that the backward changes
        return {name: value for name, value in outputs.items()
                if not (forward_only and name.startswith("grad_")) and name not in backward}
    return twin


class ComputedIn(protocol.Case):
    """A case that is computed in another dtype than usual."""
    kind = np.float64

    @property
    def compute_dtype(self):
        return self.kind


def in_dtype(value, dtype):
    return np.asarray(value).astype(numpy_dtype(dtype)) if dtype in (*FOUR, *NARROW, "float8_e8m0fnu") else np.asarray(value)


def numbers_of(stored):
    """Returns the numbers of a tensor, as float32 if they have at most 8 bits."""
    if stored.dtype.startswith(("float8", "float4", "int8")):
        return stored.array().astype(np.float32)
    return stored.widened()


QUANTIZATION = ("quantize", "dequantize")  # kernels compute in float32, whatever the dtype of x or y is


def numpy_implementations():
    import numpy_formulas
    dtypes = available_dtypes()
    # The dtypes of at most 8 bits are those of ml_dtypes, as bfloat16 is.
    quantization = QUANTIZATION if "bfloat16" in dtypes else ()
    return {op: Implementation(numpy_twin(op), dtypes, "numpy",
                               lambda fn, dtype, op=op: numpy_twin(op, np.longdouble if dtype == "float64" else np.float64))
            for op in protocol.OPERATIONS if op in numpy_formulas.TAKES and op not in QUANTIZATION} | {
                op: Implementation(numpy_twin(op), dtypes[1:], "numpy", lambda fn, dtype: fn) for op in quantization}


def every_argument(fn, positional, named):
    """Returns the arguments of a call by the names of fn's parameters."""
    given = inspect.signature(fn).bind(*positional, **named).arguments
    return {**{name: value for name, value in given.items() if not isinstance(value, (dict, tuple))}, **named}


def rounded_once(step, convert, wide):
    """Returns the step of an optimizer, which then computes parameters of 16 bits in a wide dtype and rounds them at the end.

    convert   a function that converts a tensor to a dtype
    """
    @functools.wraps(step)
    def computed(parameter, grad_parameter, **others):
        if not str(parameter.dtype).endswith("16"):
            return step(parameter=parameter, grad_parameter=grad_parameter, **others)
        result = step(parameter=convert(parameter, wide), grad_parameter=convert(grad_parameter, wide), **others)
        return {**result, "parameter": convert(result["parameter"], parameter.dtype)}
    return computed


def torch_widened(fn, dtype):
    """Returns fn, which then computes tensors of `dtype` in the wider one and rounds its results."""
    import torch
    narrow, wide = getattr(torch, dtype), getattr(torch, WIDER[dtype])

    def is_floating(value):
        return torch.is_tensor(value) and value.is_floating_point()

    @functools.wraps(fn)
    def computed(*positional, **named):
        given = every_argument(fn, positional, named)
        widened = fn(*[a.to(wide) if is_floating(a) else a for a in positional],
                     **{name: a.to(wide) if is_floating(a) else a for name, a in named.items()})
        if isinstance(widened, dict):
            return {name: value.to(given[name].dtype if is_floating(given.get(name)) else narrow)
                    for name, value in widened.items()}
        return widened.to(narrow)
    return computed


def torch_implementations():
    import torch
    from implementations import torch_formulas, torch_piped, torch_quantization, torch_transformers, transformer_models
    from normproof.frameworks.torch_optimizers import optimizer_step
    torch.set_num_threads(1)
    has_float16 = hasattr(torch.nn.functional, "rms_norm")  # in 1.13, norms on a CPU have no float16
    found = {}
    for piped in (*torch_piped.functions(), *torch_formulas.functions()):
        in_16_bits = protocol.OPERATIONS[piped.op]["kind"] in ("layer", "function")
        dtypes = FOUR if in_16_bits and has_float16 else piped.dtypes
        found[piped.op] = Implementation(piped.fn, dtypes, "torch", torch_widened, piped.layout)
    for op, fn in transformer_models.operations(torch_transformers.WithEveryNorm).items():
        found[op] = Implementation(fn, FOUR, "torch", torch_widened)
    if hasattr(torch, "float8_e8m0fnu"):
        for fn in (torch_quantization.quantize, torch_quantization.dequantize):
            found[fn.__name__] = Implementation(fn, FOUR[1:], "torch", lambda own, dtype: own)
    for op, kind in torch_piped.OPTIMIZERS.items():
        step = rounded_once(optimizer_step(kind, op, {}), torch.Tensor.to, torch.float32)
        found[op] = Implementation(step, FOUR, "torch", torch_widened)
    return found


def jax_widened(fn, dtype):
    """Returns fn, which then computes tensors of `dtype` in the wider one and rounds its results."""
    import jax.numpy as jnp

    @functools.wraps(fn)
    def computed(*positional, **named):
        def widen(value):
            floating = hasattr(value, "dtype") and jnp.issubdtype(value.dtype, jnp.floating)
            return value.astype(WIDER[dtype]) if floating else value
        given = every_argument(fn, positional, named)
        result = fn(*map(widen, positional), **{name: widen(value) for name, value in named.items()})
        if isinstance(result, dict):
            return {name: value.astype(getattr(given.get(name), "dtype", dtype)) for name, value in result.items()}
        return result.astype(dtype)
    return computed


def jax_implementations():
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    import jax
    import jax.numpy as jnp
    import package_adapter
    from implementations import jax_formulas, jax_piped, jax_quantization, jax_transformers
    jax.config.update("jax_enable_x64", True)
    offered = jax_piped.functions()
    alone = {**jax_formulas.BESIDE_THE_PIPE, **jax_transformers.OPERATIONS}
    offered += [package_adapter.Piped(op, fn, FOUR) for op, fn in alone.items()]
    try:
        from implementations import optax_optimizers
        for piped in optax_optimizers.functions():
            step = rounded_once(piped.fn, lambda value, dtype: value.astype(dtype), jnp.float32)
            offered.append(package_adapter.Piped(piped.op, step, FOUR))
    except ImportError:  # optax is not installed
        pass
    found = {piped.op: Implementation(piped.fn, piped.dtypes, "jax", jax_widened, piped.layout, piped.uncompiled)
             for piped in offered}
    for fn in (jax_quantization.quantize, jax_quantization.dequantize):
        found[fn.__name__] = Implementation(fn, FOUR[1:], "jax", lambda own, dtype: own)
    return found


def implementations(name):
    """Returns the implementations of a framework by operation. Throws ImportError if it is not installed."""
    return {"numpy": numpy_implementations, "torch": torch_implementations, "jax": jax_implementations}[name]()


def framework_version(name):
    import importlib
    return f"{ {'numpy': 'NumPy', 'torch': 'PyTorch', 'jax': 'JAX'}[name]} {importlib.import_module(name).__version__}"
