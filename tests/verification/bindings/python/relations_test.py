"""Tests the relations of a call: they hold for a correct function, and each finds a bug that passes every case."""
import contextlib
import re

import kernels
import numpy as np
import pytest

import normproof
from normproof.frameworks import numpy_arrays


def check(fn, relation, op="layer_norm", only="random*", **options):
    report = normproof.check(fn, op, relations=relation, only=only, **options)
    return report, [result.outcome for result in report.relations]


def test_all_relations_hold_for_a_correct_function():
    report, outcomes = check(kernels.layer_norm, list(normproof.RELATIONS), only="[orv]*")
    assert report and set(outcomes) == {"held", "not_applicable"} and outcomes.count("held") > 50


def ignores_strides(x, gamma, beta, eps):
    owner = x if x.base is None or x.flags.c_contiguous else x.base.ravel(order="K")
    return kernels.layer_norm(owner.ravel(order="K")[:x.size].reshape(x.shape), gamma, beta, eps)


def flattens_all_but_the_first_axis(x, gamma, beta, eps):
    rows = x.shape[0]
    if x.ndim == 4:
        return np.broadcast_to(kernels.layer_norm(x.reshape(rows, -1)[:, :x.shape[-1]], gamma, beta, eps)[:, None, None],
                               x.shape).copy()
    return kernels.layer_norm(x, gamma, beta, eps)


def writes_before_it_reads(x, gamma, beta, eps, out=None):
    out = np.empty_like(x) if out is None else out
    out[...] = x * 0
    centered, variance = kernels.row_statistics(x)
    out[...] = gamma * (centered / np.sqrt(variance + x.dtype.type(eps))) + beta
    return out


def flat_output(x, gamma, beta, eps, out=None):
    y = kernels.layer_norm(x, gamma, beta, eps)
    if out is None:
        return y
    np.lib.stride_tricks.as_strided(out, x.shape, np.empty_like(np.ascontiguousarray(x)).strides)[...] = y
    return out


calls = []


def differs_from_the_fourth_call(x, gamma, beta, eps):
    calls.append(x)
    return kernels.layer_norm(x, gamma, beta, eps) * x.dtype.type(1 + 2.0**-23 * (len(calls) > 3))


def depends_on_the_number_of_samples(x, gamma, beta, eps):
    wide = x.astype(np.float64) if len(x) > 2 else x
    return kernels.layer_norm(wide, gamma, beta, eps).astype(x.dtype)


def statistics_of_the_batch(x, gamma, beta, eps):
    return kernels.layer_norm(x, gamma, beta, eps) * x.dtype.type(1 if len(x) > 1 else 1.01)


def needs_one_sample(x, gamma, beta, eps):
    if len(x) == 0:
        raise RuntimeError("no samples")
    return kernels.layer_norm(x, gamma, beta, eps)


@pytest.mark.parametrize("relation, wrong, issue", [
    ("strides", ignores_strides, "flagos-ai/FlagGems#1068"),
    ("rank", flattens_all_but_the_first_axis, "flagos-ai/FlagGems#5392"),
    ("aliasing", writes_before_it_reads, "ggml-org/ggml#1519"),
    ("outputs", flat_output, "pytorch/pytorch#84762"),
    ("repeat", differs_from_the_fourth_call, "Dao-AILab/flash-attention#781"),
    ("batch", statistics_of_the_batch, "flagos-ai/FlagGems#59"),
    ("batch_bitwise", depends_on_the_number_of_samples, "vllm-project/vllm#48391"),
    ("empty", needs_one_sample, "tensorflow/tensorflow#46366")])
def test_a_bug_that_passes_every_case_breaks_its_relation(relation, wrong, issue):
    calls.clear()
    assert normproof.check(wrong, "layer_norm", only="random*")
    calls.clear()
    report, outcomes = check(wrong, relation)
    assert outcomes == ["broken"] and not report
    assert f"relation {relation}: " in report.failures[0].text and issue in str(report)
    assert f"relation {relation}" in report.junit()


def remembers_statistics(key):
    """Returns a layer norm that computes the statistics of x once for each key(x)."""
    known = {}

    def layer_norm(x, gamma, beta, eps):
        place = x.shape, key(x)
        if place not in known:
            centered, variance = kernels.row_statistics(x)
            known[place] = x - centered, variance
        mean, variance = known[place]
        with np.errstate(all="ignore"):
            return gamma * ((x - mean) / np.sqrt(variance + x.dtype.type(eps))) + beta
    return layer_norm


CACHE_KEYS = {"shape": lambda x: 0, "first_element": lambda x: float(x.flat[0]), "address": lambda x: x.ctypes.data,
              "identity": id}


