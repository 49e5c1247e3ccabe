"""keras.ops and keras.layers on the backend that KERAS_BACKEND names, with the gradients of that framework."""
import keras
from keras import ops

from implementations.entries import FOUR, Entry, pointwise


def layer_norm(x, eps, gamma=None, beta=None):
    return ops.layer_normalization(x, gamma, beta, axis=-1, epsilon=eps)


def rms_norm(x, eps, gamma):
    return ops.rms_normalization(x, gamma, axis=-1, epsilon=eps)


def group_norm(x, groups, eps, gamma, beta):
    """Builds the layer for x, and calls it with gamma and beta in place of its variables."""
    layer = keras.layers.GroupNormalization(groups=groups, axis=-1, epsilon=eps, dtype=keras.backend.standardize_dtype(x.dtype))
    layer.build(x.shape)
    return layer.stateless_call([gamma, beta], [], x)[0]


def entries():
    options = {"framework": keras.backend.backend()}
    return [Entry("ops.layer_normalization", "layer_norm", layer_norm, FOUR, options),
            Entry("ops.rms_normalization", "rms_norm", rms_norm, FOUR, options),
            Entry("layers.GroupNormalization", "group_norm", group_norm, ("float32", "bfloat16"),
                 {**options, "layout": "channels_last"})] + pointwise("ops.{}", {
                     "softmax": ("softmax", lambda x: ops.softmax(x, axis=-1)),
                     "log_softmax": ("log_softmax", lambda x: ops.log_softmax(x, axis=-1)),
                     "log_sum_exp": ("logsumexp", lambda x: ops.logsumexp(x, axis=-1)),
                     "gelu": ("gelu", lambda x: ops.gelu(x, approximate=False)),
                     "gelu_tanh": ("gelu tanh", lambda x: ops.gelu(x, approximate=True)),
                     "silu": ("silu", lambda x: ops.silu(x))}, FOUR, **options)
