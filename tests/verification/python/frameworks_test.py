"""Which framework a function is of, and what is not there."""
import sys
import types

import kernels
import numpy as np
import pytest

import normproof
from normproof import frameworks


def test_function_of_numpy_and_function_without_any():
    assert frameworks.detect(kernels.layer_norm) == "numpy"
    assert frameworks.detect(lambda x: x * 2) == "numpy"


def test_framework_is_found_through_the_functions_that_are_called(monkeypatch):
    torch = types.ModuleType("torch")
    monkeypatch.setitem(globals(), "torch", torch)
    monkeypatch.setitem(globals(), "inner", lambda x: torch.relu(x))
    inner = globals()["inner"]
    assert frameworks.detect(lambda x: inner(x) + 1) == "torch"


def test_two_frameworks_are_refused(monkeypatch):
    for name in ("torch", "jax"):
        monkeypatch.setitem(globals(), name, types.ModuleType(name))
    with pytest.raises(normproof.UsageError, match="uses jax and torch; expected framework="):
        frameworks.detect(lambda x: torch.relu(jax.relu(x)))  # noqa: F821


def test_framework_that_is_not_installed_is_a_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "tinygrad", None)
    monkeypatch.delitem(sys.modules, "normproof.frameworks.tinygrad_tensors", raising=False)
    with pytest.raises(normproof.UsageError, match="framework 'tinygrad' cannot be imported"):
        frameworks.framework("tinygrad")


class Tensor:
    """What has DLPack and nothing else."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_whatever_has_dlpack_answers():
    report = normproof.check(lambda x: Tensor(kernels.relu(x)), "relu", framework="dlpack", only="random*")
    assert report and "DLPack on cpu" in report.conventions
    wrong = normproof.check(lambda x: Tensor(kernels.relu(x) + np.float32(1)), "relu", framework="dlpack", only="random*")
    assert not wrong


def test_value_of_a_framework():
    assert frameworks.name_by_value(np.zeros(3)) == "numpy"
    assert frameworks.name_by_value(Tensor(np.zeros(3))) == "dlpack"
