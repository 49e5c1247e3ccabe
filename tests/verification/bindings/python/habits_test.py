"""Tests that kernels which are written from habit, for NumPy, are understood at the first call of check or judge."""
import kernels
import numpy as np
import pytest

import normproof


def conventions(report):
    return "; ".join(report.conventions)


def group_norm(x, num_groups, weight, bias, eps):
    n, c, h, w = x.shape
    with np.errstate(all="ignore"):
        grouped = x.reshape(n, num_groups, -1)
        mean, variance = grouped.mean(-1, keepdims=True), grouped.var(-1, keepdims=True)
        y = ((grouped - mean) / np.sqrt(variance + x.dtype.type(eps))).reshape(n, c, h, w)
        return y * weight.reshape(1, c, 1, 1) + bias.reshape(1, c, 1, 1)


def test_a_group_norm_of_images_gets_every_case_as_an_image():
    report = normproof.check(group_norm, "group_norm")
    assert report and len(report.declined) == 3 and "x has the axes [N,C,H,W] in every case" in conventions(report)
    assert normproof.check(group_norm, "group_norm", layout="nchw", only="channels_*")
    assert not normproof.check(lambda x, num_groups, weight, bias, eps: group_norm(x, 1, weight, bias, eps), "group_norm")


def test_the_axes_of_x_have_the_usual_names():
    def channels_last(x, G, gamma, beta, eps=1e-5):
        n, h, w, c = x.shape
        return np.moveaxis(group_norm(np.moveaxis(x, -1, 1), G, gamma, beta, eps), 1, -1)
    assert normproof.check(channels_last, "group_norm", layout="NHWC")
    assert "[N,H,W,C]" in conventions(normproof.check(channels_last, "group_norm"))

    def sequence(x, weight, bias, eps):
        n, c, length = x.shape
        return group_norm(x[..., None], c, weight, bias, eps)[..., 0]
    report = normproof.check(sequence, "instance_norm", layout="NCL")
    assert report and "x has the axes [N,C,L] in every case" in conventions(report)
    with pytest.raises(normproof.UsageError, match="layout='HWCN'; expected one of 'channels_first', 'channels_last', 'NC'"):
        normproof.check(sequence, "instance_norm", layout="HWCN")


def test_judge_takes_the_names_of_axes():
    x = np.random.default_rng(1).normal(size=(2, 4, 3, 5)).astype("f")
    one = np.ones(4, "f")
    assert normproof.judge(group_norm, "group_norm", x=x, gamma=one, beta=one, groups=2, layout="NCHW")


def test_a_norm_of_matrices_gets_every_case_as_a_matrix():
    def layer_norm(Y, X, W, B, eps):
        rows, columns = X.shape
        Y[...] = kernels.layer_norm(X, W, B, eps)
    report = normproof.check(layer_norm, "layer_norm")
    assert report and "x has the axes [N,C] in every case" in conventions(report)

    def with_statistics(x, weight, bias, eps):
        rows, columns = x.shape
        centered, variance = kernels.row_statistics(x)
        return kernels.layer_norm(x, weight, bias, eps), x.mean(-1), 1 / np.sqrt(variance[:, 0] + x.dtype.type(eps))
    report = normproof.check(with_statistics, "layer_norm", only="[em]*")
    assert report and "the first is judged, as y" in conventions(report)

    def log_sum_exp(x):
        rows, columns = x.shape
        with np.errstate(all="ignore"):
            largest = x.max(1)
            finite = np.where(np.isinf(largest), 0, largest)
            return finite + np.log(np.exp(x - finite[:, None]).sum(1))
    assert normproof.check(log_sum_exp, "log_sum_exp")


def test_a_function_that_takes_no_rank_at_all_fails():
    def kernel(x, weight, bias, eps):
        raise ValueError("not this shape")
    report = normproof.check(kernel, "layer_norm", only="random*")
    assert report.failures[0].text == "kernel raised ValueError: not this shape"


def test_a_function_that_fails_for_one_shape_is_not_given_another():
    def kernel(x, weight, bias, eps):
        if x.shape == (3, 5, 6):
            raise ValueError("a bug")
        return kernels.layer_norm(x, weight, bias, eps)
    report = normproof.check(kernel, "layer_norm", only=["random*", "odd*"])
    assert report.failures and all("a bug" in result.text for result in report.failures)


