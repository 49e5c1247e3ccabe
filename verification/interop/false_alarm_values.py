"""Draws the values of the questions of verification/interop/false_alarms, in the regimes where kernels go wrong."""
import numpy as np

import numpy_attention

FOUR = ("float64", "float32", "float16", "bfloat16")
NARROW = ("float8_e4m3fn", "float8_e5m2", "int8", "float4_e2m1fn")  # of quantize and dequantize
REGIMES = ("ordinary", "ordinary", "scaled", "mixed", "offset", "constant_rows", "near_constant", "outlier", "integers",
           "signed_zeros")
DIGITS = {"float64": 52, "float32": 23, "float16": 10, "bfloat16": 7}
EXPONENTS = {"float64": (-1074, 1023), "float32": (-149, 127), "float16": (-24, 15), "bfloat16": (-133, 127)}


def numpy_dtype(name):
    """Returns the dtype of NumPy. bfloat16 and those of at most 8 bits but int8 are of ml_dtypes."""
    if name == "bfloat16" or name.startswith(("float8", "float4")):
        import ml_dtypes
        return np.dtype(getattr(ml_dtypes, name))
    return np.dtype(name)


def available_dtypes():
    """Returns the dtypes that NumPy has here: without ml_dtypes, it has no bfloat16."""
    try:
        numpy_dtype("bfloat16")
    except ImportError:
        return FOUR[:3]
    return FOUR


def largest_number(dtype):
    return float(2 - 2.0 ** -DIGITS[dtype]) * 2.0 ** EXPONENTS[dtype][1]


def round_to(values, dtype):
    """Rounds to a dtype. Numbers out of range become the largest number."""
    limit = largest_number(dtype)
    finite = np.clip(values, -limit, limit)
    return np.where(np.isfinite(values), finite, values).astype(numpy_dtype(dtype))


def has_query_without_key(tensors, options):
    """Whether a query of an attention sees no key."""
    seen = numpy_attention.keys_in_range(options, tensors["q"].shape[-2], tensors["k"].shape[-2])[None]
    if "valid" in tensors:
        seen = seen & np.asarray(tensors["valid"], bool)[:, None, :]
    seen = seen[:, None]
    if "bias" in tensors:
        seen = seen & ~np.isneginf(np.asarray(tensors["bias"], np.float64))
    return not seen.any(-1).all()


def range_traits(tensors, dtype, options):
    """Returns words about a question that explain failures: which powers of x leave the range, and rows without valid elements.

    With a residual, x is the sum of both.
    tensors   arrays by name; 16 bits are computed in float32
    """
    traits, computed = [], "float64" if dtype == "float64" else "float32"
    if "x" in tensors:
        x = np.asarray(tensors["x"], np.float64)
        with np.errstate(all="ignore"):
            x = np.abs(x + np.asarray(tensors["residual"], np.float64) if "residual" in tensors else x)
        largest = float(x[np.isfinite(x)].max(initial=0))
        smallest_normal = 2.0 ** (EXPONENTS[computed][0] + DIGITS[computed])
        if largest > np.sqrt(largest_number(computed)):
            traits.append("x:square_overflows")
        if largest > smallest_normal ** (-1 / 3):
            traits.append("x:cube_of_rstd_underflows")
    if "valid" in tensors and not np.asarray(tensors["valid"]).any(-1).all():
        traits.append("valid:empty_row")
    if "q" in tensors and has_query_without_key(tensors, options):
        traits.append("q:sees_no_key")
    return traits


def powers(generator, low, high, shape=()):
    return np.ldexp(1.0, generator.integers(low, high + 1, shape)) * generator.uniform(0.5, 1, shape)


def draw_values(generator, shape, dtype, regime):
    """Returns an array of float64 in a regime, not yet rounded."""
    x = generator.standard_normal(shape)
    low, high = EXPONENTS[dtype]
    if regime == "ordinary":
        return x * 10 ** generator.uniform(-2, 1)
    if regime == "scaled":
        return x * powers(generator, low, high - 2)
    if regime == "mixed":
        middle = generator.integers(low, high - 2)
        return np.sign(x) * powers(generator, max(low, middle - 20), min(high - 2, middle + 20), shape)
    if regime == "offset":
        return generator.choice((-1, 1)) * 10 ** generator.uniform(0, min(6, DIGITS[dtype] * 0.3)) + x
    if regime == "constant_rows":
        rows = generator.random((*shape[:-1], 1)) < 0.5
        return np.where(rows, x[..., :1], x)
    if regime == "near_constant":
        return 3 + np.rint(x) * 2.0 ** (1 - DIGITS[dtype])
    if regime == "outlier":
        x.flat[generator.integers(x.size)] = generator.choice((-1, 1)) * powers(generator, 0, min(high - 2, 20))
        return x
    if regime == "integers":
        return np.rint(x)
    return np.where(generator.random(shape) < 0.5, np.copysign(0.0, x), x)


def inject(generator, values, kinds):
    """Replaces one to three elements by the given infinities or NaN."""
    values = values.copy()
    for place in generator.integers(values.size, size=generator.integers(1, 4)):
        values.flat[place] = generator.choice(kinds)
    return values
