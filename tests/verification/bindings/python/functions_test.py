"""Tests functions with options, masks, sums, states, losses and caches in NumPy."""
import kernels
import numpy as np
import pytest

import normproof
from normproof import names


def attention(q, k, v, scale=None):
    scale = 1 / np.sqrt(q.shape[-1]) if scale is None else scale
    groups = q.shape[1] // k.shape[1]
    k, v = (np.repeat(t.astype(np.float64), groups, axis=1) for t in (k, v))
    scores = scale * (q.astype(np.float64) @ k.swapaxes(-1, -2))
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return (weights / weights.sum(-1, keepdims=True) @ v).astype(q.dtype)


def test_attention_without_a_mask_declines_masked_cases_only():
    report = normproof.check(attention, "attention", dtype=["float32", "float64"])
    assert not report.failures and len(report.results) > len(report.declined)
    assert all(any(name in result.text for name in ("causal", "valid", "window_", "soft_cap", "sinks", "bias"))
               for result in report.declined)


def test_an_absent_scale_is_passed_as_none_to_a_function_with_that_default():
    seen = []

    def scaled(q, k, v, scale=None):
        seen.append(scale)
        return attention(q, k, v, scale)
    assert not normproof.check(scaled, "attention", dtype="float64").failures
    assert None in seen and any(isinstance(scale, float) for scale in seen)

    def with_number(q, k, v, scale):
        assert isinstance(scale, float)
        return attention(q, k, v, scale)
    assert not normproof.check(with_number, "attention", dtype="float64").failures


