"""Tests normproof.judge, which certifies user-supplied tensors on the spot."""
import subprocess
import sys

import kernels
import numpy as np
import pytest

import normproof


@pytest.fixture
def given():
    rng = np.random.default_rng(1)
    return {"x": (1e3 + rng.standard_normal((8, 64))).astype(np.float32), "gamma": rng.random(64).astype(np.float32),
            "beta": rng.random(64).astype(np.float32), "eps": 1e-6}


def one_pass(x, gamma, beta, eps):
    mean = x.mean(-1, keepdims=True)
    with np.errstate(all="ignore"):
        return gamma * (x - mean) / np.sqrt((x * x).mean(-1, keepdims=True) - mean * mean + x.dtype.type(eps)) + beta


def test_user_supplied_tensors_are_judged(given):
    report = normproof.judge(kernels.layer_norm, "layer_norm", **given)
    assert report and report.results[0].path == "own/layer_norm/own-8x64-float32"
    wrong = normproof.judge(one_pass, "layer_norm", **given)
    assert not wrong and "one-pass variance" in wrong.failures[0].text


def test_gradients_are_judged_if_grad_y_is_given(given):
    given["grad_y"] = np.ones_like(given["x"])
    report = normproof.judge(kernels.layer_norm, "layer_norm", backward=kernels.layer_norm_backward, **given)
    assert report and {tensor["name"] for tensor in report.results[0].tensors} >= {"grad_x", "grad_gamma"}


def test_a_named_gradient_needs_grad_y(given):
    with pytest.raises(normproof.UsageError, match="outputs= names grad_x, and grad_y is absent; expected grad_y="):
        normproof.judge(kernels.layer_norm, "layer_norm", outputs="grad_x", backward=kernels.layer_norm_backward, **given)


def test_the_format_of_sums_may_be_a_dtype(given):
    given["x"] = given["x"] - 1e3
    for accumulation in ("float16", np.float16, np.dtype("float16")):
        report = normproof.judge(kernels.layer_norm, "layer_norm", accumulation=accumulation, **given)
        assert report and "accumulation is float16" in "".join(report.conventions)
    with pytest.raises(normproof.UsageError, match="accumulation="):
        normproof.judge(kernels.layer_norm, "layer_norm", accumulation=7, **given)


@pytest.mark.parametrize("op", ["layer_norm", "instance_norm", "group_norm"])
def test_the_folded_form_with_gamma_alone_is_named(op):
    x = np.full((1, 1, 1) if op == "instance_norm" else (1, 1), 3.004, np.float16)
    report = normproof.judge(lambda x, gamma, eps: np.full_like(x, 2e-4), op, x=x, eps=1e-6,
                             gamma=np.full(1, 3.564, np.float16))
    assert "the folded form x r - m r" in report.failures[0].text


def wraps_at_a_short(x, gamma, beta, eps):
    """A layer norm with an index of 16 bits: elements beyond 2^15 are written over the first ones."""
    y, width = kernels.layer_norm(x, gamma, beta, eps), x.shape[-1]
    rows = 2**15 // width
    for at in range(rows, len(y), rows):
        y[at:at + rows] = 0
    return y


def test_an_index_that_wraps_fails_in_a_copy_of_the_rows(given):
    assert normproof.judge(wraps_at_a_short, "layer_norm", repeat=64, **given)
    report = normproof.judge(wraps_at_a_short, "layer_norm", repeat=65, **given)
    assert not report and "got 0, exact" in report.failures[0].text
    assert "the rows 65 times, 33,280 elements: copy 65 is judged, from element 32,768 on" in str(report)
    assert "repeat=65" in report.repro()
    assert normproof.judge(kernels.layer_norm, "layer_norm", repeat=65, **given)
    assert normproof.judge(kernels.relu, "relu", repeat=9, x=given["x"][:1])


@pytest.mark.parametrize("op, changed, sentence", [
    ("layer_norm", {"repeat": 0}, "repeat=0; expected a whole number from 1"),
    ("layer_norm", {"repeat": 2, "x": np.ones(64, np.float32)}, "x has shape [64]; expected two axes or more"),
    ("layer_norm", {"repeat": 2, "grad_y": np.ones((8, 64), np.float32)}, "repeat= is of the forward alone; expected no grad_y"),
    ("batch_norm", {"repeat": 2}, "repeat= is given, but batch_norm does not compute each row alone")])
def test_rows_that_cannot_be_repeated_are_rejected_in_one_sentence(given, op, changed, sentence):
    with pytest.raises(normproof.UsageError) as caught:
        normproof.judge(kernels.layer_norm, op, **{**given, **changed})
    assert sentence in str(caught.value) and "\n" not in str(caught.value)


def test_x_of_any_rank_reaches_the_function_unchanged(given):
    seen = []

    def layer_norm(x, gamma, beta, eps):
        seen.append(x.shape)
        return kernels.layer_norm(x, gamma, beta, eps)
    given["x"] = given["x"].reshape(2, 2, 2, 64)
    assert normproof.judge(layer_norm, "layer_norm", **given) and seen == [(2, 2, 2, 64)]


