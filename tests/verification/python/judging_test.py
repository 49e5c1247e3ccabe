"""normproof.judge: the caller's own tensors, certified on the spot."""
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


def test_own_tensors(given):
    report = normproof.judge(kernels.layer_norm, "layer_norm", **given)
    assert report and report.results[0].path == "own/layer_norm/own-8x64-float32"
    wrong = normproof.judge(one_pass, "layer_norm", **given)
    assert not wrong and "one-pass variance" in wrong.failures[0].text


def test_gradients_where_grad_y_is_given(given):
    given["grad_y"] = np.ones_like(given["x"])
    report = normproof.judge(kernels.layer_norm, "layer_norm", backward=kernels.layer_norm_backward, **given)
    assert report and {tensor["name"] for tensor in report.results[0].tensors} >= {"grad_x", "grad_gamma"}


def test_any_rank_reaches_the_function_as_it_is(given):
    seen = []

    def layer_norm(x, gamma, beta, eps):
        seen.append(x.shape)
        return kernels.layer_norm(x, gamma, beta, eps)
    given["x"] = given["x"].reshape(2, 2, 2, 64)
    assert normproof.judge(layer_norm, "layer_norm", **given) and seen == [(2, 2, 2, 64)]


@pytest.mark.parametrize("changed, sentence", [
    ({"gamma": np.ones(5, np.float32)}, "gamma has shape [5]; expected shape [64]"),
    ({"epsilon": 1e-6}, "unknown layer_norm option 'epsilon'; did you mean 'eps'"),
    ({"mode": "train"}, "mode='train'; expected 'training' or 'inference'"),
    ({"x": None}, "layer_norm needs x="),
    ({"x": np.zeros((2, 3), complex)}, "x has a dtype complex128; expected one of float64")])
def test_wrong_argument_is_one_sentence(given, changed, sentence):
    with pytest.raises(normproof.UsageError) as caught:
        normproof.judge(kernels.layer_norm, "layer_norm", **{**given, **changed})
    assert sentence in str(caught.value) and "\n" not in str(caught.value)


def test_modules_and_images():
    torch = pytest.importorskip("torch")
    torch.manual_seed(1)
    image = {"x": torch.randn(2, 6, 4, 5), "grad_y": torch.randn(2, 6, 4, 5), "gamma": torch.randn(6), "beta": torch.randn(6)}
    assert normproof.judge(torch.nn.GroupNorm, "group_norm", groups=3, **image)
    assert normproof.judge(torch.nn.BatchNorm2d, "batch_norm", running_mean=torch.zeros(6), running_variance=torch.ones(6),
                           **image)
    assert normproof.judge(torch.nn.LayerNorm, "layer_norm", x=torch.randn(3, 9).bfloat16(),
                           gamma=torch.ones(9).bfloat16(), beta=torch.zeros(9).bfloat16(), accumulation="bfloat16")
