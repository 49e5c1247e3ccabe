"""The GPU kernels of jax.experimental.pallas.ops.gpu, interpreted on the CPU. The norms accept [B,T,D] only."""
from jax.experimental.pallas.ops.gpu import layer_norm as layer_norms
from jax.experimental.pallas.ops.gpu import rms_norm as rms_norms
from jax.experimental.pallas.ops.gpu import softmax as softmaxes

from implementations.entries import Entry


def with_three_axes(norm, x):
    return norm(x) if x.ndim == 3 else norm(x[None])[0]


def layer_norm(x, gamma, beta, eps):
    return with_three_axes(lambda batch: layer_norms.layer_norm(batch, gamma, beta, eps=eps, interpret=True), x)


def rms_norm(x, gamma, beta, eps):
    return with_three_axes(lambda batch: rms_norms.rms_norm(batch, gamma, beta, eps=eps, interpret=True), x)


def softmax(x):
    return softmaxes.softmax(x, axis=-1, interpret=True)


def entries():
    options = {"framework": "jax"}
    dtypes = ("float32", "bfloat16")
    return [Entry("pallas.ops.gpu.layer_norm", "layer_norm", layer_norm, dtypes, options),
            Entry("pallas.ops.gpu.rms_norm", "rms_norm", rms_norm, dtypes, options),
            Entry("pallas.ops.gpu.softmax", "softmax", softmax, dtypes, {**options, "outputs": "y"})]
