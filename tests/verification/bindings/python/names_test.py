"""Tests the names that wrong kernels get: the name that describes the mistake, or none, but never another one."""
import kernels
import numpy as np
import pytest

import normproof


def random(*shape, seed=1, dtype=np.float32):
    return np.random.default_rng(seed).normal(size=shape).astype(dtype)


def statistics(x, eps):
    mean = x.mean(-1, keepdims=True)
    return mean, 1 / np.sqrt(((x - mean) ** 2).mean(-1, keepdims=True) + x.dtype.type(eps))


def layer_norm(x, gamma, beta, eps=1e-5):
    mean, rstd = statistics(x, eps)
    return (x - mean) * rstd * gamma + beta


def backward(grad_x=None, reduce=None):
    """A backward whose grad_x is computed from g = gamma grad_y, x_hat and rstd, and whose sums over rows are `reduce`."""
    def own(grad_y, x, gamma, beta, eps=1e-5):
        mean, rstd = statistics(x, eps)
        g, x_hat = grad_y * gamma, (x - mean) * rstd
        add = reduce or (lambda terms: terms.sum(0))
        right = (g - g.mean(-1, keepdims=True) - x_hat * (g * x_hat).mean(-1, keepdims=True)) * rstd
        return grad_x(g, x_hat, rstd) if grad_x else right, add(grad_y * x_hat), add(grad_y)
    return own


def names(report):
    """The names in the diagnosis of a report that failed. A place is no name."""
    assert not report.passed
    return [sentence for result in report.results for sentence in result.json.get("diagnosis", ())
            if not sentence.startswith("no known mistake")]


def judge_norm(fn, shape, own_backward=None, offset=0.0):
    x, width = random(*shape) + np.float32(offset), shape[-1]
    rest = {} if own_backward is None else {"grad_y": random(*shape, seed=2), "backward": own_backward}
    return normproof.judge(fn, "layer_norm", x=x, gamma=1 + np.float32(0.3) * random(width, seed=3),
                           beta=np.float32(0.3) * random(width, seed=4), **rest)


def with_gamma(choose):
    return lambda x, gamma, beta, eps=1e-5: layer_norm(x, choose(x, gamma), beta, eps)


def of_first_block(block, divisor=None):
    """Reads and writes only the first columns."""
    def fn(x, gamma, beta, eps=1e-5):
        y, part = np.zeros_like(x), x[:, :block]
        n = x.dtype.type(divisor or x.shape[-1])
        mean = part.sum(-1, keepdims=True) / n
        variance = ((part - mean) ** 2).sum(-1, keepdims=True) / n
        y[:, :block] = (part - mean) / np.sqrt(variance + x.dtype.type(eps)) * gamma[:block] + beta[:block]
        return y
    return fn


def with_first_columns(block):
    def fn(x, gamma, beta, eps=1e-5):
        y = layer_norm(x, gamma, beta, eps)
        y[:, block:] = 0
        return y
    return fn


def with_eps_outside(x, gamma, beta, eps=1e-5):
    mean = x.mean(-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) * (1 / np.sqrt(variance) + x.dtype.type(eps)) * gamma + beta


def merged(block):
    """Adds the squared distances of blocks, and forgets the distances of their means."""
    def fn(x, gamma, beta, eps=1e-5):
        parts = [x[:, begin:begin + block] for begin in range(0, x.shape[-1], block)]
        squares = sum(((part - part.mean(-1, keepdims=True)) ** 2).sum(-1, keepdims=True) for part in parts)
        mean = x.mean(-1, keepdims=True)
        return (x - mean) / np.sqrt(squares / x.dtype.type(x.shape[-1]) + x.dtype.type(eps)) * gamma + beta
    return fn


