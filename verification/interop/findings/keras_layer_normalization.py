#!/usr/bin/env python3
"""Keras 3.15, ops.layer_normalization on JAX and TensorFlow: y is x inv + (beta - mean inv), with inv = gamma rstd. Where the
variance is small beside the mean both terms are large, and beta is lost in the second: 0 for a beta of 2.76 where a row has
one element near 1e6. On PyTorch Keras calls torch.nn.functional.layer_norm, and passes.
"""
import numpy as np
from keras import ops

from truth import print_error

x, gamma, beta = (np.array(value, np.float32) for value in ([[1000000.1]], [1.3], [2.76]))
y = ops.convert_to_numpy(ops.layer_normalization(*map(ops.convert_to_tensor, (x, gamma, beta)), epsilon=1e-5))
print_error("ops.layer_normalization of one element", y[0, 0], beta[0].item(), "float32")