def softmax_attention(q, k, v, allowed=None):
    with np.errstate(all="ignore"):
        scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.dtype.type(q.shape[-1]))
        if allowed is not None:
            scores = np.where(allowed, scores, -np.inf).astype(q.dtype)
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        return weights / weights.sum(-1, keepdims=True) @ v


def test_attention_that_always_masks_is_judged_by_causal_cases():
    def causal(q, k, v):
        return softmax_attention(q, k, v, np.tril(np.ones((q.shape[-2],) * 2, bool)))
    report = normproof.check(causal, "attention")
    passed = [result for result in report.results if result.passed]
    assert report and len(passed) > 3 and "causal is True" in conventions(report)
    assert any("takes as many keys as queries: ValueError" in result.text for result in report.declined)

    def strictly(q, k, v):  # a query does not see the key of its own place, except for the first
        allowed = np.tril(np.ones((q.shape[-2],) * 2, bool), -1)
        allowed[0, 0] = True
        return softmax_attention(q, k, v, allowed)
    assert not normproof.check(strictly, "attention")


def test_a_causal_mask_that_aligns_the_first_query_with_the_first_key_is_recognized():
    def causal(q, k, v):
        return softmax_attention(q, k, v, np.tril(np.ones((q.shape[-2], k.shape[-2]), bool)))
    report = normproof.check(causal, "attention")
    assert report and "causal is True; mask_corner is top_left" in conventions(report)


def test_attention_without_grouped_heads_declines_them():
    report = normproof.check(softmax_attention, "attention", arguments={"allowed": None})
    assert report and [result.path.split("/")[2] for result in report.declined if "takes no grouped heads" in result.text] == [
        "grouped-1x6x3x3-float32"]

    def broken(q, k, v):
        raise ValueError("always")
    report = normproof.check(broken, "attention")
    assert len(report.failures) > 20 and not any("grouped" in result.text for result in report.declined)


def test_the_scale_of_attention_is_a_number_if_it_has_no_default():
    def attention(q, k, v, sm_scale):
        return softmax_attention(q * q.dtype.type(sm_scale * q.shape[-1] ** 0.5), k, v)
    report = normproof.check(attention, "attention", only=["random*", "given_scale*", "one_key*"])
    assert report and not report.declined


def test_a_mask_that_broadcasts_to_the_scores_is_recognized():
    def attention(q, k, v, mask):
        return softmax_attention(q, k, v, mask)
    report = normproof.check(attention, "attention", only=["ragged-*", "scattered_mask*", "random*"])
    assert report and not report.declined and "the mask has the shape [B,1,1,T]" in conventions(report)


def adam_step(parameter, grad, m, v, t, lr, beta1, beta2, eps):
    kind = parameter.dtype.type
    with np.errstate(all="ignore"):
        m = kind(beta1) * m + kind(1 - beta1) * grad
        v = kind(beta2) * v + kind(1 - beta2) * grad * grad
        step = m / kind(1 - beta1 ** t) / (np.sqrt(v / kind(1 - beta2 ** t)) + kind(eps))
        return parameter - kind(lr) * step, m, v


def test_the_step_of_an_optimizer_counts_from_1_if_it_divides_by_zero_from_0():
    report = normproof.check(adam_step, "adam")
    assert report and "t is iterations + 1, a number from 1" in conventions(report)

    def divides(parameter, grad, m, v, step, lr, beta1, beta2, eps):
        assert 1 / (1 - beta1 ** step) > 0
        return adam_step(parameter, grad, m, v, step, lr, beta1, beta2, eps)
    assert normproof.check(divides, "adam")


def test_the_step_of_an_optimizer_that_adds_1_counts_from_0():
    def adam(w, g, m, v, step, lr, b1, b2, eps):
        return adam_step(w, g, m, v, step + 1, lr, b1, b2, eps)
    report = normproof.check(adam, "adam")
    assert report and "step is iterations, a number from 0" in conventions(report)

    def of_an_array(w, g, m, v, step, lr, b1, b2, eps):
        return adam_step(w, g, m, v, int(step[0]) + 1, lr, b1, b2, eps)
    report = normproof.check(of_an_array, "adam")
    assert report and "step is iterations;" in conventions(report)
    assert not normproof.check(lambda w, g, m, v, step, lr, b1, b2, eps: adam_step(w, g, m, v, 7, lr, b1, b2, eps), "adam")


