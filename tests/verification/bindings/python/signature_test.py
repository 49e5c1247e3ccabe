"""Tests how parameters are recognized: by name, by position and by a mapping."""
import kernels
import numpy as np
import pytest

import normproof
from normproof import names
from normproof.invocation import prepare_invocation
from normproof.signature import Constant

KNOWN = {"x", "gamma", "beta", "grad_y", "valid", "eps"}


def bound(fn, **options):
    signature = prepare_invocation(fn, "layer_norm", KNOWN, **options).signature
    return {argument.parameter: argument.source for argument in signature.arguments}


def test_parameters_are_recognized_by_the_names_of_frameworks():
    def fn(hidden_states, normalized_shape, weight, bias, epsilon):
        return hidden_states
    assert bound(fn) == {"hidden_states": "x", "normalized_shape": "normalized_shape", "weight": "gamma", "bias": "beta",
                         "epsilon": "eps"}


def test_a_first_parameter_with_an_unknown_name_is_x():
    assert bound(lambda rows, gamma, beta, eps: rows)["rows"] == "x"


def test_an_unknown_parameter_with_a_default_is_ignored():
    assert "block_size" not in bound(lambda x, block_size=128: x)


def test_arguments_may_be_names_constants_and_functions():
    given = bound(lambda x, p, q, r: x, arguments={"p": "gamma", "q": -1, "r": lambda case: case.dtype})
    assert given["p"] == "gamma" and given["q"] == Constant(-1) and callable(given["r"])


def test_a_function_without_a_signature_needs_the_order_of_its_arguments():
    with pytest.raises(normproof.UsageError, match="has no signature; expected arguments="):
        prepare_invocation(max, "layer_norm", KNOWN)
    assert bound(max, arguments=["x", "gamma"]) == {"x": "x", "gamma": "gamma"}


def test_an_optional_parameter_of_a_tensor_that_is_passed_already_keeps_its_default():
    def kernel(x, weight, bias, eps, scale=1, g=None):
        assert scale == 1 and g is None
        return kernels.layer_norm(x, weight, bias, eps)
    assert normproof.check(kernel, "layer_norm", only="random*")


def test_a_wrong_mapping_of_arguments_fails():
    def positional(a, b, c, d, /):
        return kernels.layer_norm(a, b, c, d)
    mapping = {"a": "x", "b": "gamma", "c": "beta", "d": "eps"}
    assert normproof.check(positional, "layer_norm", arguments=mapping, only="[or]*")
    swapped = {**mapping, "b": "beta", "c": "gamma"}
    assert not normproof.check(positional, "layer_norm", arguments=swapped, only="random*")


def test_a_function_may_return_a_mapping_of_outputs():
    assert normproof.check(lambda x, gamma, beta, eps: {"y": kernels.layer_norm(x, gamma, beta, eps)}, "layer_norm",
                           only="random*")


def test_a_letter_with_a_number_is_no_tensor():
    def rms_norm(x, gamma, eps, B=128):
        assert B == 128
        return kernels.rms_norm(x, gamma, eps)
    assert normproof.check(rms_norm, "rms_norm", only=["random*", "odd*"])


def test_a_letter_beside_the_name_that_it_is_short_for_is_unknown():
    with pytest.raises(normproof.UsageError, match="its argument 'G' is none that layer_norm is known to have; expected one of"):
        normproof.check(lambda x, gamma, beta, G: x, "layer_norm")
    report = normproof.check(lambda x, gamma, beta, G: x, "group_norm", only="random*")
    assert "G is groups" in report.conventions


def test_a_list_of_numbers_is_no_array():
    report = normproof.check(lambda x: kernels.relu(x).tolist(), "relu", only="odd*")
    assert not report and "returned a list of numbers; expected an array" in str(report)


def test_a_named_gradient_that_nothing_computes_asks_for_a_backward():
    report = normproof.check(kernels.layer_norm, "layer_norm", outputs="y,grad_x", only="random*")
    assert not report and "returned no grad_x, and NumPy" in str(report) and "expected backward=" in str(report)


def test_dim_means_features_in_constructors_and_an_axis_in_functions():
    assert names.meaning("dim", KNOWN) == "last_axis" and names.meaning("dim", KNOWN, constructor=True) == "features"
    assert names.meaning("bias", KNOWN) == "beta"


def test_zero_centred_gamma_is_passed_or_declined():
    def rms_norm(x, gamma, beta, eps, zero_centered_gamma=False):
        y = kernels.rms_norm(x, 1 + gamma if zero_centered_gamma else gamma, eps)
        return y if beta is None else y + beta
    report = normproof.check(rms_norm, "rms_norm", only="zero_centred_gamma*")
    assert report and report.results[0].passed, str(report)
    declined = normproof.check(kernels.rms_norm, "rms_norm", only="zero_centred_gamma*")
    assert "takes no option zero_centred_gamma" in str(declined.declined[0])


def test_images_are_declined_unless_the_layout_is_known():
    def group_norm(x, groups, gamma, beta, eps):
        raise AssertionError("it is asked")
    report = normproof.check(group_norm, "group_norm", only="channels_*")
    assert len(report.declined) == len(report.results) and "takes no option layout" in str(report.declined[0])


def test_channels_first_moves_the_channels_of_x_and_y():
    def group_norm(x, groups, gamma, beta, eps):
        shape = x.shape
        with np.errstate(all="ignore"):
            rows = x.reshape(shape[0], int(groups), -1)
            centered, variance = kernels.row_statistics(rows)
            x_hat = (centered / np.sqrt(variance + x.dtype.type(eps))).reshape(shape)
        column = (1, -1) + (1,) * (x.ndim - 2)
        return x_hat * gamma.reshape(column) + beta.reshape(column)
    report = normproof.check(group_norm, "group_norm", layout="channels_first", only=["random*", "odd*", "offset_1e2*"])
    assert report and "channels are the axis after the samples" in report.conventions
    report = normproof.check(group_norm, "group_norm", only="random*")
    assert report and "x has the axes [N,C,H,W] in every case" in report.conventions