@pytest.mark.parametrize("changed, sentence", [
    ({"gamma": np.ones(5, np.float32)}, "gamma has shape [5]; expected shape [64]"),
    ({"epsilon": 1e-6}, "eps is given twice, as eps= and as epsilon=; expected one of them"),
    ({"epsi": 1e-6}, "layer_norm has no 'epsi'; expected 'eps', of x, and perhaps grad_y, valid, gamma, beta, eps"),
    ({"threads": 1.5}, "threads=1.5; expected a whole number from 0"),
    ({"outputs": []}, "outputs=[]; expected names as 'y,grad_x', a list of them, or None for all"),
    ({"gamma": 1.5}, "gamma=1.5; expected a tensor of NumPy or of a framework"),
    ({"gamma": [[1, 2], 3]}, "gamma=[[1, 2], 3]; expected a tensor"),
    ({"gamma": [1.0] * 64}, "expected a tensor of NumPy or of a framework: a list has no dtype"),
    ({"x": np.ma.masked_less(np.ones((8, 64), np.float32), 0)}, "x has a mask (numpy.ma), which would be lost; expected a plain"),
    ({"eps": np.ones((2, 3))}, "eps=ndarray float64 [2, 3]; expected a plain value, as eps is an option of layer_norm"),
    ({"gamma": np.ones(64, np.int32)}, "gamma has dtype int32; expected a floating dtype"),
    ({"grad_y": np.ones((8, 64))}, "grad_y has dtype float64; expected float32, that of x"),
    ({"x": np.ones((8, 64), np.int64)}, "x has dtype int64; expected a floating dtype"),
    ({"mode": "train"}, "mode='train'; expected 'training' or 'inference'"),
    ({"x": None}, "layer_norm needs x=, which is not given; expected x"),
    ({"seconds": -1}, "seconds=-1; expected a number above 0 and up to 1e+06, or None"),
    ({"device": "cuda"}, "device='cuda', but arrays of NumPy are on the CPU"),
    ({"x": np.zeros((2, 3), complex)}, "x has dtype complex128; expected a floating dtype")])
def test_an_invalid_argument_is_rejected_in_one_sentence(given, changed, sentence):
    with pytest.raises(normproof.UsageError) as caught:
        normproof.judge(kernels.layer_norm, "layer_norm", **{**given, **changed})
    assert sentence in str(caught.value) and "\n" not in str(caught.value)


def test_modules_are_judged_on_images():
    torch = pytest.importorskip("torch")
    torch.manual_seed(1)
    image = {"x": torch.randn(2, 6, 4, 5), "grad_y": torch.randn(2, 6, 4, 5), "gamma": torch.randn(6), "beta": torch.randn(6)}
    assert normproof.judge(torch.nn.GroupNorm, "group_norm", groups=3, **image)
    assert normproof.judge(torch.nn.BatchNorm2d, "batch_norm", running_mean=torch.zeros(6), running_variance=torch.ones(6),
                           **image)
    assert normproof.judge(torch.nn.LayerNorm, "layer_norm", x=torch.randn(3, 9).bfloat16(),
                           gamma=torch.ones(9).bfloat16(), beta=torch.zeros(9).bfloat16(), accumulation="bfloat16")


def attention(query, key, value):
    weights = np.exp(query @ key.swapaxes(-1, -2) / np.sqrt(query.shape[-1]).astype(query.dtype))
    return weights / weights.sum(-1, keepdims=True) @ value


def test_tensors_are_accepted_by_the_corpus_names_and_by_their_aliases():
    rng = np.random.default_rng(2)
    q, k, v = (rng.standard_normal((2, 2, rows, 4)).astype(np.float32) for rows in (3, 5, 5))
    assert normproof.judge(attention, "attention", q=q, k=k, v=v)
    assert normproof.judge(attention, "attention", query=q, key=k, value=v, scale=None)
    assert not normproof.judge(attention, "attention", query=q, key=k, value=-v + 1, scale=1.0)
    assert normproof.judge(lambda x: np.log(np.exp(x).sum(-1)), "log_sum_exp", x=q)
    assert normproof.judge(lambda x: np.log(np.exp(x).sum(-1)), "log_sum_exp", x=q[0, 0])
    cos, sin = np.ones((3, 2), q.dtype), np.zeros((3, 2), q.dtype)
    assert normproof.judge(lambda x, cos, sin: x, "rope", x=q, cos=cos, sin=sin)
    loss = normproof.judge(lambda input, target: (np.log(np.exp(input).sum(-1)) - input[np.arange(3), target]).mean(),
                           "cross_entropy", input=q[0, 0], target=np.array([1, 0, 3]))
    assert loss and loss.results[0].tensors[0]["name"] == "loss"


@pytest.mark.parametrize("op, given, sentence", [
    ("attention", {"q": 1, "key": 1}, "attention needs v=, which is not given; expected q, k, v"),
    ("attention", {"q": 1, "kye": 1, "v": 1}, "attention has no 'kye'; expected 'key'"),
    ("cross_entropy", {"logits": 1}, "cross_entropy needs targets=, which is not given; expected logits, targets"),
    ("rope", {"x": 1}, "rope needs cos=, which is not given; expected x, cos, sin"),
    ("layer_nrom", {"x": 1}, "op='layer_nrom' is unknown; expected 'layer_norm'")])
