"""Tests the strategies of Hypothesis: drawn inputs are valid, and a wrong layer fails."""
import kernels
import pytest

import normproof

hypothesis = pytest.importorskip("hypothesis")
from normproof import strategies  # noqa: E402

FEW = hypothesis.settings(max_examples=15, deadline=None, derandomize=True, database=None,
                          suppress_health_check=list(hypothesis.HealthCheck))


@FEW
@hypothesis.given(strategies.inputs("layer_norm"))
def test_a_correct_layer_passes_on_every_drawn_input(given):
    assert normproof.judge(kernels.layer_norm, "layer_norm", threads=1, outputs="y", **given)


def test_a_wrong_layer_fails_on_some_drawn_input():
    @FEW
    @hypothesis.given(strategies.inputs("layer_norm"))
    def holds(given):
        assert normproof.judge(kernels.eps_outside, "layer_norm", threads=1, outputs="y", **given)
    with pytest.raises(AssertionError):
        holds()


@pytest.mark.parametrize("op", ["group_norm", "batch_norm", "rms_norm", "scale_norm"])
def test_drawn_inputs_are_valid_for_their_operation(op):
    @hypothesis.settings(FEW, max_examples=3)
    @hypothesis.given(strategies.inputs(op, dtype="float64"))
    def fits(given):
        def answers_nothing(x):
            raise normproof.NotOffered("nothing")
        assert normproof.judge(answers_nothing, op, threads=1, **given).declined
    fits()


@FEW
@hypothesis.given(strategies.inputs("rms_norm", affine="gamma"))
def test_affine_selects_the_drawn_parameters(given):
    assert "gamma" in given and normproof.judge(kernels.rms_norm, "rms_norm", threads=1, outputs="y", **given)


def test_an_invalid_argument_is_rejected_in_one_sentence():
    for arguments in ({"op": "relu"}, {"op": "layer_norm", "dtype": "bfloat16"}, {"op": "rms_norm", "affine": ["shift"]}):
        with pytest.raises(normproof.UsageError, match="normproof.strategies"):
            strategies.inputs(**arguments).example()
