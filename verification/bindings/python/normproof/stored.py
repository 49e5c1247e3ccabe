"""A tensor as the corpus stores it: elements in C order, bfloat16 as its 16 bits, float8 as its 8, float4 as a byte."""
from __future__ import annotations

import dataclasses
from typing import Any, Iterable

import numpy as np
import numpy.typing as npt

from normproof.errors import UsageError

Array = npt.NDArray[Any]

# The NumPy dtype that holds each dtype of the corpus.
NUMPY_DTYPES: dict[str, Any] = {
    "float64": np.float64, "float32": np.float32, "float16": np.float16, "bfloat16": np.uint16,
    "int64": np.int64, "int32": np.int32, "uint8": np.uint8, "boolean": np.bool_, "int8": np.int8,
    **dict.fromkeys(("float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu", "float4_e2m1fn"), np.uint8)}
# The dtypes that NumPy has from ml_dtypes alone, and the bits of a NaN, or of the largest number if there is no NaN.
ML_DTYPES = ("bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu", "float4_e2m1fn")
_NAN_BITS = dict(zip(ML_DTYPES, (0x7FFF, 0x7F, 0x7F, 0xFF, 0x7)))
_MAX_COMPARED = 1 << 24  # elements that are compared at once
_NAMES: dict[Any, str] = {np.dtype(kind): name for name, kind in NUMPY_DTYPES.items()
                          if name not in ML_DTYPES}


@dataclasses.dataclass(frozen=True)
class Stored:
    """A tensor. `dtype` is a name of the corpus; `data` has the dtype NUMPY_DTYPES[dtype] and any strides."""
    dtype: str
    data: Array

    @property
    def shape(self) -> tuple[int, ...]:
        return self.data.shape

    def array(self) -> Array:
        """Returns the numbers for NumPy. bfloat16 uses ml_dtypes if it is installed, float32 if not; 8 bits need ml_dtypes."""
        if self.dtype not in ML_DTYPES:
            return self.data
        narrow = find_ml_dtype(self.dtype)
        return self.widened() if narrow is None else self.data.view(narrow)

    def widened(self) -> Array:
        """Returns bfloat16 as float32, and every other dtype unchanged."""
        if self.dtype != "bfloat16":
            return self.data
        return (self.data.astype(np.uint32) << 16).view(np.float32)

    def like(self, data: Array) -> Stored:
        """Returns a tensor of the same dtype with other elements, such as a slice or a transposition."""
        return dataclasses.replace(self, data=data)


def find_ml_dtype(name: str) -> Any:
    """Returns a dtype of ml_dtypes, or None if that package is not installed or does not have it."""
    try:
        import ml_dtypes
    except ImportError:
        return None
    kind = getattr(ml_dtypes, name, None)
    return None if kind is None else np.dtype(kind)


def available_ml_dtypes(names: Iterable[str]) -> tuple[str, ...]:
    """Returns those of the dtypes that ml_dtypes has here."""
    return tuple(name for name in names if find_ml_dtype(name) is not None)


def full_of_nan(dtype: str, shape: tuple[int, ...]) -> Stored:
    """Returns a tensor whose elements are NaN, or the largest number if the dtype has no NaN."""
    if dtype in _NAN_BITS:
        return Stored(dtype, np.full(shape, _NAN_BITS[dtype], NUMPY_DTYPES[dtype]))
    kind = np.dtype(NUMPY_DTYPES[dtype])
    return Stored(dtype, np.full(shape, np.nan if kind.kind == "f" else True if kind.kind == "b" else np.iinfo(kind).max, kind))


# The bits of a NaN that no arithmetic makes, by the bytes of an element.
_UNWRITTEN_BITS = {"bfloat16": 0x7FDA, "float16": 0x7E5A, "float32": 0x7FC0DA7A, "float64": 0x7FF80000DA7ADA7A}


def unwritten(dtype: str, shape: tuple[int, ...]) -> Stored:
    """Returns a tensor of NaN that is_unwritten recognizes. In other dtypes it is that of full_of_nan."""
    if dtype not in _UNWRITTEN_BITS:
        return full_of_nan(dtype, shape)
    kind = np.dtype(NUMPY_DTYPES[dtype])
    return Stored(dtype, np.full(shape, _UNWRITTEN_BITS[dtype], f"u{kind.itemsize}").view(kind))