def attention_with_sinks(q, k, v, s_aux, scale=None):
    """Attention as in the implementation of gpt-oss in Transformers: the sinks are one more column of scores."""
    k, v = (np.repeat(t, q.shape[1] // t.shape[1], 1) for t in (k, v))
    scores = np.einsum("bhtd,bhsd->bhts", q, k) * (q.shape[-1] ** -0.5 if scale is None else scale)
    scores = np.concatenate([scores, np.broadcast_to(s_aux[:, None, None], (*scores.shape[:3], 1))], -1)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    return np.einsum("bhts,bhse->bhte", weights[..., :-1], v)


def test_sinks_of_attention_are_known_by_the_names_of_libraries():
    report = normproof.check(attention_with_sinks, "attention", dtype=["float32", "float64"], only="sinks*")
    assert report and not report.failures
    passed = {result.path.split("/")[-1].split("-")[0] for result in report.results} - {
        result.path.split("/")[-1].split("-")[0] for result in report.declined}
    assert passed >= {"sinks_of_zero", "sinks_above_scores", "sinks_of_100", "sinks_scale"}
    wrong = normproof.check(lambda q, k, v, sinks: attention(q, k, v), "attention", only="sinks_of_zero*")
    assert not wrong and "sink: ignored" in str(wrong)


def attention_with_sums(q, k, v, scale=None, base=np.e):
    k, v = (np.repeat(t, q.shape[1] // t.shape[1], 1) for t in (k, v))
    scores = np.einsum("bhtd,bhsd->bhts", q, k) * (q.shape[-1] ** -0.5 if scale is None else scale)
    largest = scores.max(-1, keepdims=True)
    exponentials = np.exp(scores - largest)
    total = exponentials.sum(-1, keepdims=True)
    return {"y": np.einsum("bhts,bhse->bhte", exponentials / total, v),
            "log_sum_exp": ((np.log(total) + largest) / np.log(base))[..., 0].astype(q.dtype)}


def test_log_sum_exp_to_base_2_is_a_convention():
    def kernel(q, k, v, scale=None):
        return attention_with_sums(q, k, v, scale, 2)
    only = ["random-*", "base_2-*", "given_scale*"]
    given = normproof.check(attention, "attention", dtype=["float32", "float64"], only="base_2-*")
    assert given and not given.declined  # y does not depend on the base
    returned = normproof.check(lambda q, k, v: attention_with_sums(q, k, v), "attention", dtype="float64", only="base_2-*")
    assert len(returned.declined) == 1 and "log_sum_exp_base" in returned.declined[0].text
    report = normproof.check(kernel, "attention", dtype=["float32", "float64"], only=only, log_sum_exp_base="2")
    assert report and len(report.results) > 4
    assert normproof.check(kernel, "attention", dtype=["float32", "float64"], only=only, log_sum_exp_base=2)
    strict = normproof.check(kernel, "attention", dtype=["float32", "float64"], only="random-*", strict=True)
    assert not strict and "log_sum_exp_base='2'" in str(strict)
    with pytest.warns(normproof.ConventionWarning, match='log_sum_exp_base="2"'):
        assert normproof.check(kernel, "attention", dtype=["float32", "float64"], only="random-*")


def merge_without_empty_splits(o, lse):
    """Merges splits [P,B,H,T,E]. A query whose splits are all empty becomes NaN."""
    with np.errstate(invalid="ignore"):
        weights = np.exp(lse - lse.max(0))
        weights = weights / weights.sum(0)
        return (weights[..., None] * np.where(np.isneginf(lse)[..., None], 0, o)).sum(0).astype(o.dtype)


def test_judge_merges_partial_results_of_attention():
    generator = np.random.default_rng(3)
    o, lse = (generator.standard_normal((4, 2, 3, 5, 8)[:axes]).astype(np.float32) for axes in (5, 4))

    def merge(o, lse):
        empty = np.isneginf(lse)
        largest = np.where(empty.all(0), 0, lse.max(0))
        weights = np.where(empty, 0, np.exp(np.where(empty, 0, lse - largest)))
        whole = np.where(empty.all(0), 1, weights.sum(0))
        y = (np.where(empty[..., None], 0, o) * (weights / whole)[..., None]).sum(0)
        return {"y": y.astype(o.dtype), "log_sum_exp": np.where(empty.all(0), -np.inf, largest + np.log(whole)).astype(lse.dtype)}

    assert normproof.judge(merge, "merge_attn_states", o=o, lse=lse)
    assert not normproof.judge(lambda o, lse: {**merge(o, lse), "y": o.mean(0)}, "merge_states", o=o, lse=lse)
    lse[1], lse[:, 0, 1] = -np.inf, -np.inf
    o[1] = np.nan
    assert normproof.judge(merge, "merge_attention_states", o=o, lse=lse)
    report = normproof.judge(lambda o, lse: {**merge(o, lse), "y": merge_without_empty_splits(o, lse)},
                             "merge_attention_states", o=o, lse=lse)
    assert not report and "nan" in str(report).lower()


def test_a_merge_is_checked_on_all_cases():
    def merge(o, log_sum_exp, log_sum_exp_base):
        unit = np.log(2) if log_sum_exp_base == "2" else 1
        empty = np.isneginf(log_sum_exp)
        largest = np.where(empty.all(0), 0, log_sum_exp.max(0))
        weights = np.where(empty, 0, np.exp(np.where(empty, 0, log_sum_exp - largest) * unit))
        whole = np.where(empty.all(0), 1, weights.sum(0))
        y = (np.where(empty[..., None], 0, o) * (weights / whole)[..., None]).sum(0)
        merged = np.where(empty.all(0), -np.inf, largest + np.log(whole) / unit)
        return {"y": y.astype(o.dtype), "log_sum_exp": merged.astype(log_sum_exp.dtype)}

    report = normproof.check(merge, "merge_attention_states", dtype=["float32", "float64"])
    assert report and not report.declined
    natural = normproof.check(lambda o, log_sum_exp: merge(o, log_sum_exp, "e"), "merge_attention_states", dtype="float64")
    assert natural and natural.declined


def attention_with_bias(q, k, v, attn_bias, scale=None):
    """Returns NaN for a query whose keys are all hidden, as old implementations of a float mask do."""
    k, v = (np.repeat(t, q.shape[1] // t.shape[1], 1) for t in (k, v))
    scores = np.einsum("bhtd,bhsd->bhts", q, k) * (q.shape[-1] ** -0.5 if scale is None else scale) + attn_bias
    with np.errstate(invalid="ignore"):
        weights = np.exp(scores - scores.max(-1, keepdims=True))
    return np.einsum("bhts,bhse->bhte", weights / weights.sum(-1, keepdims=True), v)


def test_a_bias_that_hides_keys_is_judged_as_a_mask():
    report = normproof.check(attention_with_bias, "attention", dtype=["float32", "float64"], only="bias*")
    failed = {result.path.split("/")[-1].split("-")[0] for result in report.failures}
    assert failed == {"bias_hides_all_keys"} and len(report.results) - len(report.declined) > 6
    generator = np.random.default_rng(3)
    q, k, v = (generator.standard_normal((2, 4, 5, 8)).astype(np.float32) for _ in range(3))
    causal = np.where(np.tril(np.ones((5, 5), bool)), 0, -np.inf).astype(np.float32)[None, None]
    assert normproof.judge(attention_with_bias, "attention", q=q, k=k, v=v, attn_bias=causal)
    assert not normproof.judge(lambda q, k, v, bias: attention(q, k, v), "attention", q=q, k=k, v=v, bias=causal)


def test_judge_takes_sinks():
    generator = np.random.default_rng(3)
    q, k, v = (generator.standard_normal((2, 4, 5, 8)).astype(np.float32) for _ in range(3))
    sinks = generator.standard_normal(4).astype(np.float32)
    assert normproof.judge(attention_with_sinks, "attention", q=q, k=k, v=v, sinks=sinks)
    assert not normproof.judge(lambda q, k, v, sinks: attention_with_sinks(q, k, v, sinks[::-1]), "attention",
                               q=q, k=k, v=v, attn_sinks=sinks)


def test_a_wrong_scale_of_attention_fails():
    report = normproof.check(lambda q, k, v: attention(q, k, v, 1.0), "attention", dtype="float64")
    assert report.failures


def test_rope_by_halves_declines_interleaved_cases_only():
    def rope(x, cos, sin):
        half = cos.shape[-1]
        a, b, rest = x[..., :half], x[..., half:2 * half], x[..., 2 * half:]
        return np.concatenate((a * cos - b * sin, b * cos + a * sin, rest), -1).astype(x.dtype)
    report = normproof.check(rope, "rope", dtype="float64")
    assert len(report.results) > len(report.declined) and not report.failures
    assert all("interleaved" in result.text for result in report.declined)


def cross_entropy(logits, targets, label_smoothing, valid, class_weights):
    logits = logits.astype(np.float64)
    log_p = logits - logits.max(-1, keepdims=True)
    log_p -= np.log(np.exp(log_p).sum(-1, keepdims=True))
    weights = class_weights.astype(np.float64)
    own = weights[targets] * valid
    smooth = -(log_p * weights).sum(-1) * valid
    hit = -log_p[np.arange(len(targets)), targets] * own
    total = (1 - label_smoothing) * hit + label_smoothing / logits.shape[-1] * smooth
    return total.sum() / own.sum()


NOT_TAKEN = ("valid", "class_weights", "reduction", "z_loss", "soft_cap")  # by the functions below


def plain_cross_entropy(input, target, label_smoothing):
    return cross_entropy(input, target, label_smoothing, np.ones(len(target)), np.ones(input.shape[-1]))


def test_a_loss_may_be_a_scalar_or_an_array_of_one_number():
    for fn in (plain_cross_entropy, lambda logits, labels, label_smoothing: np.array(
            [plain_cross_entropy(logits, labels, label_smoothing)])):
        report = normproof.check(fn, "cross_entropy", dtype="float64")
        assert not report.failures and sum(result.passed for result in report.results) > 5, str(report)
        assert all(any(name in result.text for name in NOT_TAKEN) for result in report.declined)
    wrong = normproof.check(lambda logits, targets, label_smoothing: np.zeros(2), "cross_entropy", only="random*")
    assert "loss has shape [2]; expected [1]" in wrong.failures[0].text


def test_a_required_mask_is_all_true_if_the_case_has_none():
    shapes = []

    def masked(logits, targets, label_smoothing, valid):
        shapes.append((valid.shape, logits.shape[:1]))
        return cross_entropy(logits, targets, label_smoothing, valid, np.ones(logits.shape[-1]))
    report = normproof.check(masked, "cross_entropy", dtype="float64")
    assert not report.failures and all(mask == rows for mask, rows in shapes)
    assert all(any(name in result.text for name in NOT_TAKEN) for result in report.declined)

    def with_keys(q, k, v, valid):
        shapes.append((valid.shape, (k.shape[0], k.shape[2])))
        return attention(q, k, v)
    normproof.check(with_keys, "attention", dtype="float64")
    assert all(mask == rows for mask, rows in shapes)


def add_layer_norm(x, residual, gamma, beta, eps):
    with np.errstate(all="ignore"):
        total = x + residual
        return kernels.layer_norm(total, gamma, beta, eps), total


def test_the_sum_before_a_norm_is_judged_if_it_is_returned():
    assert normproof.check(lambda x, residual, gamma, beta, eps: add_layer_norm(x, residual, gamma, beta, eps)[0],
                           "add_layer_norm", outputs="y")
    assert normproof.check(add_layer_norm, "add_layer_norm", outputs="y,sum")
    wrong = normproof.check(lambda x, residual, gamma, beta, eps: (add_layer_norm(x, residual, gamma, beta, eps)[0], x),
                            "add_layer_norm", outputs="y,sum", only="random*")
    assert "sum at" in wrong.failures[0].text


def test_every_output_of_a_forward_is_judged():
    report = normproof.check(add_layer_norm, "add_layer_norm", only="random*")
    assert report and {one["name"] for one in report.results[0].tensors} == {"y", "sum"}
    wrong = normproof.check(lambda x, residual, gamma, beta, eps: (add_layer_norm(x, residual, gamma, beta, eps)[0], x),
                            "add_layer_norm", only="random*")
    assert "sum at" in wrong.failures[0].text
    named = normproof.check(lambda x, residual, gamma, eps: {
        "y": kernels.rms_norm(x + residual, gamma, eps), "sum": x}, "add_rms_norm", only="random*")
    assert "sum at" in named.failures[0].text


def test_a_state_that_a_forward_returns_is_judged():
    def batch_norm(x, gamma, beta, eps, training, running_mean, running_variance):
        axes = tuple(range(x.ndim - 1))
        with np.errstate(all="ignore"):
            mean, variance = (x.mean(axes), x.var(axes)) if training else (running_mean, running_variance)
            y = gamma * ((x - mean) / np.sqrt(variance + x.dtype.type(eps))) + beta
        return (y, mean, variance) if returned else y
    for returned in (False, True):
        report = normproof.check(batch_norm, "batch_norm", only="random*")
        assert bool(report) != returned, str(report)
    assert "running_mean at" in report.failures[0].text


def test_a_residual_norm_without_beta_is_certified_again():
    report = normproof.check(lambda x, residual, gamma, eps: kernels.rms_norm(x + residual, gamma, eps), "add_rms_norm",
                             only=["random*", "odd*"])
    assert report and not report.declined and "takes no beta" in str(report)


def test_default_options_come_from_the_description_of_the_operation():
    for op in normproof.ops():
        needed, others = names.tensor_names(op)
        assert needed and not set(needed) & set(others) and not names.known_names(op) & {""}
    assert names.tensor_names("attention") == (("q", "k", "v"), ("grad_y", "bias", "sinks", "valid"))
    assert names.default_options("attention") == {"scale": "none", "causal": "false", "mask_corner": "bottom_right",
                                                  "window_left": "none", "window_right": "none", "soft_cap": "none",
                                                  "log_sum_exp_base": "e"}
    assert names.default_options("cross_entropy") == {"label_smoothing": "0", "reduction": "mean", "z_loss": "0",
                                                      "soft_cap": "none"}
    assert names.option_names("adam")[0] == "beta1"
    assert names.reads_mask("softmax") and names.reads_mask("batch_norm") and not names.reads_mask("layer_norm")


@pytest.mark.parametrize("op, main", [("decoding", "logits"), ("translator", "loss"), ("language_model", "loss"),
                                      ("encoder", "loss"), ("cross_entropy", "loss")])
def test_a_single_array_is_the_main_output_of_an_operation_without_y(op, main):
    report = normproof.check(lambda case: kernels.exact(case)[main], op, dtype=["float32", "float64"])
    assert report and not report.declined
    assert {one["name"] for result in report.results for one in result.tensors} == {main}
    wrong = normproof.check(lambda case: kernels.exact(case)[main] + 1, op)
    assert wrong.failures and all(f"{main} at" in result.text for result in wrong.failures)
    path = wrong.failures[0].path
    assert normproof.case(path).check(lambda case, **others: kernels.exact(case)[main])


def test_caches_of_decoding_are_judged_if_they_are_returned_by_name():
    report = normproof.check(lambda case: kernels.exact(case), "decoding")
    assert report and len(report.results[0].tensors) == 3
    three = normproof.check(lambda case: tuple(kernels.exact(case).values()), "decoding")
    assert ("returned 3 values; expected logits alone, a mapping by the names of outputs, or outputs= that names each of them, "
            "as outputs='logits,layers.0.self_attention.keys,layers.0.self_attention.values'") in three.failures[0].text


@pytest.mark.parametrize("op", ["translator", "language_model", "encoder"])
@pytest.mark.parametrize("order", [("logits", "loss"), ("loss", "logits")])
def test_logits_and_loss_are_recognized_by_their_shapes(op, order):
    def model(case):
        named = {**kernels.exact(case), wrong: kernels.exact(case)[wrong] + 1} if wrong else kernels.exact(case)
        return tuple(named[name] for name in order)
    for wrong in ("", "logits", "loss"):
        report = normproof.check(model, op)
        assert bool(report) == (not wrong) and {one["name"] for one in report.results[0].tensors} == {"logits", "loss"}
        assert not wrong or f"{wrong} at" in report.failures[0].text


def test_a_model_that_returns_logits_alone_is_told_what_is_expected():
    def model(case):
        return kernels.exact(case)["logits"]
    report = normproof.check(model, "language_model")
    assert ("returned one array, of the shape of logits, [2, 3, 6]; expected loss, logits and loss, or outputs='logits'"
            in report.failures[0].text)
    assert normproof.check(model, "language_model", outputs="logits")


def loss_of(logits, targets, label_smoothing, class_weights=None, valid=None, reduction="mean", lse_square_scale=0.0,
            softcap=None):
    """Cross-entropy in NumPy with its gradient, by the names of Liger-Kernel."""
    x = logits.astype(np.float64)
    bent = np.zeros_like(x) if softcap is None else np.tanh(x / softcap)
    x = x if softcap is None else softcap * bent
    counts = np.ones(len(x), bool) if valid is None else valid
    weights = np.ones(x.shape[1]) if class_weights is None else class_weights.astype(np.float64)
    sum_exp = np.log(np.exp(x - x.max(-1, keepdims=True)).sum(-1, keepdims=True)) + x.max(-1, keepdims=True)
    hot = np.eye(x.shape[1])[targets]
    target = (hot * (1 - label_smoothing) + label_smoothing / x.shape[1]) * weights
    losses, squares = -(target * (x - sum_exp)).sum(-1), lse_square_scale * sum_exp[:, 0] ** 2
    whole = (hot * weights)[counts].sum() if reduction == "mean" else 1
    rows = counts.sum() if reduction == "mean" else 1
    p = np.exp(x - sum_exp)
    gradient = (p * target.sum(-1, keepdims=True) - target) / whole + p * 2 * lse_square_scale * sum_exp / rows
    gradient = np.where(counts[:, None], gradient * (1 - bent ** 2), 0).astype(logits.dtype)
    every = np.where(counts, losses + squares, 0)
    loss = every if reduction == "none" else np.array([losses[counts].sum() / whole + squares[counts].sum() / rows])
    return {"loss": loss.astype(np.float32), "grad_logits": gradient}


def test_losses_have_reductions_a_z_loss_and_a_cap():
    cases = ("*/sum-*", "*/each_row*", "*/z_loss*", "*/logit_cap*")
    for only in cases:
        report = normproof.check(loss_of, "cross_entropy", dtype="float32", framework="numpy", only=only)
        assert report and not report.declined, str(report)

    def without_z_loss(logits, targets, label_smoothing, class_weights=None, valid=None, reduction="mean", z_loss=0.0,
                       soft_cap=None):
        return loss_of(logits, targets, label_smoothing, class_weights, valid, reduction, 0.0, soft_cap)

    def without_cap(logits, targets, label_smoothing, class_weights=None, valid=None, reduction="mean", z_loss=0.0,
                    soft_cap=None):
        return loss_of(logits, targets, label_smoothing, class_weights, valid, reduction, z_loss)

    def always_a_mean(logits, targets, label_smoothing, class_weights=None, valid=None, reduction="mean"):
        return loss_of(logits, targets, label_smoothing, class_weights, valid)
    for kernel, only, words in ((without_z_loss, "*/z_loss-*", "the answer is right for z_loss=0"),
                                (without_cap, "*/logit_cap-*", "the answer is right for soft_cap"),
                                (always_a_mean, "*/z_loss-*", "takes no option z_loss"),
                                (always_a_mean, "*/sum-*", "reduction")):
        wrong = normproof.check(kernel, "cross_entropy", dtype="float32", framework="numpy", only=only)
        assert not wrong and words in str(wrong), str(wrong)


def test_the_losses_of_pytorch_have_every_reduction():
    torch = pytest.importorskip("torch")
    for fn in (torch.nn.functional.cross_entropy, torch.nn.CrossEntropyLoss):
        for only in ("*/sum-*", "*/each_row-*", "*/random-*"):
            report = normproof.check(fn, "cross_entropy", dtype="float32", only=only)
            assert report and not report.declined, str(report)
    logits, targets = torch.randn(5, 7, generator=torch.Generator().manual_seed(1)), torch.tensor([1, 2, 3, 4, -100])
    assert normproof.judge(torch.nn.functional.cross_entropy, "cross_entropy", logits=logits, targets=targets, reduction="none")
    assert not normproof.judge(lambda input, target: torch.nn.functional.cross_entropy(input, target), "cross_entropy",
                               logits=logits, targets=targets, reduction="sum", framework="torch")


def merged(o, log_sum_exp, base=np.e):
    """Merges parts of an attention in NumPy, without the parts that are empty."""
    o, logs = o.astype(np.float64), log_sum_exp.astype(np.float64) * np.log(base)
    empty = np.isneginf(logs)
    largest = np.where(empty.all(0), 0, np.where(empty, -np.inf, logs).max(0))
    weights = np.where(empty, 0, np.exp(np.where(empty, 0, logs - largest)))
    whole = weights.sum(0)
    y = (weights[..., None] * np.where(empty[..., None], 0, o)).sum(0) / np.where(whole == 0, 1, whole)[..., None]
    with np.errstate(divide="ignore"):
        logs = np.where(whole == 0, -np.inf, largest + np.log(whole))
    return y, (logs / np.log(base)).astype(np.float32)


def test_a_merge_that_returns_a_pair_is_judged_with_its_log_sum_exp():
    def merge_state(o, log_sum_exp):
        y, logs = merged(o, log_sum_exp)
        return y.astype(o.dtype), logs
    report = normproof.check(merge_state, "merge_attention_states", dtype="float32", framework="numpy")
    assert report and report.declined, str(report)
    assert all("log_sum_exp_base" in result.text for result in report.declined), str(report)
    for wrong in (lambda o, log_sum_exp: (merge_state(o, log_sum_exp)[0], np.full(o.shape[1:-1], 1e9, np.float32)),
                  lambda o, log_sum_exp: (merge_state(o, log_sum_exp)[0], log_sum_exp.max(0))):
        assert not normproof.check(wrong, "merge_attention_states", dtype="float32", framework="numpy")
        given = {"o": np.ones((2, 1, 1, 3, 4), "f"), "log_sum_exp": np.arange(6, dtype="f").reshape(2, 1, 1, 3)}
        assert not normproof.judge(wrong, "merge_attention_states", **given)


def test_the_log_sum_exp_of_an_attention_is_judged_if_it_is_returned():
    q, k, v = (np.random.default_rng(seed).normal(size=(1, 2, 3, 4)).astype("f") for seed in (1, 2, 3))

    def attention(q, k, v):
        scores = np.einsum("bhtd,bhsd->bhts", q, k) / 2
        logs = np.log(np.exp(scores).sum(-1))
        return np.einsum("bhts,bhsd->bhtd", np.exp(scores - logs[..., None]), v), logs
    assert normproof.judge(attention, "attention", q=q, k=k, v=v)
    assert not normproof.judge(lambda q, k, v: (attention(q, k, v)[0], attention(q, k, v)[1] + 1), "attention", q=q, k=k, v=v)


def test_a_limit_whose_default_is_none_is_not_given_where_a_case_has_none():
    seen = set()

    def swiglu(x, gate, alpha=1.0, limit=None, beta=0.0):
        seen.add(limit)
        if limit is not None:
            x, gate = np.minimum(x, limit), np.clip(gate, -limit, limit)
        return (x / (1 + np.exp(-alpha * x)) * (gate + beta)).astype(x.dtype)
    report = normproof.check(swiglu, "swiglu", dtype="float64", framework="numpy")
    assert report and seen and np.inf not in seen, str(report)


def test_a_loss_of_each_row_where_one_is_expected_is_refused_in_one_sentence():
    torch = pytest.importorskip("torch")
    report = normproof.check(lambda logits, targets: torch.nn.functional.cross_entropy(logits, targets, reduction="none"),
                             "cross_entropy", dtype="float32", framework="torch", only="*/random-*", skip_diagnosis=True)
    assert not report and "loss has shape [7]; expected [1]; the loss of each row is reduction='none'" in str(report), str(report)
