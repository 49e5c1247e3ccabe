"""Functions of tf.nn and the fused batch norm, with the gradients of tf.GradientTape."""
import tensorflow as tf

import normproof
from implementations.entries import FOUR, Entry, pointwise


def moments_norm(x, eps, gamma=None, beta=None):
    mean, variance = tf.nn.moments(x, [-1], keepdims=True)
    return tf.nn.batch_normalization(x, mean, variance, beta, gamma, eps)


def fused_batch_norm(x, eps, training, running_mean, running_variance, gamma=None, beta=None):
    if gamma is None or beta is None or gamma.dtype != x.dtype:
        raise normproof.NotOffered("it takes a scale and an offset of float32")
    rows = tf.reshape(x, [-1, 1, 1, x.shape[-1]])
    statistics = {} if training else {"mean": running_mean, "variance": running_variance}
    y = tf.compat.v1.nn.fused_batch_norm(rows, gamma, beta, epsilon=eps, is_training=training, **statistics)[0]
    return tf.reshape(y, x.shape)


def swiglu(x, gate):
    return tf.nn.silu(x) * gate


def entries():
    options = {"framework": "tensorflow"}
    return [Entry("tf.nn.batch_normalization of tf.nn.moments", "layer_norm", moments_norm, FOUR, options),
            Entry("tf.compat.v1.nn.fused_batch_norm", "batch_norm", fused_batch_norm, ("float32",),
                 {**options, "outputs": "y,grad_x,grad_gamma,grad_beta"}),
            Entry("tf.nn.silu(x) * gate", "swiglu", swiglu, FOUR, options)] + pointwise("tf.{}", {
                "softmax": ("nn.softmax", lambda x: tf.nn.softmax(x)),
                "log_softmax": ("nn.log_softmax", lambda x: tf.nn.log_softmax(x)),
                "log_sum_exp": ("reduce_logsumexp", lambda x: tf.reduce_logsumexp(x, -1)),
                "gelu": ("nn.gelu", lambda x: tf.nn.gelu(x)),
                "gelu_tanh": ("nn.gelu tanh", lambda x: tf.nn.gelu(x, approximate=True)),
                "relu": ("nn.relu", lambda x: tf.nn.relu(x)),
                "silu": ("nn.silu", lambda x: tf.nn.silu(x))}, FOUR, framework="tensorflow")
