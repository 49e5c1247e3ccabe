#!/usr/bin/env python3
"""PaddlePaddle 3.3 on the CPU, paddle.exp and the gradient of paddle.logsumexp of eight numbers or more: what underflows is not
0 but 2^-128 in float32, 2^-1024 in float64, however far below it is. Of one number paddle.exp(-200) is 0.
"""
import paddle
from mpmath import exp

from truth import print_error

for dtype, far in (("float32", -200.0), ("float64", -2000.0)):
    for count in (1, 16):
        x = paddle.to_tensor([far] * count, dtype=dtype)
        print_error(f"paddle.exp({far:g}), one of {count}, {dtype}", paddle.exp(x)[0].item(), exp(far), dtype)
x = paddle.to_tensor([[0.0] + [-200.0] * 16], stop_gradient=False)
paddle.logsumexp(x, -1).backward()
print_error("grad_x[1] of paddle.logsumexp(0, -200, ..., -200), float32", x.grad[0, 1].item(), exp(-200) / (1 + 16 * exp(-200)), "float32")
