#!/usr/bin/env python3
"""Keras 3.15, layers.GroupNormalization: its moments are E[x] and E[x^2] - E[x]^2. With a mean of 1e4 standard deviations
nothing of y is left; ops.layer_normalization, which subtracts the mean first, passes.
"""
import keras
import numpy as np

from truth import layer_norm, print_error, worst_index

x = (np.arange(16, dtype=np.float32) / 4 + 10000).reshape(1, 1, 16)
y = keras.ops.convert_to_numpy(keras.layers.GroupNormalization(groups=1, axis=-1, epsilon=1e-5)(x)).ravel()
exact = layer_norm(x.ravel(), 1e-5)
at = worst_index(y, exact)
print_error(f"GroupNormalization(10000, 10000.25, ...)[{at}]", y[at], exact[at], "float32")
