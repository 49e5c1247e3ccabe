#!/usr/bin/env python3
"""TensorFlow 2.21, tf.nn.batch_normalization: y is x inv + (offset - mean inv), with inv = scale rstd. Where the variance is
small beside the mean both terms are large, the offset is lost in the second, and what is left is their rounding: 0 for an
offset of 2.76 where a row has one element near 1e6.
"""
import tensorflow as tf

from truth import print_error

x, offset = tf.constant([1000000.1]), 2.76
mean, variance = tf.nn.moments(x, [0])
y = tf.nn.batch_normalization(x, mean, variance, offset, 1.3, 1e-5)
print_error("tf.nn.batch_normalization of one element", y[0], tf.constant(offset).numpy().item(), "float32")