@pytest.mark.parametrize("key", CACHE_KEYS.values(), ids=CACHE_KEYS)
@pytest.mark.parametrize("relations", [(), "rank", "new_numbers"])
def test_a_result_of_an_earlier_call_is_found(key, relations):
    for only in ("random*", "odd*"):
        report = normproof.check(remembers_statistics(key), "layer_norm", only=only, relations=relations)
        assert not report and "after a call of the same shape with other numbers: y at " in str(report)
    assert not normproof.check(remembers_statistics(key), "layer_norm", relations=relations)


def test_a_cache_whose_key_is_the_whole_input_is_right():
    def whole(x):
        return x.tobytes()
    report, outcomes = check(remembers_statistics(whole), "new_numbers", only=None)
    assert report and not report.failures and outcomes.count("held") > 40 and "broken" not in outcomes


def test_one_case_is_called_again_if_no_relation_is_requested():
    seen = []

    def layer_norm(x, gamma, beta, eps):
        seen.append((id(x), x.copy()))
        return kernels.layer_norm(x, gamma, beta, eps)
    report = normproof.check(layer_norm, "layer_norm", only=["random*", "odd*"])
    assert report and not report.relations and "relation" not in str(report)
    assert len(seen) == len(report.results) + 2 and seen[-1][0] == seen[-2][0]
    assert seen[-1][1].flat[0] == seen[-2][1].flat[0] and not np.array_equal(seen[-1][1], seen[-2][1])


def batch_norm_with_statistics_of_the_first_call():
    known = {}

    def batch_norm(x, gamma, beta, running_mean, running_variance, eps, training):
        if not training:
            mean, variance = running_mean, running_variance
        else:
            axes = tuple(range(x.ndim - 1))
            mean, variance = known.setdefault(x.shape, (x.mean(axes), x.var(axes)))
        with np.errstate(all="ignore"):
            return gamma * ((x - mean) / np.sqrt(variance + x.dtype.type(eps))) + beta
    return batch_norm


def scaled_by_the_first_call():
    known = {}
    return lambda x: np.maximum(x, 0) * (known.setdefault(x.shape, x.ravel()[-1]) == x.ravel()[-1])


def loss_of_the_first_call():
    known = {}

    def cross_entropy(logits, targets):
        shares = np.exp(logits - logits.max(-1, keepdims=True))
        losses = -np.log(shares / shares.sum(-1, keepdims=True))[np.arange(len(logits)), targets]
        return known.setdefault(logits.shape, losses.mean(keepdims=True))
    return cross_entropy


def scores_of_the_first_call():
    known = {}

    def stale(q, k, v, causal):
        return attention(known.setdefault(q.shape, q.copy()), k, v, causal)
    return stale


@pytest.mark.parametrize("make, op", [(batch_norm_with_statistics_of_the_first_call, "batch_norm"),
                                      (scaled_by_the_first_call, "relu"), (loss_of_the_first_call, "cross_entropy"),
                                      (scores_of_the_first_call, "attention")])
def test_results_of_an_earlier_call_are_found_in_every_kind_of_operation(make, op):
    report = normproof.check(make(), op, only=["odd*", "random*"], relations="new_numbers")
    assert "broken" in [result.outcome for result in report.relations] and not report


def folded_layer_norm(x, gamma, beta, eps):
    scale = 1 / np.sqrt(kernels.row_statistics(x)[1] + x.dtype.type(eps))
    return gamma * (x * scale - x.mean(-1, keepdims=True) * scale) + beta


def flushes_subnormals(x):
    return np.where(np.abs(x) < np.finfo(x.dtype).tiny, 0, np.maximum(x, 0)).astype(x.dtype)


@pytest.mark.parametrize("relation", ["strides", "rank", "batch", "new_numbers"])
def test_relations_have_the_tolerance_of_the_cases(relation):
    assert normproof.check(flushes_subnormals, "relu", flush_subnormals=True)
    assert normproof.check(flushes_subnormals, "relu", flush_subnormals=True, relations=relation)
    report = normproof.check(folded_layer_norm, "layer_norm", only="one_feature*", formula="folded", relations=relation)
    assert not report.failures and all(result.outcome != "broken" for result in report.relations)


@pytest.mark.parametrize("relation", ["strides", "rank", "new_numbers"])
def test_a_relation_does_not_require_gradients_that_the_case_does_not_have(relation):
    def layer_norm(x, gamma, beta, eps, grad_y):
        grad_x = kernels.layer_norm_backward(grad_y, x, gamma, beta, eps)[0]
        return {"y": kernels.layer_norm(x, gamma, beta, eps), "grad_x": grad_x}
    named = "y,grad_x,grad_gamma,grad_beta"
    assert check(layer_norm, relation, only="no_affine*", outputs=named)[1] == ["held"]


def test_batch_allows_other_bits_within_the_bound():
    report, outcomes = check(depends_on_the_number_of_samples, "batch")
    assert report and outcomes == ["held"]