def test_unknown_and_missing_tensors_are_rejected_in_one_sentence(op, given, sentence):
    tensors = {name: np.ones((1, 2, 3, 4), np.float32) for name in given}
    with pytest.raises(normproof.UsageError) as caught:
        normproof.judge(attention, op, **tensors)
    assert sentence in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("kind", [np.int64, np.int32, np.uint8])
def test_classes_reach_the_function_with_their_dtype(kind):
    seen = []

    def loss(logits, targets):
        seen.append(targets.dtype)
        return (np.log(np.exp(logits).sum(-1)) - logits[np.arange(3), targets]).mean()
    report = normproof.judge(loss, "cross_entropy", logits=np.ones((3, 4), np.float32), targets=np.array([0, 3, 1], kind))
    assert report and seen == [kind]
    assert ("targets have dtype" in str(report)) == (kind != np.int64)


@pytest.mark.parametrize("targets", [np.array([0.0, 1, 2], np.float32), np.array([True, False, True])])
def test_classes_that_are_no_integers_are_rejected_in_one_sentence(targets):
    with pytest.raises(normproof.UsageError, match="targets has dtype .*; expected classes as int64, int32 or uint8"):
        normproof.judge(lambda logits, targets: 0, "cross_entropy", logits=np.ones((3, 4), np.float32), targets=targets)


def test_the_report_mentions_parameters_of_another_dtype(given):
    report = normproof.judge(kernels.layer_norm, "layer_norm", **{**given, "gamma": given["gamma"].astype(np.float64)})
    assert report and "gamma has dtype float64" in str(report) and "beta has dtype" not in str(report)


def test_plain_values_for_tensors_are_rejected_in_one_sentence():
    x = np.ones((1, 1, 2, 3), np.float32)
    with pytest.raises(normproof.UsageError, match="^normproof.judge: q='a'; expected a tensor of NumPy or of a framework$"):
        normproof.judge(attention, "attention", q="a", k=x, v=x)
    with pytest.raises(normproof.UsageError, match="q is given twice, as query= and as q=; expected one of them"):
        normproof.judge(attention, "attention", query=x, q=x, k=x, v=x)
    with pytest.raises(normproof.UsageError, match="k has dtype float64; expected float32, that of q"):
        normproof.judge(attention, "attention", q=x, k=x.astype(np.float64), v=x)


def test_a_returned_sum_is_judged():
    x = np.random.default_rng(4).standard_normal((3, 8)).astype(np.float32)

    def add_rms_norm(x, residual, gamma, eps):
        return kernels.rms_norm(x + residual, gamma, eps), x + residual + wrong
    for wrong in (0, 1):
        report = normproof.judge(add_rms_norm, "add_rms_norm", x=x, residual=x, gamma=x[0])
        assert bool(report) == (wrong == 0) and {one["name"] for one in report.results[0].tensors} == {"y", "sum"}


def test_residual_norms_accept_eps_and_any_rank():
    x = np.random.default_rng(3).standard_normal((2, 2, 3, 8)).astype(np.float32)
    gamma = np.ones(8, np.float32)

    def add_layer_norm(x, residual, weight, bias, eps):
        assert x.ndim == 4
        return kernels.layer_norm(x + residual, weight, bias, eps)
    for eps, fn in ((1e-3, add_layer_norm), (np.float32(0.25), add_layer_norm)):
        assert normproof.judge(fn, "add_layer_norm", x=x, residual=x, weight=gamma, bias=gamma, eps=eps)
    wrong = normproof.judge(lambda x, residual, gamma, beta: add_layer_norm(x, residual, gamma, beta, 1e-5),
                            "add_layer_norm", x=x, residual=x, gamma=gamma, beta=gamma, eps=1e-3)
    assert wrong.failures and "eps is 0.001" in wrong.conventions  # the caller says that the function has this eps


def test_repro_writes_the_tensors_and_repeats_the_case(given, tmp_path):
    given["eps"] = 0.25
    report = normproof.judge(kernels.eps_outside, "layer_norm", accumulation="float32", **given)
    text = report.repro(folder=tmp_path)
    assert len(text.splitlines()) == 5 and 'accumulation="float32"' in text and "eps=0.25" in text
    again = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
    assert again.stdout == f"{report}\n", again.stderr
    assert report.repro(folder=tmp_path) == text and len(list(tmp_path.iterdir())) == 1
    with pytest.raises(normproof.OutputError, match="No such file"):
        report.repro(folder=tmp_path / "absent")


def test_repro_includes_the_framework_and_the_mode(tmp_path):
    torch = pytest.importorskip("torch")
    x = torch.tensor([[0.5, 1.5, 2.5, -1.0]]).bfloat16()
    report = normproof.judge(lambda x: -x, "relu", x=x, mode="inference")
    lines = report.repro(folder=tmp_path).splitlines()
    assert 'mode="inference", framework="torch"' in lines[-2]
    again = eval(lines[-2].removeprefix("report = "), {"normproof": normproof})
    assert str(again) == str(report) and "bfloat16" in str(report)


