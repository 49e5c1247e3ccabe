#!/usr/bin/env python3
"""PyTorch 2.15, F.rms_norm on the CPU: for x of 1e16 in float32, grad_x lacks the mean of g x_hat, because the derivative of
torch.rsqrt is a cube, which underflows. Its ratio to the right gradient does not depend on the size of x.
"""
import torch
from mpmath import mpf, sqrt

from truth import print_error

row = [1.0, 2.0, 4.0]
for scale in (1e10, 1e16):
    x = torch.tensor([[scale * value for value in row]], requires_grad=True)
    torch.nn.functional.rms_norm(x, (3,)).sum().backward()
    exact = [mpf(value) for value in x[0].tolist()]
    rstd = 1 / sqrt(sum(value * value for value in exact) / 3)
    mean = sum(value * rstd for value in exact) / 3
    print_error(f"grad_x[0] for x of {scale:g}", x.grad[0, 0].item(), rstd * (1 - exact[0] * rstd * mean), "float32")
