#!/usr/bin/env python3
"""TensorFlow 2.21 on the CPU in float16 and bfloat16: tf.nn.batch_normalization, gelu, silu, softmax, log_softmax and
reduce_logsumexp round between their steps, and gradients of broadcast parameters are added up in 16 bits: 1 + tanh cancels, and
a square of float16 overflows from 256 on.
"""
import tensorflow as tf
from mpmath import mpf, pi, sqrt, tanh

from truth import print_error

x = mpf(-3)
exact = x / 2 * (1 + tanh(sqrt(2 / pi) * (x + mpf("0.044715") * x ** 3)))
print_error("tf.nn.gelu(-3, approximate=True)", float(tf.nn.gelu(tf.constant([-3], tf.bfloat16), approximate=True)[0]), exact, "bfloat16")
