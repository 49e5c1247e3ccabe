#!/usr/bin/env python3
"""Keras 3.15, ops.layer_normalization and ops.rms_normalization in float64: x is cast to float32 before the statistics, and
the answer back to float64: half of the digits are lost, and with a mean of 1e8 all of them. On every backend.
"""
import numpy as np
from keras import ops

from truth import layer_norm, print_error, worst_index

for x in (np.array([[0.1, 0.25, 0.7, 1.3]]), np.array([[1e8 + 1, 1e8 + 2, 1e8 + 4, 1e8 + 8]])):
    y = ops.convert_to_numpy(ops.layer_normalization(ops.convert_to_tensor(x), epsilon=1e-5))
    exact = layer_norm(x[0], 1e-5)
    at = worst_index(y[0], exact)
    print_error(f"ops.layer_normalization({x[0].tolist()})[{at}], dtype {y.dtype}", y[0, at], exact[at], "float64")
