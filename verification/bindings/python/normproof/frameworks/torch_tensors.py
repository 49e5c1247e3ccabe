"""PyTorch: autograd's gradients, on any of its devices; modules are in torch_modules.py."""
import numpy as np
import torch

from normproof.errors import Unanswered
from normproof.frameworks.torch_modules import builtin_rules, has_member, is_module, module_forward
from normproof.stored import Stored, from_numpy

NAME = "PyTorch " + torch.__version__
DTYPES = ("float64", "float32", "bfloat16", "float16")
MOMENTUM = "1 - running_decay"
CHANNELS_FIRST = True

__all__ = ["builtin_rules", "has_member", "is_module", "module_forward"]


def is_tensor(value):
    return isinstance(value, torch.Tensor)


def tensor(stored, device):
    data = np.array(stored.data)
    if stored.dtype == "bfloat16":
        made = torch.from_numpy(data.view(np.int16)).view(torch.bfloat16)
    else:
        made = torch.from_numpy(data)
    return made.to(device)


def stored(value):
    value = value.detach().cpu()
    if value.dtype == torch.bfloat16:
        return Stored("bfloat16", value.contiguous().view(torch.int16).numpy().view(np.uint16))
    return from_numpy(value.numpy())


def device_of(value):
    return value.device.type


def dtype_of(name):
    return getattr(torch, {"boolean": "bool"}.get(name, name))


def gradients(forward, leaves, grad_y):
    """Of every leaf with a dtype of numbers; one that y does not depend on has none."""
    for leaf in leaves.values():
        if leaf.is_floating_point():
            leaf.requires_grad_()
    y, others = forward(leaves)
    if grad_y is None or not getattr(y, "requires_grad", False):
        return y, others, None
    if tuple(y.shape) != tuple(grad_y.shape):
        raise Unanswered(f"y is {list(y.shape)}; expected {list(grad_y.shape)}")
    y.backward(grad_y.to(y.dtype))
    return y, others, {name: leaf.grad for name, leaf in leaves.items() if leaf.grad is not None}


stack = torch.stack
reshape = torch.reshape


def compiles():
    """Whether torch.compile works here: it needs a compiler, headers of Python and its own."""
    try:
        return bool(torch.compile(lambda x: x + 1)(torch.zeros(2))[0] == 1)
    except Exception:  # whatever it lacks
        return False


def compiled(fn):
    if not hasattr(torch, "compile") or not compiles():
        return None
    # PyTorch 2.6 compiles no function of its own, but one that calls it.
    return torch.compile(lambda *values, **named: fn(*values, **named))


def synchronize(device):
    if device.startswith("cuda"):
        torch.cuda.synchronize(device)


STRIDED = ("transposed", "sliced", "channels_last")


def strided(value, layout):
    """The same numbers, otherwise in memory."""
    if layout == "channels_last" and value.dim() == 4:
        return value.contiguous(memory_format=torch.channels_last)
    if layout == "channels_last" and value.dim() == 3:
        return value.transpose(1, 2).contiguous().transpose(1, 2)
    if layout == "sliced":
        buffer = torch.full((*value.shape[:-1], 2 * value.shape[-1]), 12345, device=value.device).to(value.dtype)
        buffer[..., ::2] = value
        return buffer[..., ::2]
    return value.transpose(0, -1).contiguous().transpose(0, -1)


def expanded(value):
    """The first element, in the shape of the whole, with stride 0."""
    return value.reshape(-1)[:1].reshape([1] * value.dim()).expand(value.shape)


def freeze(leaf):
    """No gradient is wanted of a leaf."""
    leaf.requires_grad_(False)


def side_stream(device):
    """A context in which work goes to a stream of its own; None where the device has no streams."""
    if not device.startswith("cuda"):
        return None
    torch.cuda.synchronize(device)
    return torch.cuda.stream(torch.cuda.Stream(device))
