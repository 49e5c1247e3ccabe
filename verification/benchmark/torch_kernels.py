"""Times the norms of open kernel libraries for comparison with torch_device.py, forward and
backward separately: quack (quack-kernels of PyPI), Liger (liger-kernel), Apex and its fast layer
norm, for float32, bfloat16 and float16.

usage: torch_kernels.py cuda|cpu SECONDS LIBRARY NAME...

LIBRARY is quack, Liger, Apex or FastLayerNorm. NAME is a row of device_benchmark that it supports,
norm/<norm>_<format>/forward|backward/<rows>x<width>. Prints one JSON object: {"version": its
version, "ms": {NAME: milliseconds, ...}}, medians. Rows that fail are omitted, with a sentence on
standard error. If the library cannot be imported, it prints one sentence and exits with status 1.
"""
import importlib
import importlib.metadata
import json
import sys

import torch

from torch_device import FORMATS, pair, timed

# The distribution that states the version, and the module of the kernels.
LIBRARIES = {"quack": ("quack-kernels", "quack.rmsnorm"), "Liger": ("liger-kernel", "liger_kernel.ops"),
             "Apex": ("apex", "apex.normalization"), "FastLayerNorm": ("apex", "apex.contrib.layer_norm.layer_norm")}
EPS = 1e-5


class Tensors:
    """The tensors of a norm, in a row's format and size."""

    def __init__(self, device, dtype, rows, width):
        def numbers(*shape, **more):
            return torch.randn(*shape, dtype=dtype, device=device, **more)

        self.width = width
        self.x, self.residual = (numbers(rows, width, requires_grad=True) for _ in range(2))
        self.weight, self.bias = (numbers(width, requires_grad=True) for _ in range(2))
        self.grad_y, self.grad_sum = numbers(rows, width), numbers(rows, width)


def by_autograd(forward, inputs, gradients):
    """Returns forward and backward of a function that autograd supports."""
    def backward():
        outputs = forward()
        return lambda: torch.autograd.grad(outputs, inputs, gradients, retain_graph=True)

    return forward, backward


def quack_layer_norm(kernels, t):
    """Returns forward and backward without autograd. The parameters are always float32."""
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
    """Returns forward and backward, which do not work in place, because grad_y is used again."""
    of = importlib.import_module("liger_kernel.ops.rms_norm").LigerRMSNormFunction
    return by_autograd(lambda: of.apply(t.x, t.weight, EPS, 0.0, "llama", False), (t.x, t.weight), t.grad_y)


def liger_add_rms_norm(_, t):
    of = importlib.import_module("liger_kernel.ops.fused_add_rms_norm").LigerFusedAddRMSNormFunction
    return by_autograd(lambda: of.apply(t.x, t.residual, t.weight, EPS, 0.0, "llama", False),
                       (t.x, t.residual, t.weight), (t.grad_y, t.grad_sum))


def layer(name):
    """Returns a function that times the layer of this name, with the parameters that the layer creates."""
    def work(kernels, t):
        of = getattr(kernels, name)(t.width, eps=EPS).to(t.x.device, t.x.dtype)
        return by_autograd(lambda: of(t.x), (t.x, *of.parameters()), t.grad_y)

    return work


# work(module, tensors) returns the forward, and the preparation of the backward.
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
    except Exception as error:  # an installed library may lack a dependency, or a GPU
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
