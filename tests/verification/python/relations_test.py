"""Relations of the call: each holds for a right function, and finds a wrong one that passes every case."""
import kernels
import numpy as np
import pytest

import normproof


def held(fn, relation, op="layer_norm", only="random*", **options):
    report = normproof.check(fn, op, relations=relation, only=only, **options)
    return report, [result.outcome for result in report.relations]


def test_all_hold_for_a_right_function():
    report, outcomes = held(kernels.layer_norm, list(normproof.RELATIONS), only="[orv]*")
    assert report and set(outcomes) == {"held", "not_applicable"} and outcomes.count("held") > 50


def ignores_strides(x, gamma, beta, eps):
    owner = x if x.base is None or x.flags.c_contiguous else x.base.ravel(order="K")
    return kernels.layer_norm(owner.ravel(order="K")[:x.size].reshape(x.shape), gamma, beta, eps)


def first_axis_is_the_rows(x, gamma, beta, eps):
    rows = x.shape[0]
    if x.ndim == 4:
        return np.broadcast_to(kernels.layer_norm(x.reshape(rows, -1)[:, :x.shape[-1]], gamma, beta, eps)[:, None, None],
                               x.shape).copy()
    return kernels.layer_norm(x, gamma, beta, eps)


def writes_before_it_reads(x, gamma, beta, eps, out=None):
    out = np.empty_like(x) if out is None else out
    out[...] = x * 0
    centred, variance = kernels.row_statistics(x)
    out[...] = gamma * (centred / np.sqrt(variance + x.dtype.type(eps))) + beta
    return out


def flat_output(x, gamma, beta, eps, out=None):
    y = kernels.layer_norm(x, gamma, beta, eps)
    if out is None:
        return y
    np.lib.stride_tricks.as_strided(out, x.shape, np.empty_like(np.ascontiguousarray(x)).strides)[...] = y
    return out


calls = []


def other_the_fourth_time(x, gamma, beta, eps):
    calls.append(x)
    return kernels.layer_norm(x, gamma, beta, eps) * x.dtype.type(1 + 2.0**-23 * (len(calls) > 3))


def by_the_number_of_samples(x, gamma, beta, eps):
    wide = x.astype(np.float64) if len(x) > 2 else x
    return kernels.layer_norm(wide, gamma, beta, eps).astype(x.dtype)


def statistics_of_the_batch(x, gamma, beta, eps):
    return kernels.layer_norm(x, gamma, beta, eps) * x.dtype.type(1 if len(x) > 1 else 1.01)


def one_sample_at_least(x, gamma, beta, eps):
    if len(x) == 0:
        raise RuntimeError("no samples")
    return kernels.layer_norm(x, gamma, beta, eps)


@pytest.mark.parametrize("relation, wrong, issue", [
    ("strides", ignores_strides, "flagos-ai/FlagGems#1068"),
    ("rank", first_axis_is_the_rows, "flagos-ai/FlagGems#5392"),
    ("aliasing", writes_before_it_reads, "ggml-org/ggml#1519"),
    ("outputs", flat_output, "pytorch/pytorch#84762"),
    ("repeat", other_the_fourth_time, "Dao-AILab/flash-attention#781"),
    ("batch", statistics_of_the_batch, "flagos-ai/FlagGems#59"),
    ("batch_bitwise", by_the_number_of_samples, "vllm-project/vllm#48391"),
    ("empty", one_sample_at_least, "tensorflow/tensorflow#46366")])
def test_wrong_function_is_found_by_its_relation_alone(relation, wrong, issue):
    calls.clear()
    assert normproof.check(wrong, "layer_norm", only="random*")
    calls.clear()
    report, outcomes = held(wrong, relation)
    assert outcomes == ["broken"] and not report
    assert f"relation {relation}: " in report.failures[0].text and issue in str(report)
    assert f"relation {relation}" in report.junit()


def test_batch_within_the_bound_is_no_promise_of_bits():
    report, outcomes = held(by_the_number_of_samples, "batch")
    assert report and outcomes == ["held"]


def test_case_that_fails_is_not_asked_relations():
    report, outcomes = held(kernels.eps_outside, "strides,rank", only="variance*")
    assert outcomes == ["declined", "declined"] and "agrees with" in report.failures[0].text


def test_relations_of_which_none_applies_are_no_pass():
    report, outcomes = held(kernels.layer_norm, "compiled")
    assert set(outcomes) == {"not_applicable"} and not report and not report.failures
    assert "NONE HELD: relations of the call: 1 not applicable; expected one or more" in str(report)
    assert "PASSED: relations" not in str(report)
    report, outcomes = held(kernels.layer_norm, "compiled,repeat")
    assert report and "PASSED: relations of the call: 1 held, 1 not applicable" in str(report)


def test_every_relation_but_one_names_a_public_issue():
    assert [name for name, relation in normproof.RELATIONS.items() if "#" not in relation.issue] == ["streams"]
