#!/usr/bin/env python3
"""PyTorch 2.15 on the CPU, F.scaled_dot_product_attention without a mask: a query with a NaN has the output 0, so that the NaN
disappears. With a mask of true values, and with the backend MATH, the output is NaN, as the formula says.
"""
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

attention = torch.nn.functional.scaled_dot_product_attention
q = torch.tensor([[[[float("nan")], [1.0]]]])
k = v = torch.full((1, 1, 2, 1), 3.0)
every = torch.ones(1, 1, 2, 2, dtype=torch.bool)
print("without a mask", attention(q, k, v).flatten().tolist())
print("with a mask   ", attention(q, k, v, attn_mask=every).flatten().tolist())
with sdpa_kernel(SDPBackend.MATH):
    print("backend MATH  ", attention(q, k, v).flatten().tolist())
