#!/usr/bin/env python3
"""PyTorch, F.layer_norm of rows of one element, 1.13 and 2.15: in the gradient of gamma x rstd - mean rstd stands for
(x - mean) rstd. Both products are rounded, and of a difference that is 0 the rounding of numbers of 3e8 is left: -10.25
for 0. Compiled, and in JAX, Flax and MLX, it is 0.
"""
import torch

from truth import print_error

x = torch.tensor([[1000000.1], [999999.9], [1000003.3]], requires_grad=True)
gamma = torch.ones(1, requires_grad=True)
y = torch.nn.functional.layer_norm(x, (1,), gamma, None, 1e-5)
y.backward(torch.tensor([[0.3], [0.7], [-1.1]]))
print_error("grad_gamma of rows of one element", gamma.grad[0].item(), 0, "float32")
