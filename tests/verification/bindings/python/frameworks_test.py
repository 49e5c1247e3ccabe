"""Tests how the framework of a function is detected, and frameworks that are not installed."""
import sys
import types

import kernels
import numpy as np
import pytest

import normproof
from normproof import frameworks


def test_a_function_without_a_framework_is_one_of_numpy():
    assert frameworks.detect(kernels.layer_norm) == "numpy"
    assert frameworks.detect(lambda x: x * 2) == "numpy"


def test_a_framework_is_detected_through_called_functions(monkeypatch):
    torch = types.ModuleType("torch")
    monkeypatch.setitem(globals(), "torch", torch)
    monkeypatch.setitem(globals(), "inner", lambda x: torch.relu(x))
    inner = globals()["inner"]
    assert frameworks.detect(lambda x: inner(x) + 1) == "torch"


def test_a_framework_is_detected_in_the_methods_and_attributes_of_a_class(monkeypatch):
    torch = types.ModuleType("torch")
    monkeypatch.setitem(globals(), "torch", torch)

    class Layer:
        def __init__(self, features):
            self.features = features

        def __call__(self, x):
            return self.forward(x)

        def forward(self, x):
            return torch.relu(x)

    class Kept:
        def __init__(self, kernel):
            self.kernel = kernel

        def __call__(self, x):
            return self.kernel(x)

    assert frameworks.detect(Layer) == frameworks.detect(Layer(3)) == frameworks.detect(Layer(3).forward) == "torch"
    assert frameworks.detect(Kept(lambda x: torch.relu(x))) == frameworks.detect(Kept(Layer(3).forward)) == "torch"
    assert frameworks.detect(Kept) == frameworks.detect(Kept(np.abs)) == "numpy"


def test_a_function_that_uses_two_frameworks_is_rejected(monkeypatch):
    for name in ("torch", "jax"):
        monkeypatch.setitem(globals(), name, types.ModuleType(name))
    with pytest.raises(normproof.UsageError, match="uses jax and torch; expected framework="):
        frameworks.detect(lambda x: torch.relu(jax.relu(x)))  # noqa: F821


def test_a_framework_that_is_not_installed_is_rejected_in_a_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "tinygrad", None)
    monkeypatch.delitem(sys.modules, "normproof.frameworks.tinygrad_tensors", raising=False)
    with pytest.raises(normproof.UsageError, match="framework 'tinygrad' cannot be imported"):
        frameworks.framework("tinygrad")


class Tensor:
    """A tensor with DLPack and nothing else."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_any_dlpack_tensor_may_be_returned():
    report = normproof.check(lambda x: Tensor(kernels.relu(x)), "relu", framework="dlpack", only="random*")
    assert report and "DLPack on cpu" in report.conventions
    wrong = normproof.check(lambda x: Tensor(kernels.relu(x) + np.float32(1)), "relu", framework="dlpack", only="random*")
    assert not wrong


def test_the_framework_of_a_tensor_is_recognized():
    assert frameworks.name_by_value(np.zeros(3)) == "numpy"
    assert frameworks.name_by_value(Tensor(np.zeros(3))) == "dlpack"