def is_unwritten(stored: Stored) -> bool:
    """Whether every element still has the bits that `unwritten` gave it."""
    if stored.dtype not in _UNWRITTEN_BITS or not stored.data.size:
        return False
    data = np.ascontiguousarray(stored.data)
    return bool(np.all(data.view(f"u{data.dtype.itemsize}") == _UNWRITTEN_BITS[stored.dtype]))


def pack_halves(codes: Array) -> Array:
    """Returns elements of 4 bits two to a byte along the last axis, the first one in the lower half.

    Throws ValueError if the last extent is odd.
    """
    if not codes.ndim or codes.shape[-1] % 2:
        raise ValueError(f"shape {[*codes.shape]}; expected an even last extent, as a byte holds two elements of 4 bits")
    packed: Array = codes[..., ::2] | codes[..., 1::2] << 4
    return packed


def unpack_halves(packed: Array) -> Array:
    """Returns the elements of 4 bits of bytes that hold two each, the first one in the lower half."""
    codes: Array = np.stack((packed & 15, packed >> 4), -1)
    return codes.reshape((*packed.shape[:-1], -1) if packed.ndim else (2,))


def read_bytes_as(stored: Stored, dtype: str, shape: tuple[int, ...] | None) -> Stored:
    """Returns bytes as numbers of a dtype of at most 8 bits: float8 of the same shape, or float4, two to a byte.

    Many kernels return such tensors as uint8. Anything else is returned unchanged.
    """
    if stored.dtype != "uint8" or dtype not in ML_DTYPES[1:]:
        return stored
    if dtype != "float4_e2m1fn":
        return Stored(dtype, stored.data) if stored.shape == shape else stored
    is_packed = bool(stored.shape) and shape == (*stored.shape[:-1], 2 * stored.shape[-1])
    return Stored(dtype, unpack_halves(stored.data)) if is_packed else stored


def from_numpy(value: Any) -> Stored:
    """Stores a NumPy array, or anything that NumPy converts to an array.

    Throws UsageError for a dtype that the corpus does not have, and for a masked array.
    """
    if isinstance(value, np.ma.MaskedArray):
        raise UsageError("a mask (numpy.ma), which would be lost; expected a plain array")
    array: Array = np.asarray(value)
    if array.dtype.name in ML_DTYPES:
        return Stored(array.dtype.name, np.ascontiguousarray(array).view(NUMPY_DTYPES[array.dtype.name]))
    dtype = _NAMES.get(array.dtype.newbyteorder("="))
    if dtype is None:
        raise UsageError(f"a dtype {array.dtype}; expected one of {', '.join([*_NAMES.values(), *ML_DTYPES])}")
    return Stored(dtype, array.astype(array.dtype.newbyteorder("="), copy=False))


def _have_same_bytes(one: Array, other: Array) -> bool:
    """Whether two arrays of one dtype and shape have the same bytes. False also if an array is not in C order."""
    if not (one.flags.c_contiguous and other.flags.c_contiguous) or one.itemsize > 8:
        return False
    bits = np.dtype(f"u{one.itemsize}")
    return bool(np.array_equal(one.reshape(-1).view(bits), other.reshape(-1).view(bits)))


def same_bits(one: Stored, other: Stored) -> bool:
    """Whether two tensors are equal bit for bit. A NaN equals every NaN."""
    if one.dtype != other.dtype or one.shape != other.shape:
        return False
    samples = one.shape[0] if one.shape else 0
    if samples > 1 and one.data.size > _MAX_COMPARED:  # in parts, as intermediates are as large as the tensors
        step = max(1, _MAX_COMPARED * samples // one.data.size)
        return all(same_bits(one.like(one.data[at:at + step]), other.like(other.data[at:at + step]))
                   for at in range(0, samples, step))
    if _have_same_bytes(one.data, other.data):
        return True
    a, b = one.widened(), other.widened()
    equal = a == b
    if a.dtype.kind == "f":
        equal = (equal & (np.signbit(a) == np.signbit(b))) | ((a != a) & (b != b))
    return bool(np.all(equal))
