"""Tests tensors as the corpus stores them."""
import numpy as np
import pytest

from normproof import stored
from normproof.errors import UsageError


def test_bfloat16_is_widened_exactly():
    bits = np.array([0x3F80, 0xC000, 0x7FC0, 0x0001], np.uint16)
    wide = stored.Stored("bfloat16", bits).widened()
    assert wide.dtype == np.float32 and wide[0] == 1 and wide[1] == -2 and np.isnan(wide[2]) and wide[3] == 2.0**-133


def test_other_byte_orders_are_converted_and_unknown_dtypes_rejected():
    assert stored.from_numpy(np.array([1, 2], ">f4")).data.tolist() == [1, 2]
    assert stored.from_numpy(np.array([1, 2], ">f4")).dtype == "float32"
    with pytest.raises(UsageError, match="a dtype complex64; expected one of"):
        stored.from_numpy(np.zeros(1, np.complex64))


@pytest.mark.parametrize("a, b, same", [([1.0], [1.0], True), ([0.0], [-0.0], False), ([np.nan], [-np.nan], True),
                                        ([1.0], [1.0 + 2**-52], False), ([1.0], [1.0, 1.0], False)])
def test_same_bits_distinguishes_zeros_and_equates_nans(a, b, same):
    assert stored.same_bits(stored.from_numpy(np.array(a)), stored.from_numpy(np.array(b))) is same
