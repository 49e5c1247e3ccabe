#!/usr/bin/env python3
"""PyTorch on the CPU in bfloat16 and float16: layer_norm, group_norm and instance_norm add up grad_gamma and grad_beta in 16
bits, and keep mean and rstd in them; log_softmax and logsumexp, in 1.13 gelu, silu and softmax too, round between their
steps. A sum of 600 gradients is 692 for 604.7.
"""
import torch
from mpmath import log, mpf, exp

from truth import print_error

x = torch.tensor([[1.0, 2.0, 4.0]] * 600, dtype=torch.bfloat16)
beta = torch.zeros(3, dtype=torch.bfloat16, requires_grad=True)
torch.nn.functional.layer_norm(x, (3,), None, beta).backward(torch.full_like(x, 1.0078125))
print_error("layer_norm: grad_beta[0] of 600 times 1.0078125", beta.grad[0].item(), mpf("1.0078125") * 600, "bfloat16")
x = torch.tensor([0.0, -3.734375])
y = torch.log_softmax(x.bfloat16(), 0)[0].item()
print_error("log_softmax of 0, -3.734375: y[0]", y, -log(1 + exp(mpf(-3.734375))), "bfloat16")
