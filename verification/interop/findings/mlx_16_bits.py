#!/usr/bin/env python3
"""MLX 0.32 on the CPU in bfloat16 and float16: mx.softmax, mx.fast.layer_norm, mx.fast.rms_norm and mlx.nn's activations
keep every sum and every step in 16 bits. A row of 1025 equal numbers has a softmax of 1/256 instead of 1/1025: the sum
of exponentials stops growing at 256, where 1 is half of its last digit.
"""
import mlx.core as mx
import mlx.nn as nn
from mpmath import mpf, pi, sqrt, tanh

from truth import print_error

mx.set_default_device(mx.cpu)
y = mx.softmax(mx.zeros(1025, mx.bfloat16))
print_error("mx.softmax of 1025 zeros, y[0]", y[0].item(), mpf(1) / 1025, "bfloat16")
x = mpf(-3)
exact = x / 2 * (1 + tanh(sqrt(2 / pi) * (x + mpf("0.044715") * x ** 3)))
print_error("nn.gelu_approx(-3)", nn.gelu_approx(mx.array(-3, mx.bfloat16)).item(), exact, "bfloat16")