def test_relations_are_not_checked_on_a_failing_case():
    report, outcomes = check(kernels.eps_outside, "strides,rank", only="variance*")
    assert outcomes == ["declined", "declined"] and "agrees with" in report.failures[0].text


def test_a_report_fails_if_no_relation_applies():
    report, outcomes = check(kernels.layer_norm, "compiled")
    assert set(outcomes) == {"not_applicable"} and not report and not report.failures
    assert "NONE HELD: relations of the call: 1 not applicable; expected one or more" in str(report)
    assert "PASSED: relations" not in str(report)
    report, outcomes = check(kernels.layer_norm, "compiled,repeat")
    assert report and "PASSED: relations of the call: 1 held, 1 not applicable" in str(report)


def test_every_relation_names_a_public_issue():
    assert all(re.match(r"[\w.-]+/[\w.-]+#\d+", relation.issue) for relation in normproof.RELATIONS.values())


def attention(q, k, v, causal, scale=None):
    scores = q @ k.swapaxes(-1, -2) * q.dtype.type(1 / np.sqrt(q.shape[-1]) if scale is None else scale)
    if causal:
        scores = np.where(np.tri(*scores.shape[-2:], scores.shape[-1] - scores.shape[-2], dtype=bool), scores,
                          q.dtype.type(-np.inf))
    shares = np.exp(scores - scores.max(-1, keepdims=True))
    return shares / shares.sum(-1, keepdims=True) @ v


def as_in_memory(value):
    return np.ravel(value, order="K").reshape(value.shape)


def ignores_strides_of_the_keys(q, k, v, causal):
    return attention(q, as_in_memory(k), v, causal)


def ignores_strides_of_the_residual(x, residual, gamma, eps):
    total = x + as_in_memory(residual)
    return kernels.rms_norm(total, gamma, eps), total


@pytest.mark.parametrize("op, wrong", [("attention", ignores_strides_of_the_keys),
                                       ("add_rms_norm", ignores_strides_of_the_residual)])
def test_strides_changes_the_layout_of_every_input(op, wrong):
    assert normproof.check(wrong, op, only="odd*")
    report, outcomes = check(wrong, "strides", op, only="odd*")
    assert "broken" in outcomes and "relation strides: inputs that are transposed: " in report.failures[0].text


def test_relations_apply_to_sums_before_a_norm():
    def add_rms_norm(x, residual, gamma, eps):
        total = x + residual
        return kernels.rms_norm(total, gamma, eps), total

    def first_residual_of_two(x, residual, gamma, eps):
        return add_rms_norm(x, residual if len(x) > 1 else residual * x.dtype.type(1.01), gamma, eps)
    report, outcomes = check(add_rms_norm, "batch,batch_bitwise,rank,empty", "add_rms_norm")
    assert report and set(outcomes) == {"held"}
    assert normproof.check(first_residual_of_two, "add_rms_norm", only="random*")
    report, outcomes = check(first_residual_of_two, "batch", "add_rms_norm")
    assert outcomes == ["broken"] and "samples split at 1: sum at [0, " in report.failures[0].text


def attention_of_the_batch(q, k, v, causal):
    return attention(q, k, v, causal) * q.dtype.type(1 if len(q) > 1 else 1.01)


def attention_needs_one_sample(q, k, v, causal):
    if len(q) == 0:
        raise RuntimeError("no samples")
    return attention(q, k, v, causal)


def test_samples_of_attention_are_split_and_emptied():
    report, outcomes = check(attention, "batch,batch_bitwise,empty", "attention", only=["random-*", "odd*", "causal_more*"])
    assert report and set(outcomes) == {"held"} and len(outcomes) == 9, str(report)
    for relation, wrong, said in (("batch", attention_of_the_batch, "samples split at 1: y at [0, "),
                                  ("batch_bitwise", attention_of_the_batch, "samples split at 1: y at [0, 0, 0, 0] has other"),
                                  ("empty", attention_needs_one_sample, "no samples")):
        assert normproof.check(wrong, "attention", only="random-*")
        report, outcomes = check(wrong, relation, "attention", only="random-*")
        assert outcomes == ["broken"] and said in report.failures[0].text


def rope(x, cos, sin, interleaved):
    pairs = cos.shape[-1]
    first, second = ((slice(0, 2 * pairs, 2), slice(1, 2 * pairs, 2)) if interleaved else
                     (slice(0, pairs), slice(pairs, 2 * pairs)))
    y = x.copy()
    y[..., first] = x[..., first] * cos - x[..., second] * sin
    y[..., second] = x[..., second] * cos + x[..., first] * sin
    return y


def rope_of_the_first_sample(x, cos, sin, interleaved):
    return rope(x, cos * x.dtype.type(1 if len(x) > 1 else 1.01), sin, interleaved)


