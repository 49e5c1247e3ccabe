#!/usr/bin/env python3
"""Liger 0.8.5, LigerSiLUMulFunction: the backward stores the gradients over its inputs. Whoever reads x or gate afterwards,
a second use of them in the model, a hook, an optimizer that looks at activations, reads gradients; autograd's version
counter does not notice.
"""
import os
import pathlib
import sys

os.environ["TRITON_INTERPRET"] = "1"
sys.path.append(str(pathlib.Path(__file__).parents[1]))
import torch  # noqa: E402
from liger_kernel.ops.swiglu import LigerSiLUMulFunction  # noqa: E402
from mpmath import exp, mpf  # noqa: E402

from implementations.triton_interpreter import accept_floats  # noqa: E402
from truth import print_error  # noqa: E402

accept_floats()
x, gate = (torch.tensor([[value]], requires_grad=True) for value in (1.0, 2.0))
LigerSiLUMulFunction.apply(x, gate).backward(torch.ones(1, 1))
print_error("x after the backward; it was 1", x.item(), 1, "float32")
print_error("its gradient", x.grad.item(), 2 * (1 / (1 + exp(mpf(-1))) + exp(mpf(-1)) / (1 + exp(mpf(-1))) ** 2), "float32")
