"""Tests layers of each installed framework without adapters. NORMPROOF_PYTHON names another interpreter."""
import pytest

import normproof

CASES = ["random*", "odd*", "offset_1e2*", "variance*", "tails*", "near_0*"]
NARROW = ["random*", "odd*"]


def check(fn, op, framework, dtypes=("float32",), only=CASES, **options):
    report = normproof.check(fn, op, dtype=list(dtypes), only=only, framework=framework, **options)
    assert report and not report.failures, str(report)
    assert any(result.passed for result in report.results)
    return report


def test_layers_of_jax_pass():
    jax = pytest.importorskip("jax")
    numpy = jax.numpy

    def layer_norm(x, scale, offset, epsilon):
        mean = numpy.mean(x, -1, keepdims=True)
        return scale * (x - mean) * jax.lax.rsqrt(numpy.var(x, -1, keepdims=True) + epsilon) + offset

    def rms_norm(x, scale, eps):
        wide = x.astype(numpy.promote_types(x.dtype, numpy.float32))
        return (wide * jax.lax.rsqrt(numpy.mean(wide * wide, -1, keepdims=True) + eps) * scale).astype(x.dtype)

    assert "gradients by the framework" in str(check(layer_norm, "layer_norm", None, ("float32", "float64")))
    check(rms_norm, "rms_norm", None, ("float32", "bfloat16"), NARROW)
    check(jax.nn.softmax, "softmax", None, ("float32", numpy.float64))
    check(jax.nn.gelu, "gelu_tanh", None)
    check(lambda x: jax.nn.gelu(x, approximate=False), "gelu", "jax")


def test_layers_of_tensorflow_pass():
    tf = pytest.importorskip("tensorflow")

    def layer_norm(x, gamma, beta, epsilon):
        mean, variance = tf.nn.moments(x, [-1], keepdims=True)
        return tf.nn.batch_normalization(x, mean, variance, beta, gamma, epsilon)

    def rms_norm(x, scale, epsilon):
        return x * tf.math.rsqrt(tf.reduce_mean(x * x, -1, keepdims=True) + tf.constant(epsilon, x.dtype)) * scale

    assert "gradients by the framework" in str(check(layer_norm, "layer_norm", None, (tf.float32, tf.float64)))
    check(rms_norm, "rms_norm", None, ("float32", "float64"))
    check(tf.nn.softmax, "softmax", None, ("float32", "bfloat16"), NARROW)
    check(tf.nn.gelu, "gelu", None)
    check(lambda features: tf.nn.gelu(features, approximate=True), "gelu_tanh", "tensorflow")

    def batch_norm(x, gamma, beta, moving_mean, moving_variance, epsilon, training):
        axes = list(range(len(x.shape) - 1))
        mean, variance = tf.nn.moments(x, axes) if training else (moving_mean, moving_variance)
        return tf.nn.batch_normalization(x, mean, variance, beta, gamma, epsilon)
    check(batch_norm, "batch_norm", None, only=NARROW, outputs="y,grad_x,grad_gamma,grad_beta")


def test_layers_of_mlx_pass():
    fast = pytest.importorskip("mlx.core").fast
    nn = pytest.importorskip("mlx.nn")
    check(fast.layer_norm, "layer_norm", None, arguments=["x", "gamma", "beta", "eps"])
    check(fast.rms_norm, "rms_norm", None, arguments=["x", "gamma", "eps"])
    check(lambda x: nn.softmax(x, axis=-1), "softmax", "mlx")
    check(nn.gelu, "gelu", None)


def test_layers_of_tinygrad_pass():
    tensor = pytest.importorskip("tinygrad").Tensor
    check(lambda x, weight, bias, eps: x.layernorm(eps=eps) * weight + bias, "layer_norm", "tinygrad", only=NARROW)
    check(tensor.softmax, "softmax", None, only=NARROW)
    check(lambda x: x.gelu(), "gelu_tanh", "tinygrad", only=NARROW)


def test_layers_of_torch_pass():
    torch = pytest.importorskip("torch")
    check(torch.nn.LayerNorm, "layer_norm", None, (torch.float32, torch.float64))
    if hasattr(torch.nn, "RMSNorm"):
        check(torch.nn.RMSNorm, "rms_norm", None, ("float32", "float64"))
    check(torch.nn.functional.softmax, "softmax", None, (torch.float32, torch.float64))
    check(torch.nn.functional.gelu, "gelu", None, only=NARROW)  # PyTorch 2.15 is beyond the bound in the tails
    check(torch.nn.BatchNorm1d, "batch_norm", None, ("float32",), NARROW)
