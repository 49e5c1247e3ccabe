"""Converts a framework's dtypes to the names of the dtypes that a case may have."""
from __future__ import annotations

from typing import Any

from normproof.errors import UsageError

FLOATS = ("float64", "float32", "float16", "bfloat16")
_SYNONYMS = {"double": "float64", "float": "float32", "half": "float16", "__bf16": "bfloat16"}  # of torch and tinygrad


def dtype_name(dtype: Any) -> str:
    """Returns the corpus' name of a dtype of NumPy or of a framework. A string is returned unchanged."""
    if isinstance(dtype, str):
        return dtype
    if dtype is float:
        return "float64"
    text = getattr(dtype, "__name__", None) or getattr(dtype, "name", None) or str(dtype)
    name = str(text).rpartition(".")[2]
    return _SYNONYMS.get(name, name)


def dtype_names(dtype: Any) -> list[str]:
    """Returns the names of one dtype or of several.

    Throws UsageError if there is none, or one that no case can have.
    """
    several = isinstance(dtype, (list, tuple, set, frozenset))
    names = [dtype_name(one) for one in dtype] if several else [dtype_name(dtype)]
    for name, given in zip(names, dtype if several else [dtype]):
        if name not in FLOATS:
            raise UsageError(f"normproof: dtype={given!r}; expected one or several of {', '.join(FLOATS)}")
    if not names:
        raise UsageError(f"normproof: dtype={dtype!r} is empty; expected one or several of {', '.join(FLOATS)}")
    return names