def decoder_layer_of_one_head(tensors, causal=True):
    """Returns y of a post-norm decoder layer with LayerNorm and relu, in float64."""
    def linear(name, x):
        return x @ tensors[name + ".weight"].T + tensors[name + ".bias"]

    def softmax(scores, seen):
        scores = np.where(seen, scores, -np.inf)
        e = np.exp(scores - scores.max(-1, keepdims=True))
        return e / e.sum(-1, keepdims=True)

    def norm(name, x):
        return kernels.layer_norm(x, tensors[name + ".gamma"], tensors[name + ".beta"], 1e-5)
    x, memory, width = tensors["x"], tensors["memory"], tensors["x"].shape[-1]
    q, k, v = np.split(linear("self_attention.in", x), 3, -1)
    seen = np.tri(x.shape[1], dtype=bool) if causal else np.ones((x.shape[1],) * 2, bool)
    y = softmax(q @ k.swapaxes(-1, -2) / np.sqrt(width), seen & tensors["valid"][:, None]) @ v
    h = norm("norm1", x + linear("self_attention.out", y))
    k, v = np.split(linear("cross_attention.memory", memory), 2, -1)
    q = linear("cross_attention.query", h)
    y = softmax(q @ k.swapaxes(-1, -2) / np.sqrt(width), tensors["memory_valid"][:, None]) @ v
    g = norm("norm2", h + linear("cross_attention.out", y))
    return norm("norm3", g + linear("feed_forward.second", np.maximum(linear("feed_forward.first", g), 0)))


@pytest.mark.parametrize("op", ["encoder_layer", "decoder_layer"])
@pytest.mark.parametrize("options, said", [
    ({"num_heads": 5}, ": num_heads is 5; expected a divisor of d_model, 4"),
    ({"num_heads": 0}, ": num_heads is 0; expected 1 or more"),
    ({"norm.eps": -1.0}, "layer_norm: norm.eps is -1; expected eps >= 0")])
def test_an_invalid_option_is_rejected_by_the_name_that_the_caller_used(op, options, said):
    case = normproof.case(f"quick/{op}/post_layer_norm-2x3x4-float64")
    given = {name: stored.array() for name, stored in case.tensors.items()}
    with pytest.raises(normproof.UsageError) as error:
        normproof.judge(lambda x, **others: x, op, outputs="y", **given, **options)
    assert said in str(error.value), str(error.value)
    assert not any(side in str(error.value) for side in ("encoder.", "decoder."))


@pytest.mark.parametrize("kind", [bool, float])
def test_masks_of_a_decoder_layer_may_be_booleans_or_0_and_1(kind, tmp_path):
    rng = np.random.default_rng(3)
    shapes = {"x": (2, 3, 4), "memory": (2, 5, 4), "self_attention.in.weight": (12, 4), "self_attention.in.bias": (12,),
              "cross_attention.memory.weight": (8, 4), "cross_attention.memory.bias": (8,),
              "feed_forward.first.weight": (6, 4), "feed_forward.first.bias": (6,), "feed_forward.second.weight": (4, 6)}
    shapes.update({f"{name}.weight": (4, 4) for name in ("self_attention.out", "cross_attention.query", "cross_attention.out")})
    vectors = [name[:-6] + "bias" for name in shapes if name.endswith(".weight")]
    vectors += [f"norm{n}.{part}" for n in (1, 2, 3) for part in ("gamma", "beta")]
    tensors = {name: rng.standard_normal(shapes.get(name, (4,))) for name in (*shapes, *vectors)}
    tensors["valid"] = np.array([[1, 1, 1], [1, 1, 0]]).astype(kind)
    tensors["memory_valid"] = np.array([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]]).astype(kind)

    def of_booleans(causal):
        return lambda **given: decoder_layer_of_one_head(
            {**given, **{name: given[name].astype(bool) for name in ("valid", "memory_valid")}}, causal)
    tensors["grad_y"] = rng.standard_normal((2, 3, 4))
    options = {"num_heads": 1, "norm.eps": 1e-5}
    assert normproof.judge(of_booleans(True), "decoder_layer", **tensors, **options, outputs="y")
    wrong = normproof.judge(of_booleans(False), "decoder_layer", **tensors, **options, outputs="y")
    assert not wrong and "causal mask: not applied" in wrong.failures[0].text
    compile(wrong.repro(folder=tmp_path), "repro", "exec")


def test_decoding_is_judged_in_inference_with_the_options_of_a_case():
    case = normproof.case("quick/decoding/chunk_power_norm-3x2-float64")
    given = {name: stored.array() for name, stored in case.tensors.items()}
    exact = kernels.exact(case)["logits"]
    assert normproof.judge(lambda **others: exact, "decoding", **given, **case.options)
    assert not normproof.judge(lambda **others: exact + 1, "decoding", **given, **case.options)
    with pytest.raises(normproof.UsageError, match="training"):
        normproof.judge(lambda **others: exact, "decoding", mode="training", **given, **case.options)


@pytest.mark.parametrize("op", ["encoder", "translator", "language_model", "decoding"])
def test_a_scaled_embedding_is_an_option_under_either_name(op):
    case = normproof.case(f"quick/{op}/scaled_embedding-2x3-float64")
    given = {name: stored.array() for name, stored in case.tensors.items()}
    options = dict(case.options)
    assert options.pop("scaled_embedding")
    exact = kernels.exact(case)
    for name in ("scaled_embedding", "scale_embedding"):
        assert normproof.judge(lambda **others: exact, op, **given, **options, **{name: True})
    wrong = normproof.judge(lambda **others: exact, op, **given, **options)
    assert "factor sqrt(D)" in wrong.failures[0].text


