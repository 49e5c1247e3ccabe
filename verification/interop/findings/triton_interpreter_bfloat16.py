#!/usr/bin/env python3
"""Triton 3.9, its interpreter (TRITON_INTERPRET=1) with bfloat16: a float32 that is stored as bfloat16 is truncated, where a
GPU rounds to nearest, and tl.sum of bfloat16 adds the bits as integers. A kernel that is tested so in bfloat16 fails for the
interpreter's mistakes.
"""
import os

os.environ["TRITON_INTERPRET"] = "1"
import torch  # noqa: E402
import triton  # noqa: E402
import triton.language as tl  # noqa: E402

from truth import print_error  # noqa: E402


@triton.jit
def store(x, y, total, width: tl.constexpr):
    at = tl.arange(0, width)
    value = tl.load(x + at)
    tl.store(y + at, value)
    tl.store(total, tl.sum(value.to(tl.bfloat16), axis=0))


x = torch.full((4,), 1.0068359375)
y, total = torch.empty(4, dtype=torch.bfloat16), torch.empty(1, dtype=torch.bfloat16)
store[(1,)](x, y, total, 4)
print_error(f"{x[0].item()!r} stored as bfloat16", y[0].item(), x[0].item(), "bfloat16")
print_error("tl.sum of four times bfloat16(1.0078125)", total[0].item(), 4.03125, "bfloat16")
