"""The dtypes that a case may have, by any name that a framework gives them."""
from normproof.errors import UsageError

FLOATS = ("float64", "float32", "float16", "bfloat16")
_SPELLED = {"double": "float64", "float": "float32", "half": "float16", "__bf16": "bfloat16"}  # of torch, of tinygrad


def name_of(dtype):
    """The corpus's name of one dtype: a text, or a dtype of NumPy or of a framework. Text that is none is left."""
    if isinstance(dtype, str):
        return dtype
    if dtype is float:
        return "float64"
    said = getattr(dtype, "__name__", None) or getattr(dtype, "name", None) or str(dtype)
    name = str(said).rpartition(".")[2]
    return _SPELLED.get(name, name)


def dtype_names(dtype):
    """The names of one dtype or of several.

    Throws UsageError for one that is not of a case, and where there is none.
    """
    several = isinstance(dtype, (list, tuple, set, frozenset))
    names = [name_of(one) for one in dtype] if several else [name_of(dtype)]
    for name, given in zip(names, dtype if several else [dtype]):
        if name not in FLOATS:
            raise UsageError(f"normproof: dtype={given!r}; expected one or several of {', '.join(FLOATS)}")
    if not names:
        raise UsageError(f"normproof: dtype={dtype!r} is empty; expected one or several of {', '.join(FLOATS)}")
    return names