def test_iterations_always_counts_from_0():
    def adam(w, g, m, v, iterations, lr, b1, b2, eps):
        return adam_step(w, g, m, v, int(iterations[0]), lr, b1, b2, eps)
    assert not normproof.check(adam, "adam", only="first_steps*")


def test_an_optimizer_that_writes_in_place_is_recognized_if_its_first_gradient_is_zero():
    def adam(p, grad, m, v, iterations, lr, beta1, beta2, eps):
        p[...], m[...], v[...] = adam_step(p, grad, m, v, int(iterations[0]) + 1, lr, beta1, beta2, eps)
    report = normproof.check(adam, "adam")
    assert report and "it overwrites parameter with parameter" in conventions(report)

    def sgd(p, grad, lr):
        p -= p.dtype.type(lr) * grad
    zero = np.zeros(3, "f")
    assert normproof.judge(sgd, "sgd", parameter=np.ones(3, "f"), grad=zero, iterations=0, lr=0.5)


def test_judge_takes_the_options_of_optimizers_that_check_takes():
    def adam(p, grad, m, v, t, lr, betas, eps):
        return adam_step(p, grad, m, v, t, lr, *betas, eps)
    given = dict(zip(("parameter", "grad", "exp_avg", "exp_avg_sq"), np.random.default_rng(1).uniform(1, 2, (4, 3)).astype("f")))
    assert normproof.judge(adam, "adam", **given, iterations=4, lr=0.1, betas=(0.9, 0.99), eps=1e-8)
    with pytest.raises(normproof.UsageError, match=r"betas=0.9; expected two numbers, \(beta1, beta2\)"):
        normproof.judge(adam, "adam", **given, iterations=4, betas=0.9)


def silu(x):
    with np.errstate(all="ignore"):
        return x / (1 + np.exp(-x))


def test_x_and_gate_may_be_one_parameter():
    def swiglu(gate_up):
        gate, up = np.split(gate_up, 2, -1)
        return silu(gate) * up
    report = normproof.check(swiglu, "swiglu")
    assert report and "x and gate are side by side in one parameter, x first" in conventions(report)

    def silu_and_mul(out, x):
        out[...] = swiglu(x)
    assert normproof.check(silu_and_mul, "swiglu")

    def exchanged(gate_up):
        gate, up = np.split(gate_up, 2, -1)
        return silu(up) * gate
    assert not normproof.check(exchanged, "swiglu")
    with pytest.raises(normproof.UsageError, match="takes no gate, which every case of swiglu has"):
        normproof.check(silu, "swiglu")


def test_judge_packs_x_and_gate():
    x, gate = np.random.default_rng(1).normal(size=(2, 3, 4)).astype("f")
    assert normproof.judge(lambda gate_up: silu(gate_up[:, :4]) * gate_up[:, 4:], "swiglu", x=x, gate=gate)


def pack(x, gate, layout):
    first, second = (gate, x) if layout.startswith("gate_first") else (x, gate)
    if "interleaved" in layout:
        return np.stack([first, second], -1).reshape(*x.shape[:-1], -1)
    return np.concatenate([first, second], -1)


def unpack(packed, layout):
    half = packed.shape[-1] // 2
    first, second = (packed[..., ::2], packed[..., 1::2]) if "interleaved" in layout else (packed[..., :half], packed[..., half:])
    return (second, first) if layout.startswith("gate_first") else (first, second)


PACKINGS = ("halves", "interleaved", "gate_first_halves", "gate_first_interleaved")


@pytest.mark.parametrize("layout", PACKINGS)
def test_a_packed_parameter_has_the_layout_that_is_named(layout):
    def swiglu(gate_up):
        gate, up = unpack(gate_up, layout)
        return silu(gate) * up

    def backward(grad_y, x):
        gate, up = unpack(x, layout)
        with np.errstate(all="ignore"):
            s = 1 / (1 + np.exp(-gate))
        return pack(grad_y * up * (s * (1 + gate * (1 - s))), grad_y * gate * s, layout)
    for other in PACKINGS:
        report = normproof.check(swiglu, "swiglu", layout=other, only="random*-float32")
        assert bool(report) == (other == layout), report
    assert normproof.check(swiglu, "swiglu", layout=layout, backward=backward, only="random*-float32")
    assert not normproof.check(swiglu, "swiglu", layout=layout, backward=lambda grad_y, x: backward(grad_y, x)[..., ::-1],
                               only="random*-float32")
    x, gate = np.random.default_rng(1).normal(size=(2, 3, 4)).astype("f")
    assert normproof.judge(swiglu, "swiglu", gate_up=pack(x, gate, layout), layout=layout)
    assert not normproof.judge(lambda gate_up: swiglu(gate_up[..., ::-1]), "swiglu", gate_up=pack(x, gate, layout), layout=layout)


