"""TensorFlow: tf.GradientTape."""
import numpy as np
import tensorflow as tf

from normproof.errors import Unanswered
from normproof.stored import from_numpy

NAME = "TensorFlow " + tf.__version__
DTYPES = ("float64", "float32", "bfloat16", "float16")
MOMENTUM = "running_decay"
CHANNELS_FIRST = False


def is_tensor(value):
    return isinstance(value, (tf.Tensor, tf.Variable))


def tensor(stored, device):
    with tf.device(device):
        return tf.constant(stored.array())


def stored(value):
    return from_numpy(np.asarray(value))


def device_of(value):
    return "cpu" if "CPU" in value.device or not value.device else "gpu"


def gradients(forward, leaves, grad_y):
    with tf.GradientTape() as tape:
        for leaf in leaves.values():
            tape.watch(leaf)
        y, others = forward(leaves)
    if grad_y is None:
        return y, others, None
    if y.shape != grad_y.shape:
        raise Unanswered(f"y is {list(y.shape)}; expected {list(grad_y.shape)}")
    found = tape.gradient(y, leaves, output_gradients=tf.cast(grad_y, y.dtype))
    return y, others, {name: value for name, value in found.items() if value is not None} or None


stack = tf.stack
reshape = tf.reshape


def compiled(fn):
    return tf.function(fn)
