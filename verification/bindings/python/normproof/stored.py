"""A tensor as the corpus stores it: elements in C order, bfloat16 as its 16 bits, float8 as its 8."""
import dataclasses

import numpy as np

from normproof.errors import UsageError

# How NumPy holds each dtype of the corpus.
HELD_AS = {"float64": np.float64, "float32": np.float32, "float16": np.float16, "bfloat16": np.uint16,
           "int64": np.int64, "int32": np.int32, "uint8": np.uint8, "boolean": np.bool_,
           **dict.fromkeys(("float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu"), np.uint8)}
_AT_ONCE = 1 << 24  # elements that are compared at once
_NAMES = {np.dtype(kind): name for name, kind in HELD_AS.items() if not name.startswith(("bfloat16", "float8"))}


@dataclasses.dataclass(frozen=True)
class Stored:
    dtype: str  # "float64", ..., "bfloat16", ..., "boolean"
    data: np.ndarray  # of HELD_AS[dtype]; any strides

    @property
    def shape(self):
        return self.data.shape

    def described(self):
        return f"{self.dtype} {list(self.shape)}"

    def array(self):
        """The numbers for NumPy: bfloat16 is that of ml_dtypes where it is installed, else float32."""
        if self.dtype != "bfloat16":
            return self.data
        narrow = bfloat16_of_ml_dtypes()
        return self.widened() if narrow is None else self.data.view(narrow)

    def widened(self):
        """bfloat16 as float32, float16 as it is."""
        if self.dtype != "bfloat16":
            return self.data
        return (self.data.astype(np.uint32) << 16).view(np.float32)

    def like(self, data):
        """The same dtype, other elements: what a slice, or a transposition, of `data` is."""
        return dataclasses.replace(self, data=data)


def bfloat16_of_ml_dtypes():
    """The dtype of ml_dtypes, or None where that package is not installed."""
    try:
        import ml_dtypes
    except ImportError:
        return None
    return np.dtype(ml_dtypes.bfloat16)


def from_numpy(value):
    """A NumPy array, or what NumPy makes an array of.

    Throws UsageError for a dtype that the corpus does not have, and for a masked array.
    """
    if isinstance(value, np.ma.MaskedArray):
        raise UsageError("a mask (numpy.ma), which would be lost; expected a plain array")
    value = np.asarray(value)
    if value.dtype.name == "bfloat16":  # of ml_dtypes
        return Stored("bfloat16", np.ascontiguousarray(value).view(np.uint16))
    dtype = _NAMES.get(value.dtype.newbyteorder("="))
    if dtype is None:
        raise UsageError(f"a dtype {value.dtype}; expected one of {', '.join([*_NAMES.values(), 'bfloat16'])}")
    return Stored(dtype, value.astype(value.dtype.newbyteorder("="), copy=False))


def same_bits(one, other):
    """Whether two tensors are equal bit for bit; a NaN equals every NaN."""
    if one.dtype != other.dtype or one.shape != other.shape:
        return False
    samples = one.shape[0] if one.shape else 0
    if samples > 1 and one.data.size > _AT_ONCE:  # in parts: what is between takes as much memory as they do
        step = max(1, _AT_ONCE * samples // one.data.size)
        return all(same_bits(one.like(one.data[at:at + step]), other.like(other.data[at:at + step]))
                   for at in range(0, samples, step))
    a, b = one.widened(), other.widened()
    equal = a == b
    if a.dtype.kind == "f":
        equal = (equal & (np.signbit(a) == np.signbit(b))) | ((a != a) & (b != b))
    return bool(np.all(equal))
