#!/usr/bin/env python3
"""PaddlePaddle 3.3 on the CPU, F.softmax and F.log_softmax in float32 and float64: x less its maximum is clipped at -64. What
is farther away gets a probability of 1.6e-28, and a log-probability of -64.
"""
import paddle
import paddle.nn.functional as F
from mpmath import exp, log

from truth import print_error

for dtype in ("float32", "float64"):
    x = paddle.to_tensor([[0.0, -80.0]], dtype=dtype)
    print_error(f"F.softmax(0, -80)[1], {dtype}", F.softmax(x)[0, 1].item(), exp(-80) / (1 + exp(-80)), dtype)
    print_error(f"F.log_softmax(0, -80)[1], {dtype}", F.log_softmax(x)[0, 1].item(), -80 - log(1 + exp(-80)), dtype)
