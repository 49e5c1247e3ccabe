"""Tensors of 8 bits in normproof.judge: their scales, and the dtype of a y of 8 bits."""
from __future__ import annotations

from typing import Any, Collection, Mapping

import numpy as np

from normproof.arguments import describe_value
from normproof.dtypes import EIGHT_BITS, FLOATS, dtype_name
from normproof.errors import UsageError
from normproof.stored import Stored

# The operations that have cases with tensors of 8 bits.
OPERATIONS = ("layer_norm", "rms_norm", "add_layer_norm", "add_rms_norm", "softmax", "silu", "swiglu", "quantize", "dequantize")
NEED_DTYPE_OF_Y, HAVE_WIDE_Y = ("quantize",), ("dequantize",)
WIDE = ("float32", "bfloat16", "float16")  # the dtypes of a y that has not 8 bits
MAY_HAVE_EIGHT_BITS = ("x", "gate", "grad_y")  # inputs that may have 8 bits, with scales
NUMBERS = {"y_scale_group": np.int64, "x_scale_group": np.int64, "gate_scale_group": np.int64, "x_scale": np.float32,
           "gate_scale": np.float32, "y_scale": np.float32, "y_scale_ub": np.float32, "y_scale_min": np.float32,
           "y_scale_power_of_two": np.bool_, "y_tensor_scale": np.float32, "x_tensor_scale": np.float32}
SCALES = tuple(NUMBERS)
DTYPE_OF_Y = "y_dtype"


def scale_names(op: str) -> tuple[str, ...]:
    """Returns the names of the scales that a case of op may have, and of the dtype of its y."""
    return (*SCALES, DTYPE_OF_Y) if op in OPERATIONS else ()


def take_dtype_of_y(op: str, given: dict[str, Any]) -> dict[str, str]:
    """Removes the dtype of y, and returns it as the option of the certification, or {} if it is not given.

    Throws UsageError for a dtype that is none, and if an output of 8 bits is named without one.
    """
    value = given.pop(DTYPE_OF_Y, None)
    if value is None:
        if op in NEED_DTYPE_OF_Y:
            raise UsageError(f"normproof.judge: {op} needs y_dtype=, which is not given; expected one of {', '.join(EIGHT_BITS)}")
        return {DTYPE_OF_Y: WIDE[0]} if op in HAVE_WIDE_Y else {}
    name = dtype_name(value)
    allowed = WIDE if op in HAVE_WIDE_Y else EIGHT_BITS
    if name not in allowed:
        raise UsageError(f"normproof.judge: y_dtype={describe_value(value)}; expected one of {', '.join(allowed)}")
    return {DTYPE_OF_Y: name}


def with_tensors(given: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the arguments with a tensor of one element in place of each scale that is a number."""
    return {name: np.array([value], NUMBERS[name]) if name in NUMBERS and type(value) in (int, float, bool) else value
            for name, value in given.items()}


def check_eight_bits(op: str, inputs: Mapping[str, Stored]) -> None:
    """Throws UsageError for a tensor of 8 bits that may not have them, or that has no scale."""
    for name, stored in inputs.items():
        if stored.dtype not in EIGHT_BITS or name in SCALES:
            continue
        if op not in OPERATIONS:
            raise UsageError(f"normproof.judge: {name} has dtype {stored.dtype}; expected one of {', '.join(FLOATS)}, as only "
                             f"{', '.join(OPERATIONS)} take tensors of 8 bits")
        if name not in MAY_HAVE_EIGHT_BITS:
            raise UsageError(f"normproof.judge: {name} has dtype {stored.dtype}; expected a floating dtype of 16 bits or more, as "
                             f"only {', '.join(MAY_HAVE_EIGHT_BITS)} may have 8 bits")
        if f"{name}_scale" not in inputs:
            raise UsageError(f"normproof.judge: {name} has dtype {stored.dtype}, and tensors of 8 bits have scales; expected "
                             f"{name}_scale=")


def are_used(inputs: Mapping[str, Stored], options: Collection[str]) -> bool:
    """Whether a tensor of the case has 8 bits: an input, or y."""
    return DTYPE_OF_Y in options or any(stored.dtype in EIGHT_BITS for stored in inputs.values())