def test_a_layout_of_packed_operands_needs_a_packed_parameter():
    with pytest.raises(normproof.UsageError, match="is a layout of x and gate in one tensor, and silu has no gate"):
        normproof.check(silu, "silu", layout="interleaved")
    with pytest.raises(normproof.UsageError, match="whose output is not half as wide"):
        normproof.check(lambda x: silu(x), "swiglu", layout="interleaved")


def gpt_oss(x, gate, limit=7.0, alpha=1.702, beta=1.0):
    limit = x.dtype.type(np.inf if limit is None else limit)
    c, up = np.minimum(x, limit), np.clip(gate, -limit, limit)
    with np.errstate(all="ignore"):
        return (c / (1 + np.exp(-x.dtype.type(alpha) * c)) * (up + x.dtype.type(beta))).astype(x.dtype)


def test_swiglu_with_a_limit_alpha_and_beta():
    assert normproof.check(gpt_oss, "swiglu", dtype="float32")
    assert normproof.check(lambda x, up, swiglu_limit, alpha, beta: gpt_oss(x, up, swiglu_limit, alpha, beta), "silu_and_mul",
                           dtype="float32")
    x, gate = np.random.default_rng(1).normal(size=(2, 3, 64)).astype("f") * 9
    given = {"x": x, "gate": gate, "limit": 7.0, "alpha": 1.702, "beta": 1.0}
    assert normproof.judge(gpt_oss, "swiglu", **given)
    report = normproof.judge(lambda x, gate: gpt_oss(np.maximum(x, -7), gate), "swiglu", **given)
    assert not report and "limit of x: applied from below too" in str(report), report
    assert not normproof.judge(lambda x, gate: gpt_oss(x, gate, beta=0), "swiglu", **given)
    assert not normproof.judge(lambda x, gate: gpt_oss(x, gate, limit=None), "swiglu", **given)


def test_a_nan_at_the_limit_may_lose_its_gradient():
    x, gate, grad_y = np.random.default_rng(1).normal(size=(3, 2, 4)).astype("f")
    x[0, 1] = gate[1, 2] = np.nan

    def with_gradients(drops):
        def swiglu(x, gate, grad_y):
            s = 1 / (1 + np.exp(-x))
            grad_x, grad_gate = grad_y * gate * (s * (1 + x * (1 - s))), grad_y * x * s
            if drops:
                grad_x, grad_gate = np.where(x <= 7, grad_x, 0), np.where(np.abs(gate) <= 7, grad_gate, 0)
            return {"y": np.minimum(x, 7) * s * np.clip(gate, -7, 7), "grad_x": grad_x, "grad_gate": grad_gate}
        return swiglu
    x[1, 0], gate[1, 0], x[1, 1], gate[1, 1] = 9, np.nan, np.nan, 9  # beyond the limit beside a NaN
    for drops in (False, True):
        report = normproof.judge(with_gradients(drops), "swiglu", x=x, gate=gate, grad_y=grad_y, limit=7.0)
        assert report, report
    assert not normproof.judge(lambda x, gate: np.fmin(x, 7) / (1 + np.exp(-np.fmin(x, 7))) * gate, "swiglu", x=x, gate=gate,
                               limit=7.0)


def rotated(x, cos, sin, width):
    a, b = np.split(x[..., :width], 2, -1)
    return np.concatenate([a * cos - b * sin, b * cos + a * sin, x[..., width:]], -1)


def test_a_rotation_of_some_features_receives_their_number():
    def rope(x, cos, sin, rotary_ndims):
        return rotated(x, cos, sin, rotary_ndims)
    report = normproof.check(rope, "rope", only=["halves*"])
    assert report and not report.declined and "rotary_ndims is the number of rotated features" in conventions(report)