def test_the_report_counts_cases_of_other_dtypes():
    asked = lambda dtype: [line for line in normproof.check(kernels.exact, "decoding", dtype=dtype).conventions if "not asked" in line]
    assert asked("float32") == ["cases not asked for their dtype: 4 of float64, 1 of bfloat16"]
    assert asked(["float64", "float32"]) == ["cases not asked for their dtype: 1 of bfloat16"]


def test_an_output_whose_bounds_accept_any_answer_is_not_verified():
    case = normproof.case("quick/decoding/post_layer_norm-2x3-float64")
    given = {name: stored.array() for name, stored in case.tensors.items()}
    given = {name: array.astype(np.float32) if array.dtype == np.float64 else array for name, array in given.items()}
    zeros = np.zeros_like(kernels.exact(case)["logits"], np.float32)
    narrow = normproof.judge(lambda **others: zeros, "decoding", **given, **case.options)
    assert not narrow and "logits at" in str(narrow)
    wide = normproof.judge(lambda **others: zeros, "decoding", accumulation="bfloat16", **given, **case.options)
    assert not wide and not wide.failures
    assert "not verified" in str(wide) and "expected 1 case or more in which something is verified" in str(wide)


def test_decoding_treats_an_empty_cache_as_no_cache():
    case = normproof.case("quick/decoding/post_layer_norm-2x3-float64")
    given = {name: stored.array() for name, stored in case.tensors.items()}
    none = np.zeros((2, 0, given["memory"].shape[-1]))
    past = {f"layers.0.self_attention.past_{part}": none for part in ("keys", "values")}
    exact, seen = kernels.exact(case), []

    def whole(case):
        seen.append(case.get("layers.0.self_attention.past_keys").shape)
        return exact
    report = normproof.judge(whole, "decoding", **given, **past, **case.options)
    assert report and seen == [none.shape] and len(report.results[0].tensors) == 3
    without_the_first = {**exact, "logits": exact["logits"][:, ::-1].copy()}
    assert not normproof.judge(lambda **others: without_the_first, "decoding", **given, **past, **case.options)
    for absent in past:
        with pytest.raises(normproof.UsageError, match=f"{absent} is absent"):
            normproof.judge(whole, "decoding", **given, **{name: none for name in past if name != absent}, **case.options)


@pytest.mark.parametrize("name", ["memory", "head.weight", "layers.0.self_attention.past_keys", "final_norm.running_psi2"])
def test_integer_weights_of_a_model_are_rejected(name):
    case = normproof.case("quick/decoding/chunk_power_norm-3x2-float64")
    given = {own: stored.array() for own, stored in case.tensors.items()}
    with pytest.raises(normproof.UsageError, match=f"{name} has dtype int64; expected a floating dtype"):
        normproof.judge(lambda **others: 0, "decoding", **{**given, name: given[name].astype(np.int64)}, **case.options)


def softmax(x):
    with np.errstate(all="ignore"):
        e = np.exp(x - x.max(-1, keepdims=True))
        return e / e.sum(-1, keepdims=True)


def test_minus_infinity_excludes_an_element_of_softmax():
    x = np.float32([[0, -np.inf], [-np.inf, -3]])
    assert normproof.judge(softmax, "softmax", x=x)
    assert not normproof.judge(lambda x: x * np.nan, "softmax", x=x)
    with np.errstate(all="ignore"):
        assert normproof.judge(lambda x: np.log(softmax(x)), "log_softmax", x=x)
        clipped = normproof.judge(lambda x: np.maximum(np.log(softmax(x)), np.float32(-1e30)), "log_softmax", x=x)
    assert "exact -inf" in clipped.failures[0].text


def test_an_infinity_whose_result_is_not_specified_is_refused():
    with pytest.raises(normproof.UsageError, match=r"x at \[0, 1\] is -inf; expected numbers that are finite or NaN"):
        normproof.judge(lambda x: x / (1 + np.exp(-x)), "silu", x=np.float32([[0, -np.inf]]))


def test_a_tensor_without_a_name_is_refused_in_one_sentence():
    with pytest.raises(normproof.UsageError, match=r"ndarray float32 \[2, 4\] has no name; expected tensors and options by name"):
        normproof.judge(kernels.rms_norm, "rms_norm", np.ones((2, 4), "f"), np.ones(4, "f"))


def test_plus_infinity_in_log_sum_exp_is_refused_because_the_result_is_infinite():
    for x in (np.float32([[0, np.inf]]), np.float32([[0, 1], [-np.inf, np.inf]])):
        with pytest.raises(normproof.UsageError, match="is inf; expected numbers below infinity, because the result of log_sum_exp"):
            normproof.judge(lambda x: np.logaddexp.reduce(x, -1), "log_sum_exp", x=x)


