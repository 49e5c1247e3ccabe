"""Tests normproof.agree: equal bits, or which of two functions is more accurate."""
import kernels
import numpy as np
import pytest

import normproof


def wide(x, gamma, beta, eps):
    return kernels.layer_norm(x.astype(np.float64), gamma, beta, eps).astype(x.dtype)


def test_a_function_agrees_with_itself_bit_for_bit():
    agreement = normproof.agree(kernels.layer_norm, kernels.layer_norm, "layer_norm")
    assert agreement and "SAME BITS" in str(agreement) and agreement.nearer == {"a": 0, "b": 0, "": 0}


def test_the_wider_computation_is_more_accurate():
    agreement = normproof.agree(kernels.layer_norm, wide, "layer_norm", only=["random*", "odd*", "offset*"])
    assert not agreement and agreement.nearer["b"] > 0 and agreement.nearer["a"] == 0
    assert "nearer the truth: a in 0" in str(agreement)
    assert all(output.error_b < 1 for output in agreement.outputs)


def test_a_wrong_function_exceeds_the_bound():
    agreement = normproof.agree(kernels.eps_outside, kernels.layer_norm, "layer_norm", only="exact*")
    assert agreement.outputs[0].error_a > 1e3 and agreement.outputs[0].nearer == "b"


def test_different_shapes_and_exceptions_are_reported_in_a_sentence():
    agreement = normproof.agree(kernels.relu, lambda x: x[:-1], "relu", only="random*")
    assert not agreement and "y is [3, 5, 6] and [2, 5, 6]; expected [3, 5, 6]" in str(agreement)
    agreement = normproof.agree(kernels.relu, lambda x: 1 / 0, "relu", only="random*")
    assert not agreement and "ZeroDivisionError" in str(agreement)


def test_a_parameter_that_one_function_lacks_is_left_out_for_both():
    agreement = normproof.agree(kernels.rms_norm, lambda x, gamma, beta, eps: kernels.rms_norm(x, gamma, eps) + beta,
                                "rms_norm", only=["random*", "odd*"])
    assert agreement and len(agreement.outputs) == 2 and agreement.outputs[0].path.startswith("own/rms_norm/")


def test_losses_are_compared():
    def loss(logits, targets):
        return np.array([(np.log(np.exp(logits).sum(-1)) - logits[np.arange(len(targets)), targets]).mean()])
    agreement = normproof.agree(loss, lambda logits, targets: loss(logits, targets)[0], "cross_entropy", only="random*",
                                dtype=np.float64)
    assert agreement and agreement.outputs[0].output == "loss"


def test_functions_without_a_common_case_are_a_usage_error():
    with pytest.raises(normproof.UsageError, match="is offered by both .*: .* takes no option eps"):
        normproof.agree(lambda x, gamma, beta: x, kernels.layer_norm, "layer_norm", only="exact*")


def test_logits_of_decoding_are_compared():
    def of_zeros(case):
        return kernels.exact(case)["logits"] * 0
    agreement = normproof.agree(lambda case: kernels.exact(case)["logits"], of_zeros, "decoding")
    assert not agreement and agreement.nearer == {"a": 1, "b": 0, "": 0} and agreement.outputs[0].output == "logits"


def test_outputs_selects_the_compared_outputs():
    def answered(case):
        return {name: kernels.exact(case)[name] for name in ("y", "mean")}

    def with_another_mean(case):
        return {"y": kernels.exact(case)["y"], "mean": kernels.exact(case)["mean"] + 1}
    assert not normproof.agree(answered, with_another_mean, "layer_norm", only="odd*")
    for outputs in ("y", ["y"]):
        agreement = normproof.agree(answered, with_another_mean, "layer_norm", only="odd*", outputs=outputs)
        assert agreement and [one.output for one in agreement.outputs] == ["y"]
    lacking = normproof.agree(answered, answered, "layer_norm", only="odd*", outputs="y,rstd")
    assert not lacking and "answered returned no rstd; expected y, rstd" in str(lacking)


def test_missing_and_unknown_outputs_are_reported_in_a_sentence():
    agreement = normproof.agree(lambda x: {"yy": x}, lambda x: {"yy": x}, "relu", only="random*")
    assert not agreement and "returned no y; expected y" in str(agreement)
    with pytest.raises(normproof.UsageError, match="unknown output 'yy'"):
        normproof.agree(kernels.relu, kernels.relu, "relu", only="random*", outputs="yy")
    with pytest.raises(normproof.UsageError, match="is offered by both .*: none has grad_head.weight"):
        normproof.agree(kernels.exact, kernels.exact, "translator", only="tied*", dtype="float64", outputs="grad_head.weight")
