#!/usr/bin/env python3
"""TensorFlow 2.21, tf.nn.gelu in float64: its constants, 1/sqrt(2), sqrt(2/pi) and 0.044715, are converted by tf.cast, which
makes float32 of a Python number first: half of the digits are lost. Keras on TensorFlow calls it.
"""
import tensorflow as tf
from mpmath import erf, mpf, pi, sqrt, tanh

from truth import print_error

x, value = tf.constant([-1.5], tf.float64), mpf(-1.5)
print_error("tf.nn.gelu(-1.5)", tf.nn.gelu(x)[0], value / 2 * (1 + erf(value / sqrt(2))), "float64")
print_error("tf.nn.gelu(-1.5, approximate=True)", tf.nn.gelu(x, approximate=True)[0],
     value / 2 * (1 + tanh(sqrt(2 / pi) * (value + mpf("0.044715") * value ** 3))), "float64")