def test_relu_of_minus_infinity_is_zero():
    x, grad_y = np.float32([[1, -np.inf, -2]]), np.ones((1, 3), "f")
    assert normproof.judge(lambda x: np.maximum(x, 0), "relu", x=x, strict=True)
    assert not normproof.judge(lambda x: x * (x > 0), "relu", x=x)
    assert normproof.judge(lambda x, grad_y: (np.maximum(x, 0), grad_y * (x > 0)), "relu", x=x, grad_y=grad_y,
                           outputs="y,grad_x", strict=True)


def test_the_cases_of_relu_find_a_product_of_x_with_the_mask():
    with np.errstate(invalid="ignore"):
        report = normproof.check(lambda x: x * (x > 0), "relu")
    assert [result.path for result in report.failures] == ["quick/relu/minus_infinity-4x6-float32"]


def test_a_bound_that_accepts_zeros_verifies_nothing():
    x = (1e6 + np.random.default_rng(1).normal(size=(8, 64))).astype("f")
    report = normproof.judge(lambda x, eps: x * 0, "layer_norm", x=x)
    assert not report and "512 elements not verified" in str(report)


@pytest.mark.parametrize("wrong", [lambda x, eps: x * 0 + 1000, lambda x, eps: x * np.float32(1e-3)])
def test_numbers_that_no_variance_of_the_row_gives_fail(wrong):
    x = (1e6 + np.random.default_rng(1).normal(size=(8, 64))).astype("f")
    report = normproof.judge(wrong, "layer_norm", x=x)
    assert "512 of 512 elements" in report.failures[0].text


def test_the_tail_of_silu_is_not_verified_by_zeros():
    x = np.linspace(-91.8, -88.8, 64, dtype="f")[None]
    assert "64 elements not verified" in str(normproof.judge(lambda x: x * 0, "silu", x=x))


@pytest.mark.parametrize("op", ["layer_norm", "batch_norm"])
def test_nan_in_x_reaches_grad_x_if_grad_y_is_constant(op):
    x = np.random.default_rng(2).normal(size=(6, 4)).astype("f")
    x[:, 1] = np.nan
    grad_y = np.ones((6, 4), "f")
    right = np.zeros((6, 4), "f")
    right[:, slice(None) if op == "layer_norm" else 1] = np.nan  # a row of LayerNorm, a column of BatchNorm
    assert normproof.judge(lambda x, grad_y=None: {"grad_x": right}, op, x=x, grad_y=grad_y, outputs="grad_x", strict=True)
    assert not normproof.judge(lambda x, grad_y=None: {"grad_x": grad_y * 0}, op, x=x, grad_y=grad_y, outputs="grad_x")


def batch_norm_of_rows(x, eps, grad_y, gamma=None):
    d = x - x.mean(0)
    rstd = 1 / np.sqrt((d * d).mean(0) + np.float32(eps))
    x_hat, g = d * rstd, grad_y if gamma is None else gamma * grad_y
    outputs = {"y": x_hat if gamma is None else gamma * x_hat,
               "grad_x": (g - g.mean(0) - x_hat * (g * x_hat).mean(0)) * rstd}
    return outputs if gamma is None else {**outputs, "grad_gamma": (grad_y * x_hat).sum(0)}


@pytest.mark.parametrize("parameters", [{}, {"gamma": np.float32([1, 2, 3])}])
def test_a_batch_norm_without_state_need_not_return_gradients_of_absent_parameters(parameters):
    x, grad_y = np.random.default_rng(1).standard_normal((2, 5, 3)).astype(np.float32)
    report = normproof.judge(batch_norm_of_rows, "batch_norm", x=x, grad_y=grad_y, **parameters)
    assert report, str(report)
    assert {tensor["name"] for tensor in report.results[0].tensors} == {"y", "grad_x", *(f"grad_{name}" for name in parameters)}
    incomplete = normproof.judge(lambda x, eps, grad_y, gamma=None: {"y": batch_norm_of_rows(x, eps, grad_y, gamma)["y"]},
                                 "batch_norm", x=x, grad_y=grad_y, **parameters)
    assert "grad_x is absent" in incomplete.failures[0].text


@pytest.mark.parametrize("shape", [(2, 1), (2, 3, 1), (3,), (1,)])
def test_log_sum_exp_of_vectors_and_of_single_elements_is_judged_with_gradients(shape):
    def log_sum_exp(x, grad_y=None):
        y = np.log(np.exp(x).sum(-1))
        assert grad_y is None or grad_y.shape == y.shape
        return y if grad_y is None else {"y": y, "grad_x": grad_y[..., None] * np.exp(x - y[..., None])}
    x = np.random.default_rng(1).standard_normal(shape).astype(np.float32)
    assert normproof.judge(log_sum_exp, "log_sum_exp", x=x)
    report = normproof.judge(log_sum_exp, "log_sum_exp", x=x, grad_y=np.full(shape[:-1], 2, np.float32))
    assert report, str(report)
    assert {tensor["name"] for tensor in report.results[0].tensors} == {"y", "grad_x"}
    assert not normproof.judge(lambda x: log_sum_exp(x)[None, None], "log_sum_exp", x=x)


