#!/usr/bin/env python3
"""PyTorch on the CPU in bfloat16 keeps mean and rstd in bfloat16: layer_norm and group_norm in the backward (1.13 in y too,
and its backward rounds between steps besides), instance_norm in both. In 2.15 what 50 digits make of the mean and rstd
that it returns is its answer, but for the last rounding.
"""
import torch
from mpmath import mpf, nstr

from truth import layer_norm, print_error, worst_index

EPS = 2.0 ** -16
F, native = torch.nn.functional, torch.ops.aten
torch.manual_seed(1)
x = (30 + torch.randn(2, 64) / 2).bfloat16()
grad_y = torch.randn(2, 64).bfloat16()
ones, zeros = torch.ones(64, dtype=torch.bfloat16), torch.zeros(64, dtype=torch.bfloat16)


def numbers(tensor):
    return [mpf(float(value)) for value in tensor.detach().flatten()]


def backward(row, gradient, mean=None, rstd=None):
    """grad_x of a row that is normalised by these, or by its own."""
    n = len(row)
    x_hat = layer_norm(row, EPS) if mean is None else [(value - mean) * rstd for value in row]
    if rstd is None:
        rstd = max(x_hat) / (max(row) - sum(row) / n)
    along, across = sum(g * h for g, h in zip(gradient, x_hat)) / n, sum(gradient) / n
    return [rstd * (g - across - h * along) for g, h in zip(gradient, x_hat)]


def show(what, got, truth, from_its_own):
    place = worst_index(got, truth)
    print_error(f"{what}[{place}]", got[place], truth[place], "bfloat16")
    print(f"  of its own mean and rstd {nstr(from_its_own[place], 12)}")


for name, function, statistics in (
        ("layer_norm", lambda t: F.layer_norm(t, (64,), ones, zeros, EPS),
         native.native_layer_norm(x[:1], [64], ones, zeros, EPS)[1:]),
        ("group_norm", lambda t: F.group_norm(t.reshape(1, 4, 16), 1, ones[:4], zeros[:4], EPS),
         native.native_group_norm(x[:1].reshape(1, 4, 16), ones[:4], zeros[:4], 1, 4, 16, 1, EPS)[1:])):
    leaf = x[:1].clone().requires_grad_()
    y = function(leaf)
    y.backward(grad_y[:1].reshape(y.shape))
    row, gradient, own = numbers(x[0]), numbers(grad_y[0]), [numbers(s)[0] for s in statistics]
    show(f"{name}: grad_x", numbers(leaf.grad), backward(row, gradient), backward(row, gradient, *own))
y = F.instance_norm(x.reshape(1, 2, 64), weight=ones[:2], bias=zeros[:2], eps=EPS)
mean, rstd = native.native_batch_norm(x.reshape(1, 2, 64), ones[:2], zeros[:2], None, None, True, 0.1, EPS)[1:]
row = numbers(x[1])
show("instance_norm: y", numbers(y[0, 1]), layer_norm(row, EPS), [(v - numbers(mean)[1]) * numbers(rstd)[1] for v in row])
