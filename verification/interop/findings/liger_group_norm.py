#!/usr/bin/env python3
"""Liger 0.8.5, LigerGroupNormFunction: the variance is E[x^2] - E[x]^2, not clipped. With a mean of 1e4 standard deviations
it is negative for some rows, and y NaN; in float16 squares are taken without widening, and statistics stored in 16 bits.
"""
import os
import pathlib
import sys

os.environ["TRITON_INTERPRET"] = "1"
sys.path.append(str(pathlib.Path(__file__).parents[1]))
import torch  # noqa: E402
from implementations import liger_kernels  # noqa: E402
from liger_kernel.ops.group_norm import LigerGroupNormFunction  # noqa: E402

from truth import layer_norm, print_error, worst_index  # noqa: E402

liger_kernels.entries()  # makes the interpreter ready
torch.manual_seed(0)
for dtype, offset in ((torch.float32, 1e4), (torch.float16, 0.0)):
    x = (torch.randn(8, 16, 4) * (1 if offset else 200) + offset).to(dtype)
    y = LigerGroupNormFunction.apply(x, torch.ones(16, dtype=dtype), torch.zeros(16, dtype=dtype), 16, 1, 1e-5)
    print(f"{dtype}, offset {offset:g}: {int(y.isnan().sum())} of {y.numel()} elements are NaN")
    row = next((i for i in range(8) if not y[i].isnan().any()), 0)
    exact = layer_norm(x[row].flatten(), 1e-5)
    at = worst_index(y[row].flatten(), exact)
    print_error(f"row {row}, y[{at}]", y[row].flatten()[at], exact[at], str(dtype).split(".")[1])