@pytest.mark.parametrize("factor, passed", [(1, True), (2, False)])
def test_counts_of_steps_in_a_layer_may_be_integers(factor, passed):
    case = normproof.case("quick/encoder_layer/post_power_norm-2x3x4-float64")
    given = {name: stored.array() for name, stored in case.tensors.items()}
    exact = kernels.exact(case)
    assert given["norm1.iterations"].dtype == np.int64
    report = normproof.judge(lambda **others: {**exact, "y": factor * exact["y"]}, "encoder_layer",
                             outputs="y", **given, **case.options)
    assert bool(report) == passed, str(report)


def silu_times(gate, up):
    return gate / (1 + np.exp(-gate)) * up


def test_gate_and_up_are_the_operands_of_swiglu():
    rng = np.random.default_rng(1)
    gate, up = (rng.standard_normal((4, 8)).astype(np.float32) for _ in range(2))
    assert normproof.judge(silu_times, "swiglu", gate=gate, up=up)
    with pytest.raises(normproof.UsageError, match="gate is given twice, as gate= and as up="):
        normproof.judge(silu_times, "swiglu", x=gate, gate=up, up=up)


@pytest.mark.parametrize("op, options, sentence", [
    ("layer_norm", {"eps": "1e-5"}, "eps='1e-5'; expected a number"), ("layer_norm", {"eps": True}, "eps=True; expected a number"),
    ("layer_norm", {"zero_centred_gamma": "yes"}, "zero_centred_gamma='yes'; expected True or False"),
    ("l2_norm", {"eps_placement": 1}, "eps_placement=1; expected a text"), ("softmax", {"formula": "stable"}, "formula is stable"),
    ("rms_norm", {"formula": "stable"}, "formula is stable, which rms_norm does not have; expected two_pass or folded"),
    ("rms_norm", {"formula": "one_pass"}, "formula is one_pass, which rms_norm does not have"),
    ("silu", {"cast_order": "before_gamma"}, "cast_order is before_gamma, and silu has no gamma; expected after_gamma")])
def test_an_option_that_the_operation_cannot_have_is_refused(op, options, sentence):
    x = np.ones((2, 4), np.float32)
    with pytest.raises(normproof.UsageError, match=sentence):
        normproof.judge(lambda x, **others: x, op, x=x, **options)


def test_an_option_of_check_that_the_operation_cannot_have_is_refused():
    with pytest.raises(normproof.UsageError, match="formula is stable, which rms_norm does not have; expected two_pass or folded"):
        normproof.check(kernels.rms_norm, "rms_norm", formula="stable")


def masked_softmax(x, mask):
    masked = np.where(mask, x, -np.inf)
    e = np.exp(masked - masked.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


@pytest.mark.parametrize("shape", [(2, 3, 8), (8,), (3, 1), (1, 1, 8), (2, 3, 1)])
def test_a_mask_is_broadcast_to_x_and_reaches_the_function_as_it_is(shape):
    rng = np.random.default_rng(1)
    mask = rng.random(shape) < 0.7 if shape[-1] > 1 else np.ones(shape, bool)
    seen = []

    def softmax(x, mask):
        seen.append(mask.shape)
        return masked_softmax(x, mask)
    assert normproof.judge(softmax, "softmax", x=rng.standard_normal((2, 3, 8)).astype(np.float32), mask=mask)
    assert set(seen) == {shape}
    dropped = normproof.judge(lambda x, mask: masked_softmax(x, True), "softmax", mask=mask,
                              x=rng.standard_normal((2, 3, 8)).astype(np.float32))
    assert bool(dropped) == bool(mask.all())


@pytest.mark.parametrize("shape", [(2, 3, 4), (2, 3, 4, 1), (4,), (2, 1, 1, 1)])
def test_a_mask_of_rows_is_broadcast_to_the_rows(shape):
    rng = np.random.default_rng(1)
    mask = rng.random(shape) < 0.7
    mask.flat[0] = True

    def batch_norm(x, mask, eps):
        assert mask.shape == shape
        rows = np.broadcast_to(mask if mask.ndim == x.ndim else mask[..., None], x.shape)
        axes = tuple(range(x.ndim - 1))
        mean = x.mean(axes, where=rows)
        return (x - mean) / np.sqrt(x.var(axes, where=rows) + x.dtype.type(eps))
    assert normproof.judge(batch_norm, "batch_norm", x=rng.standard_normal((2, 3, 4, 5)).astype(np.float32), valid=mask)


def test_a_mask_that_cannot_be_broadcast_is_refused_in_one_sentence():
    x = np.ones((4, 8), np.float32)
    with pytest.raises(normproof.UsageError, match=r"valid has shape \[5\]; expected \[4, 8\], or a shape that broadcasts to it$"):
        normproof.judge(masked_softmax, "softmax", x=x, mask=np.ones(5, bool))
    with pytest.raises(normproof.UsageError, match=r"valid has shape \[8\]; expected \[4\], or a shape that broadcasts to it$"):
        normproof.judge(lambda x, mask, eps: x, "batch_norm", x=x, mask=np.ones(8, bool))


def test_a_mask_that_is_not_given_has_the_axes_of_x():
    def batch_norm(x, valid, eps):
        assert valid.shape == x.shape[:-1]
        return (x - x.mean((0, 1, 2))) / np.sqrt(x.var((0, 1, 2)) + x.dtype.type(eps))
    x = np.random.default_rng(1).standard_normal((2, 3, 4, 5)).astype(np.float32)
    report = normproof.judge(batch_norm, "batch_norm", x=x)
    assert report and "valid was not given: all are valid" in str(report)


def test_the_report_says_that_a_parameter_was_not_given():
    x = np.random.default_rng(1).standard_normal((4, 8)).astype(np.float32)
    report = normproof.judge(kernels.layer_norm, "layer_norm", x=x)
    assert report and "gamma was not given: ones; beta was not given: zeros" in str(report)
    whole = normproof.judge(kernels.layer_norm, "layer_norm", x=x, gamma=np.ones(8, np.float32), beta=np.ones(8, np.float32))
    assert whole and "was not given" not in str(whole)


@pytest.mark.parametrize("rows", [None, 24])
def test_the_report_has_the_index_of_the_users_tensor(rows):
    x = np.random.default_rng(1).standard_normal((2, 3, 4, 5)).astype(np.float32)

    def wrong(x, eps):
        y = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + x.dtype.type(eps))
        y[1, 2, 0, 4] += 1
        return y
    report = normproof.judge(wrong, "layer_norm", x=x, rows=rows, seed=1 if rows else None)
    assert "y at [20, 4]" in str(report)
    assert "y at [20, 4] is y[1, 2, 0, 4] of your tensors, whose shape is [2, 3, 4, 5]" in str(report)