def test_a_rotation_of_every_feature_declines_the_others():
    def apply_rotary_pos_emb(q, k, cos, sin):
        return rotated(q, cos, sin, q.shape[-1]), rotated(k, cos, sin, k.shape[-1])
    report = normproof.check(apply_rotary_pos_emb, "rope", only="halves*")
    assert report and len(report.declined) == 3 and all("rotates every feature: ValueError" in result.text
                                                        for result in report.declined)


def test_a_rotation_of_interleaved_pairs_is_judged_by_such_cases():
    def apply_rotary_emb(xq, cos, sin):
        a, b = xq[..., 0::2], xq[..., 1::2]
        return np.stack([a * cos - b * sin, a * sin + b * cos], -1).reshape(xq.shape)
    report = normproof.check(apply_rotary_emb, "rope")
    assert report and "interleaved is True" in conventions(report)


def batch_norm(momentum_of_new, ddof=0, axes=None):
    def kernel(x, gamma, beta, running_mean, running_var, training, momentum=0.1, eps=1e-5):
        kind, over = x.dtype.type, tuple(range(x.ndim - 1)) if axes is None else axes
        state = running_mean.dtype.type
        with np.errstate(all="ignore"):
            mean, variance = (x.mean(over), x.var(over)) if training else (running_mean, running_var)
            if training:
                new = state(momentum if momentum_of_new else 1 - momentum)
                rows = x.size // x.shape[-1]
                running_mean = (1 - new) * running_mean + new * mean
                running_var = (1 - new) * running_var + new * variance * state(rows / max(rows - ddof, 1))
            y = gamma * ((x - mean) / np.sqrt(variance + kind(eps))) + beta
            return y.astype(x.dtype), running_mean, running_var
    return kernel


@pytest.mark.parametrize("of_new, meaning", [(True, "1 - running_decay"), (False, "running_decay")])
def test_both_meanings_of_momentum_are_found(of_new, meaning):
    report = normproof.check(batch_norm(of_new, 1), "batch_norm")
    assert report and f"momentum is {meaning};" in conventions(report)
    report = normproof.check(batch_norm(of_new), "batch_norm")
    assert report and "unbiased_running_variance is False" in conventions(report)


def test_a_batch_norm_with_statistics_of_the_first_axis_gets_matrices():
    report = normproof.check(batch_norm(True, axes=0), "batch_norm")
    assert report and "x has the axes [N,C] in every case" in conventions(report)


def test_a_batch_norm_that_forgets_its_statistics_fails():
    def kernel(x, gamma, beta, running_mean, running_var, training, momentum, eps):
        y, mean, variance = batch_norm(True)(x, gamma, beta, running_mean, running_var, training, momentum, eps)
        return (y, mean * 0.5, variance) if training else (y, mean, variance)
    assert not normproof.check(kernel, "batch_norm")


def test_a_function_that_declines_a_case_is_still_understood():
    def kernel(x, weight, bias, eps):
        if x.ndim != 2:
            raise normproof.NotOffered("matrices alone")
        return kernels.layer_norm(x, weight, bias, eps)
    report = normproof.check(kernel, "layer_norm")
    assert report and all("matrices alone" in result.text or "takes no" in result.text for result in report.declined)


def test_judge_refuses_what_no_kernel_can_be_asked_in_one_sentence():
    x = np.ones((2, 3), "f")
    for given, sentence in (({"x": np.float32(3)}, r"x has shape \[\]; expected one axis or more, as softmax is along the last"),
                            ({"x": x.astype(np.complex64)}, "x has dtype complex64; expected a floating dtype"),
                            ({"x": x, "axis": 0}, "axis=0; expected -1, as softmax is along the last axis")):
        with pytest.raises(normproof.UsageError, match=sentence):
            normproof.judge(lambda x: x, "softmax", **given)
    with pytest.raises(normproof.UsageError, match="targets has dtype int16; expected classes as int64, int32 or uint8"):
        normproof.judge(lambda logits, targets: 0, "cross_entropy", logits=x, targets=np.zeros(2, np.int16))
    assert normproof.judge(lambda x, axis: np.exp(x) / np.exp(x).sum(axis, keepdims=True), "softmax", x=x, axis=1)
    report = normproof.judge(lambda x, eps: x, "group_norm", x=np.ones((2, 3, 4), "f"))
    assert "groups was not given: 1" in conventions(report)