def test_samples_of_rope_are_split_and_emptied():
    report, outcomes = check(rope, "batch,batch_bitwise,empty", "rope", only=["halves-*", "interleaved-*"])
    assert report and set(outcomes) == {"held"} and len(outcomes) == 6, str(report)
    assert normproof.check(rope_of_the_first_sample, "rope", only="halves-*")
    report, outcomes = check(rope_of_the_first_sample, "batch", "rope", only="halves-*")
    assert outcomes == ["broken"] and "samples split at 1: y at [" in report.failures[0].text
    report, outcomes = check(rope, "rank", "rope", only="halves-*")
    assert set(outcomes) == {"not_applicable"} and "each of which has angles of its own" in str(report)


def cross_entropy(logits, targets, label_smoothing, class_weights=None, valid=None):
    weights = np.ones(logits.shape[-1], logits.dtype) if class_weights is None else class_weights
    counted = np.ones(len(targets), bool) if valid is None else valid
    shifted = logits.astype(np.float64) - logits.max(-1, keepdims=True)
    shares = shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))
    of_targets = weights[targets] * shares[np.arange(len(targets)), targets]
    every = (1 - label_smoothing) * of_targets + label_smoothing * (weights * shares).mean(-1)
    return np.float32(-every[counted].sum() / weights[targets][counted].sum())


def loss_of_one_row_otherwise(logits, targets, label_smoothing, class_weights=None, valid=None):
    return cross_entropy(logits, targets, label_smoothing, class_weights, valid) * np.float32(1 if len(logits) > 1 else 1.01)


def test_each_part_of_the_rows_of_a_mean_is_judged_by_its_own_mean():
    several = ["random-*", "weighted-*", "ignored-*", "smoothed-*", "weights_of_0*", "odd-*"]
    report, outcomes = check(cross_entropy, "batch", "cross_entropy", only=several)
    assert report and set(outcomes) == {"held"} and len(outcomes) == 6, str(report)
    assert normproof.check(loss_of_one_row_otherwise, "cross_entropy", only=several)
    report, outcomes = check(loss_of_one_row_otherwise, "batch", "cross_entropy", only="random-*")
    assert outcomes == ["broken"] and "relation batch: rows 0 to 0 alone: loss at [0]: " in report.failures[0].text


@pytest.mark.parametrize("fn, op, relation, why", [
    (attention, "attention", "rank", "q, k and v have an axis of samples and one of heads, which mean something"),
    (cross_entropy, "cross_entropy", "rank", "of logits of other ranks libraries have the classes in other places"),
    (cross_entropy, "cross_entropy", "empty", "cross_entropy is a mean over all rows: that of none is 0/0"),
    (cross_entropy, "cross_entropy", "batch_bitwise", "cross_entropy is a mean over all rows: a part of them has other"),
    (kernels.layer_norm, "layer_norm", "grad_mask", "the gradients are not taken by a framework")])
def test_a_relation_that_does_not_apply_gives_the_reason(fn, op, relation, why):
    report, outcomes = check(fn, f"{relation},repeat", op, only=["random-*", "odd-*"])
    assert report and outcomes == ["not_applicable", "held"] * (len(outcomes) // 2)
    more = f" and {len(outcomes) // 2 - 1} more" if len(outcomes) > 2 else ""
    assert f"\nrelation {relation} does not apply to {report.results[0].path}{more}: {why}" in str(report), str(report)


def test_repeat_calls_with_other_numbers_in_between():
    seen = []

    def remembers_the_previous_call(q, k, v, causal):
        seen.append(k.flat[0])
        return attention(q, k, v, causal) * q.dtype.type(1 + 2.0**-22 * (len(seen) > 1 and seen[-2] != seen[-1]))
    report, outcomes = check(remembers_the_previous_call, "repeat", "attention", only="random-*")
    assert outcomes == ["broken"] and "has other bits when it is asked again" in report.failures[0].text


def test_streams_are_checked_if_the_device_has_them(monkeypatch):
    """NumPy gets a stream here, which is only a flag that a wrong function reads."""
    on_stream = []

    @contextlib.contextmanager
    def stream():
        on_stream.append(True)
        yield
        on_stream.clear()

    def stale_on_another_stream(x, gamma, beta, eps):
        y = kernels.layer_norm(x, gamma, beta, eps)
        return np.zeros_like(y) if on_stream else y
    report, outcomes = check(stale_on_another_stream, "streams,repeat")
    assert report and outcomes == ["not_applicable", "held"]
    monkeypatch.setattr(numpy_arrays.NumPy, "side_stream", lambda self, device: stream())
    report, outcomes = check(stale_on_another_stream, "streams")
    assert outcomes == ["broken"] and "y has other bits on another stream" in report.failures[0].text
    report, outcomes = check(kernels.layer_norm, "streams")
    assert report and outcomes == ["held"]