def test_the_report_has_the_index_of_an_image_with_its_channels_first():
    x = np.random.default_rng(1).standard_normal((2, 6, 3, 4)).astype(np.float32)

    def wrong(x, eps):
        mean, variance = x.mean((0, 2, 3), keepdims=True), x.var((0, 2, 3), keepdims=True)
        y = (x - mean) / np.sqrt(variance + x.dtype.type(eps))
        y[1, 5, 2, 3] += 1
        return y
    report = normproof.judge(wrong, "batch_norm", x=x, layout="channels_first")
    assert "y at [1, 11, 5] is y[1, 5, 2, 3] of your tensors, whose shape is [2, 6, 3, 4]" in str(report)


def rotate_by_wide_tables(x, cos, sin):
    """Rotates x by tables that have each column twice."""
    a, b = np.split(x, 2, axis=-1)
    return x * cos + np.concatenate((-b, a), -1) * sin


def test_a_rotation_takes_queries_and_tables_as_wide_as_a_head():
    generator = np.random.default_rng(5)
    q, angles = generator.standard_normal((2, 5, 8)).astype(np.float32), generator.standard_normal((5, 4)).astype(np.float32)
    cos, sin = (np.concatenate((table, table), -1) for table in (np.cos(angles), np.sin(angles)))
    assert normproof.judge(rotate_by_wide_tables, "rope", q=q, cos=cos, sin=sin)
    assert not normproof.judge(lambda x, cos, sin: rotate_by_wide_tables(x, cos, -sin), "rope", q=q, cos=cos, sin=sin)
    with pytest.raises(normproof.UsageError, match="rope rotates one tensor, and q= is a second one; expected x="):
        normproof.judge(rotate_by_wide_tables, "rope", q=q, k=q, cos=cos, sin=sin)


def test_momentum_is_the_weight_of_the_new_statistics():
    x = np.random.default_rng(6).standard_normal((6, 4)).astype(np.float32)
    state = {"running_mean": np.zeros(4, np.float32), "running_var": np.ones(4, np.float32)}

    def batch_norm(x, running_mean, running_var, momentum, eps=1e-5):
        mean, variance = x.mean(0), x.var(0)
        running_mean = (1 - momentum) * running_mean + momentum * mean
        running_var = (1 - momentum) * running_var + momentum * variance * 6 / 5
        return (x - mean) / np.sqrt(variance + eps), running_mean, running_var
    assert normproof.judge(batch_norm, "batch_norm", x=x, **state, momentum=0.25)
    with pytest.raises(normproof.UsageError, match="momentum=True; expected a number, the weight of the new statistics"):
        normproof.judge(batch_norm, "batch_norm", x=x, **state, momentum=True)


def test_an_upper_case_g_is_the_number_of_groups():
    def group_norm(x, G, weight, bias, eps=1e-5):
        parts = x.reshape(len(x), G, -1)
        parts = (parts - parts.mean(-1, keepdims=True)) / np.sqrt(parts.var(-1, keepdims=True) + np.float32(eps))
        return parts.reshape(x.shape) * weight + bias
    x, weight, bias = np.random.default_rng(7).standard_normal((3, 3, 8)).astype(np.float32)
    assert normproof.judge(group_norm, "group_norm", x=x, G=4, weight=weight[0], bias=bias[0])


def test_a_packed_gate_is_one_tensor():
    def swiglu(gate_up):
        gate, up = np.split(gate_up, 2, axis=-1)
        return gate / (1 + np.exp(-gate)) * up
    packed = np.random.default_rng(8).standard_normal((3, 8)).astype(np.float32)
    assert normproof.judge(swiglu, "swiglu", gate_up=packed)
    assert not normproof.judge(lambda gate_up: swiglu(gate_up) * np.float32(1.001), "swiglu", gate_up=packed)
    with pytest.raises(normproof.UsageError, match="expected a tensor whose last axis is even"):
        normproof.judge(swiglu, "swiglu", gate_up=packed[:, :7])