def of_whole_blocks_of_rows(block):
    """Leaves the rows after the last whole block unwritten."""
    def fn(x, gamma, beta, eps=1e-5):
        y = layer_norm(x, gamma, beta, eps)
        y[len(x) // block * block:] = 0
        return y
    return fn


def with_squares(add):
    """Divides by the root of add(squared distances), which are those of the mean."""
    def fn(x, gamma, beta, eps=1e-5):
        d = x - x.mean(-1, keepdims=True)
        return d / np.sqrt(add(d * d)[:, None] + x.dtype.type(eps)) * gamma + beta
    return fn


def mean_without(block):
    return with_squares(lambda squares: (squares.sum(-1) - squares[:, block:block + 32].sum(-1)) / squares.dtype.type(
        squares.shape[-1]))


FORWARD = [
    ("8 of 13 rows", of_whole_blocks_of_rows(8), (13, 6), "writing y: without the last block of 8 rows"),
    ("32 of 50 rows", of_whole_blocks_of_rows(32), (50, 6), "writing y: without the last block of 32 rows"),
    ("squares without the first block", mean_without(0), (4, 200), "sum of squares: without the first block of 32 terms"),
    ("squares without the second block", mean_without(32), (4, 200),
     "sum of squares: without the second block of 32 terms"),
    ("squares without the fourth block", mean_without(96), (4, 200), None),
    ("squares without the last whole block", mean_without(160), (4, 200),
     "sum of squares: without the last whole block of 32 terms"),
    ("a sum of squares for the variance", with_squares(lambda squares: squares.sum(-1)), (5, 48),
     "mean of squares: a sum instead of a mean"),
    ("gamma by the row", with_gamma(lambda x, gamma: gamma[np.arange(len(x)) % len(gamma)][:, None]), (5, 48),
     "elements of gamma: the number of the row used as index"),
    ("gamma by the row, in many rows", with_gamma(lambda x, gamma: gamma[np.arange(len(x)) % len(gamma)][:, None]),
     (70, 48), "elements of gamma: the number of the row used as index"),
    ("gamma[1] for all", with_gamma(lambda x, gamma: gamma[1]), (5, 48), "elements of gamma: the second element used for all"),
    ("gamma[-1] for all", with_gamma(lambda x, gamma: gamma[-1]), (5, 48), "elements of gamma: the last element used for all"),
    ("gamma[7] for all", with_gamma(lambda x, gamma: gamma[7]), (5, 48), None),
    ("a block of 32 of 50", of_first_block(32), (4, 50), "columns: only the first 32 are read and written"),
    ("a block of 32 of 50, and n", of_first_block(32, 32), (4, 50),
     "columns and n: only the first 32 are read, counted and written"),
    ("a block of 128 of 200", of_first_block(128), (4, 200), "columns: only the first 128 are read and written"),
    ("a block of 256 of 300", of_first_block(256), (3, 300), "columns: only the first 256 are read and written"),
    ("y of 32 columns", with_first_columns(32), (4, 50), "writing y: only the first 32 columns"),
    ("y of 256 columns", with_first_columns(256), (3, 300), "writing y: only the first 256 columns"),
    ("y of 40 columns", with_first_columns(40), (4, 50), None),
    ("eps outside", with_eps_outside, (5, 48), "eps: added to the reciprocal root"),
    *((f"merged blocks of {block}", merged(block), (5, 200), f"partial variances merged without delta^2: in blocks of {block}")
      for block in (8, 16, 32, 64, 128)),
    ("merged halves", merged(100), (5, 200), "partial variances merged without delta^2: in 2 equal parts"),
    ("merged blocks of 24", merged(24), (5, 200), None)]


@pytest.mark.parametrize("fn, shape, name", [row[1:] for row in FORWARD], ids=[row[0] for row in FORWARD])
def test_a_wrong_forward_of_a_norm_has_its_name_or_none(fn, shape, name):
    expect_name(judge_norm(fn, shape, offset=0.5), name)


def expect_name(report, name):
    found = names(report)
    if name is None:
        assert found == []
    else:
        assert len(found) == 1 and found[0].startswith(f"agrees with '{name}'"), found


def scaled(factor):
    return lambda g, x_hat, rstd: (g - factor * g.mean(-1, keepdims=True)
                                   - x_hat * factor * (g * x_hat).mean(-1, keepdims=True)) * rstd


def without_last(programs, in_turn=False):
    """Sums over rows without those of the last program."""
    def reduce(terms):
        rows, share = len(terms), -(-len(terms) // programs)
        kept = np.arange(rows) % programs != programs - 1 if in_turn else np.arange(rows) < share * (programs - 1)
        return terms[kept].sum(0)
    return reduce


LOST = "grad_gamma and grad_beta: "
BACKWARD = [
    ("detached statistics", backward(lambda g, x_hat, rstd: g * rstd), "statistics: treated as constants in the backward pass"),
    *((f"{shards} shards of the means", backward(scaled(shards)),
       f"means in grad_x: summed over {shards} shards instead of averaged") for shards in (2, 4, 8)),
    *((f"{shards} shards of the gradients", backward(reduce=lambda terms, shards=shards: terms.sum(0) * shards),
       LOST + f"summed over {shards} shards instead of averaged") for shards in (2, 4, 8)),
    ("2 programs", backward(reduce=without_last(2)), LOST + "the sum of the last of 2 programs is lost"),
    *((f"{programs} programs in turn", backward(reduce=without_last(programs, True)),
       LOST + f"of {programs} programs that take rows in turn, the last sum is lost") for programs in (2, 4, 8, 16)),
    ("3 programs", backward(reduce=without_last(3)), None),
    ("5 programs in turn", backward(reduce=without_last(5, True)), None)]


@pytest.mark.parametrize("own, name", [row[1:] for row in BACKWARD], ids=[row[0] for row in BACKWARD])
def test_a_wrong_backward_of_a_norm_has_its_name_or_none(own, name):
    expect_name(judge_norm(layer_norm, (61, 16), own), name)


def test_detached_batch_statistics_are_not_taken_for_a_mask():
    def batch_norm(x, gamma, beta, eps=1e-5):
        return layer_norm(x.T, gamma[:, None], beta[:, None], eps).T

    def own(grad_y, x, gamma, beta, eps=1e-5):
        mean, rstd = statistics(x.T, eps)
        return grad_y * gamma * rstd.T, (grad_y * ((x.T - mean) * rstd).T).sum(0), grad_y.sum(0)
    width = 6
    report = normproof.judge(batch_norm, "batch_norm", x=random(40, width), gamma=1 + random(width, seed=3) / 3,
                             beta=random(width, seed=4), grad_y=random(40, width, seed=2), backward=own,
                             running_mean=np.zeros(width, np.float32), running_variance=np.ones(width, np.float32),
                             outputs="y,grad_x,grad_gamma,grad_beta")
    expect_name(report, "statistics: treated as constants in the backward pass")


def maxima_and_sums(x, block):
    """Online softmax that does not rescale the old sum when the maximum grows."""
    largest, total = np.full(x.shape[:-1] + (1,), -np.inf, x.dtype), np.zeros(x.shape[:-1] + (1,), x.dtype)
    for begin in range(0, x.shape[-1], block):
        part = x[..., begin:begin + block]
        largest = np.maximum(largest, part.max(-1, keepdims=True))
        total = total + np.exp(part - largest).sum(-1, keepdims=True)
    return largest, total


def softmax(x, block):
    largest, total = maxima_and_sums(x, block)
    return np.exp(x - largest) / total


def log_softmax(x, block):
    largest, total = maxima_and_sums(x, block)
    return x - largest - np.log(total)


def log_sum_exp(x, block):
    largest, total = maxima_and_sums(x, block)
    return (largest + np.log(total))[..., 0]


NOT_RESCALED = "sum of exponentials not rescaled when the maximum grows: "


@pytest.mark.parametrize("fn", [softmax, log_softmax, log_sum_exp], ids=lambda fn: fn.__name__)
@pytest.mark.parametrize("block, words", [(1, "element by element"), (4, "in blocks of 4"), (16, "in blocks of 16")])
def test_an_online_softmax_that_rescales_no_old_sum_has_its_name(fn, block, words):
    report = normproof.judge(lambda x: fn(x, block), fn.__name__, x=2 * random(5, 48))
    expect_name(report, NOT_RESCALED + words)


@pytest.mark.parametrize("sums, name", [("sum", "sum of exponentials"), ("values", "sum of values"),
                                        ("both", "sums of exponentials and values")])
@pytest.mark.parametrize("block, words", [(1, "element by element"), (16, "in blocks of 16")])
def test_an_attention_in_one_pass_that_rescales_no_old_sum_has_its_name(sums, name, block, words):
    def attention(q, k, v):
        scores = q @ k.swapaxes(-1, -2) / q.dtype.type(np.sqrt(q.shape[-1]))
        largest = np.full(scores.shape[:-1] + (1,), -np.inf, q.dtype)
        total, y = np.zeros_like(largest), np.zeros_like(q)
        for begin in range(0, k.shape[-2], block):
            part = scores[..., begin:begin + block]
            old, largest = largest, np.maximum(largest, part.max(-1, keepdims=True))
            weights = np.exp(part - largest)
            total = total * (1 if sums != "values" else np.exp(old - largest)) + weights.sum(-1, keepdims=True)
            y = y * (1 if sums != "sum" else np.exp(old - largest)) + weights @ v[..., begin:begin + block, :]
        return y / total
    report = normproof.judge(attention, "attention", q=random(1, 2, 8, 16), k=2 * random(1, 2, 40, 16, seed=2),
                             v=random(1, 2, 40, 16, seed=3))
    expect_name(report, f"{name} not rescaled when the maximum grows: {words}")


def test_a_mean_over_ignored_targets_has_its_name():
    def cross_entropy(logits, targets):
        log_p = logits - logits.max(-1, keepdims=True)
        log_p = log_p - np.log(np.exp(log_p).sum(-1, keepdims=True))
        counts = targets != -100
        own = log_p[np.arange(len(targets)), np.where(counts, targets, 0)]
        return np.array([-(own * counts).sum() / len(targets)], logits.dtype)
    targets = np.arange(12) % 10
    targets[[3, 7]] = -100
    report = normproof.judge(cross_entropy, "cross_entropy", logits=random(12, 10), targets=targets)
    expect_name(report, "mean loss: divided by the number of all rows, with ignored ones")


def attention(q, k, v, scale=None, visible=None):
    scores = q @ np.swapaxes(k, -1, -2) * q.dtype.type(scale or q.shape[-1] ** -0.5)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights = weights if visible is None else weights * visible(*scores.shape[-2:])
    return weights / weights.sum(-1, keepdims=True) @ v


def judge_attention(fn, queries, keys, **options):
    return normproof.judge(fn, "attention", q=random(2, 1, queries, 4), k=random(2, 1, keys, 4, seed=2),
                           v=random(2, 1, keys, 3, seed=3), strict=True, **options)


def lower(queries, keys):
    return np.tri(queries, keys, dtype=np.float32)


def test_a_causal_mask_that_the_case_does_not_have_has_its_name():
    def aligned_at_the_first_key(q, k, v):
        return attention(q, k, v, visible=lower)
    for queries, keys in ((5, 3), (3, 5)):
        expect_name(judge_attention(aligned_at_the_first_key, queries, keys),
                    "causal mask: applied although the attention is not causal, aligned at the first key")
    assert names(judge_attention(aligned_at_the_first_key, 4, 4)) == ["the answer is right for causal=True: y"]
    assert names(judge_attention(lambda q, k, v, causal: attention(q, k, v), 4, 4, causal=True)) == [
        "the answer is right for causal=False: y"]


def test_a_number_that_the_kernel_ignores_is_suggested():
    report = judge_attention(lambda q, k, v, scale: attention(q, k, v), 3, 4, scale=0.25)
    assert names(report) == ["the answer is right for scale=None: y"]
    fixed = normproof.judge(lambda x, gamma, beta, eps: layer_norm(x, gamma, beta), "layer_norm", x=random(4, 6),
                            gamma=random(6, seed=2), beta=random(6, seed=3), eps=0.01)
    assert names(fixed) == ["the answer is right for eps=1e-05: y"]


def l2_floor(x, eps=1e-6):
    return x / np.maximum(np.sqrt((x * x).sum(-1, keepdims=True)), x.dtype.type(eps))


def test_another_placement_of_eps_is_suggested():
    report = normproof.judge(l2_floor, "l2_norm", x=0.1 * random(4, 6), eps=0.5, strict=True)
    assert names(report) == ["the answer is right for eps_placement='floor': y"]
    assert normproof.judge(lambda x, eps, eps_placement: l2_floor(x, eps), "l2_norm", x=0.1 * random(4, 6), eps=0.5,
                           eps_placement="floor").passed


def flush(x):
    return np.where(np.abs(x) < np.finfo(np.float32).tiny, np.float32(0), x)


def test_flushing_is_suggested_only_if_it_is_not_declared():
    x = np.float32(1e-40) * random(4, 6)
    report = normproof.judge(lambda x: flush(kernels.relu(x)), "relu", x=x)
    assert names(report) == ["the answer is right for flush_subnormals=True: y"]
    assert normproof.judge(lambda x: flush(kernels.relu(x)), "relu", x=x, flush_subnormals=True).passed
    wrong = normproof.judge(lambda x: x * 0 + np.float32(3), "relu", x=x, flush_subnormals=True)
    assert not any("flush" in name for name in names(wrong))


def test_the_options_that_are_suggested_are_in_the_report():
    report = normproof.check(l2_floor, "l2_norm", only="*tiny*")
    assert report.passed or "right for eps_placement='floor'" in str(report)


def bfloat16_kernels():
    torch = pytest.importorskip("torch")

    def norm(x, gamma, beta, eps=1e-5):
        wide = x.float()
        mean = wide.mean(-1, keepdim=True)
        rstd = torch.rsqrt(wide.var(-1, unbiased=False, keepdim=True) + eps)
        return ((wide - mean) * rstd * gamma.float() + beta.float()).to(x.dtype)

    def first_block(x, gamma, beta, eps=1e-5):
        y = torch.zeros_like(x)
        part = x[:, :128].float()
        n = x.shape[-1]
        mean = part.sum(-1, keepdim=True) / n
        variance = ((part - mean) ** 2).sum(-1, keepdim=True) / n
        y[:, :128] = ((part - mean) * torch.rsqrt(variance + eps) * gamma[:128].float() + beta[:128].float()).to(x.dtype)
        return y
    return torch, [
        (lambda x, gamma, beta, eps=1e-5: norm(x, gamma[:1].expand(len(gamma)), beta, eps),
         "elements of gamma: the first element used for all"),
        (lambda x, gamma, beta, eps=1e-5: norm(x, gamma[torch.arange(len(x)) % len(gamma)][:, None], beta, eps),
         "elements of gamma: the number of the row used as index"),
        (first_block, "columns: only the first 128 are read and written"),
        (lambda x, gamma, beta, eps=1e-5: norm(x, gamma, beta * 0, eps), "beta: dropped")]


def test_mistakes_in_bfloat16_have_their_names():
    torch, wrong = bfloat16_kernels()
    x, gamma, beta = (torch.from_numpy(values).to(torch.bfloat16)
                      for values in (random(6, 256) + 1, 1 + random(256, seed=3) / 3, random(256, seed=4)))
    for fn, name in wrong:
        expect_name(normproof.judge(fn, "layer_norm", x=x, gamma=gamma, beta=beta, framework="torch"), name)
