"""Tests the names of dtypes of each framework."""
import numpy as np
import pytest

from normproof.dtypes import dtype_name, dtype_names
from normproof.errors import UsageError


class Named:
    """A dtype as tinygrad has them."""

    def __init__(self, name):
        self.name = name


@pytest.mark.parametrize("dtype, name", [
    ("bfloat16", "bfloat16"), (np.float16, "float16"), (np.dtype("f8"), "float64"), (float, "float64"),
    (Named("float"), "float32"), (Named("__bf16"), "bfloat16"), (Named("half"), "float16"), (Named("bfloat16"), "bfloat16")])
def test_one_dtype_is_recognized_by_its_framework_name(dtype, name):
    assert dtype_name(dtype) == name and dtype_names(dtype) == [name]


def test_dtypes_of_pytorch_are_recognized():
    torch = pytest.importorskip("torch")
    assert dtype_names([torch.float, torch.double, torch.half]) == ["float32", "float64", "float16"]
    assert dtype_names(torch.bfloat16) == ["bfloat16"]


@pytest.mark.parametrize("dtype", ["f33", int, np.int8, [np.float32, "int8"], (), None])
def test_an_unsupported_dtype_is_a_usage_error(dtype):
    with pytest.raises(UsageError, match="expected one or several of float64, float32, float16, bfloat16"):
        dtype_names(dtype)
