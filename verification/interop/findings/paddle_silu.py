#!/usr/bin/env python3
"""PaddlePaddle 3.3 on the CPU, the gradient of F.silu in float32: exp(-x) overflows below -88, and the gradient is infinite
or NaN where it is nearly 0.
"""
import paddle
from mpmath import exp, mpf

from truth import print_error

for value in (-80.0, -90.0):
    x = paddle.to_tensor([value], stop_gradient=False)
    paddle.nn.functional.silu(x).backward()
    sigmoid = 1 / (1 + exp(-mpf(value)))
    print_error(f"gradient of F.silu at {value:g}", x.grad.item(), sigmoid * (1 + mpf(value) * (1 - sigmoid)), "float32")
