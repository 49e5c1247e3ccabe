"""Times the norms of open libraries of kernels beside torch_device.py's, forward and backward apart: quack (quack-kernels
of PyPI), Liger (liger-kernel), Apex and its fast layer norm, on tensors of float32, bfloat16 and float16.

usage: torch_kernels.py cuda|cpu SECONDS LIBRARY NAME...

LIBRARY is quack, Liger, Apex or FastLayerNorm; NAME is a row of device_benchmark that it has, norm/<norm>_<format>/
forward|backward/<rows>x<width>. Prints one JSON object: {"version": its version, "ms": {NAME: milliseconds, ...}}, medians,
without the rows that fail, and why in a sentence each on standard error. Exit status 1 with one sentence where
the library cannot be imported.
"""
import importlib
import importlib.metadata
import json
import sys

import torch

from torch_device import FORMATS, pair, timed

# The distribution that has the version, the module of the kernels.
LIBRARIES = {"quack": ("quack-kernels", "quack.rmsnorm"), "Liger": ("liger-kernel", "liger_kernel.ops"),
             "Apex": ("apex", "apex.normalization"), "FastLayerNorm": ("apex", "apex.contrib.layer_norm.layer_norm")}
EPS = 1e-5


class Tensors:
    """What a norm takes, of a row's format and size."""

    def __init__(self, device, dtype, rows, width):
        def numbers(*shape, **more):
            return torch.randn(*shape, dtype=dtype, device=device, **more)

        self.width = width
        self.x, self.residual = (numbers(rows, width, requires_grad=True) for _ in range(2))
        self.weight, self.bias = (numbers(width, requires_grad=True) for _ in range(2))
        self.grad_y, self.grad_sum = numbers(rows, width), numbers(rows, width)


def by_autograd(forward, inputs, gradients):
    """The two directions of what autograd knows."""
    def backward():
        outputs = forward()
        return lambda: torch.autograd.grad(outputs, inputs, gradients, retain_graph=True)

    return forward, backward


def quack_layer_norm(kernels, t):
    """Without autograd, and with parameters of float32 alone."""
    x, weight, bias = t.x.detach(), t.weight.detach().float(), t.bias.detach().float()

    def forward():
        return kernels.layernorm_fwd(x, weight, bias, eps=EPS, return_rstd=True, return_mean=True)

    def backward():
        _, rstd, mean = forward()
        return lambda: kernels.layernorm_bwd(x, weight, t.grad_y, rstd, mean)

    return forward, backward


def quack_rms_norm(kernels, t):
    return by_autograd(lambda: kernels.rmsnorm(t.x, t.weight, t.bias, eps=EPS), (t.x, t.weight, t.bias), t.grad_y)


def quack_add_rms_norm(kernels, t):
    return by_autograd(lambda: kernels.rmsnorm(t.x, t.weight, t.bias, residual=t.residual, eps=EPS, prenorm=True),
                       (t.x, t.residual, t.weight, t.bias), (t.grad_y, t.grad_sum))


def liger_layer_norm(_, t):
    of = importlib.import_module("liger_kernel.ops.layer_norm").LigerLayerNormFunction
    return by_autograd(lambda: of.apply(t.x, t.weight, t.bias, EPS), (t.x, t.weight, t.bias), t.grad_y)


def liger_rms_norm(_, t):
    """Not in place, for grad_y is asked for again."""
    of = importlib.import_module("liger_kernel.ops.rms_norm").LigerRMSNormFunction
    return by_autograd(lambda: of.apply(t.x, t.weight, EPS, 0.0, "llama", False), (t.x, t.weight), t.grad_y)


def liger_add_rms_norm(_, t):
    of = importlib.import_module("liger_kernel.ops.fused_add_rms_norm").LigerFusedAddRMSNormFunction
    return by_autograd(lambda: of.apply(t.x, t.residual, t.weight, EPS, 0.0, "llama", False),
                       (t.x, t.residual, t.weight), (t.grad_y, t.grad_sum))


def layer(name):
    """A layer of the module, with its own parameters."""
    def work(kernels, t):
        of = getattr(kernels, name)(t.width, eps=EPS).to(t.x.device, t.x.dtype)
        return by_autograd(lambda: of(t.x), (t.x, *of.parameters()), t.grad_y)

    return work


# work(module, tensors) is the forward, and what prepares the backward.
NORMS = {
    "quack": {"layer_norm": quack_layer_norm, "rms_norm": quack_rms_norm, "add_rms_norm": quack_add_rms_norm},
    "Liger": {"layer_norm": liger_layer_norm, "rms_norm": liger_rms_norm, "add_rms_norm": liger_add_rms_norm},
    "Apex": {"layer_norm": layer("FusedLayerNorm"), "rms_norm": layer("FusedRMSNorm")},
    "FastLayerNorm": {"layer_norm": layer("FastLayerNorm")}}


def milliseconds(kernels, library, device, seconds, name):
    _, norm, direction, size = name.split("/")
    of, _, dtype = norm.rpartition("_")
    torch.manual_seed(1)
    forward, backward = NORMS[library][of](kernels, Tensors(device, FORMATS[dtype], *pair(size)))
    return timed(device, seconds, forward if direction == "forward" else backward(), 50)


def first_line(error):
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def main(device, seconds, library, *names):
    distribution, module = LIBRARIES[library]
    try:
        kernels = importlib.import_module(module)
    except Exception as error:  # a library that is there may lack one that it needs, or a GPU
        sys.exit(f"torch_kernels.py: {library}: {first_line(error)}")
    ms = {}
    for name in names:
        try:
            ms[name] = milliseconds(kernels, library, device, float(seconds), name)
        except Exception as error:
            print(f"torch_kernels.py: {library}: {name}: {first_line(error)}", file=sys.stderr)
    try:
        version = importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        version = "of an unknown version"
    print(json.dumps({"version": version, "ms": ms}))


if __name__ == "__main__":
    main(*sys.argv[1:])
