"""Converts a framework's dtypes to the names of the dtypes that a case may have."""
from __future__ import annotations

from typing import Any, Collection

from normproof import abi
from normproof.errors import UsageError

FLOATS = ("float64", "float32", "float16", "bfloat16")
EIGHT_BITS = ("float8_e4m3fn", "float8_e5m2", "int8", "float4_e2m1fn")  # or fewer: the dtypes of a y that has a scale
_SYNONYMS = {"double": "float64", "float": "float32", "half": "float16", "__bf16": "bfloat16",
             "float4_e2m1fn_x2": "float4_e2m1fn"}  # of torch and tinygrad


def dtype_name(dtype: Any) -> str:
    """Returns the corpus' name of a dtype of NumPy or of a framework, or of a short name such as "bf16".

    An unknown string is returned unchanged. "float" is unknown, because it is float64 in NumPy and float32 in PyTorch.
    """
    if isinstance(dtype, str):
        return abi.find_name("dtype", dtype) or dtype
    if dtype is float:
        return "float64"
    text = getattr(dtype, "__name__", None) or getattr(dtype, "name", None) or str(dtype)
    name = str(text).rpartition(".")[2]
    return _SYNONYMS.get(name, name)


def named_if_dtype(value: Any) -> Any:
    """Returns the name of a dtype of NumPy or of a framework, and any other value unchanged."""
    if isinstance(value, str) or value is None:
        return value
    name = dtype_name(value)
    return name if name in FLOATS else value


def dtype_names(dtype: Any) -> list[str]:
    """Returns the names of one dtype or of several.

    Throws UsageError if there is none, one that no case can have, or one of 8 bits beside others.
    """
    several = isinstance(dtype, (list, tuple, set, frozenset))
    names = [dtype_name(one) for one in dtype] if several else [dtype_name(dtype)]
    for name, given in zip(names, dtype if several else [dtype]):
        if name not in (*FLOATS, *EIGHT_BITS):
            raise UsageError(f"normproof: dtype={given!r}; expected one or several of {', '.join((*FLOATS, *EIGHT_BITS))}")
    if not names:
        raise UsageError(f"normproof: dtype={dtype!r} is empty; expected one or several of {', '.join(FLOATS)}")
    if has_eight_bits(names) and not set(names) <= set(EIGHT_BITS):
        raise UsageError(f"normproof: dtype={dtype!r}; expected dtypes of 8 bits, which have scales and no gradients by the "
                         "framework, in a call of their own")
    return names


def has_eight_bits(names: Collection[str]) -> bool:
    """Whether one of the dtypes has 8 bits."""
    return bool(set(names) & set(EIGHT_BITS))
