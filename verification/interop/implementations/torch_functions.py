"""Functions of torch.nn.functional. With BOARD_COMPILE=1 each of them is compiled by torch.compile.

`momentum` of batch_norm is 1 - running_decay, and its running variance is the unbiased one. The package knows both.
"""
import contextlib
import os

import torch
import torch.nn.functional as F

import normproof
from implementations.entries import FOUR, Entry


@contextlib.contextmanager
def parameters_of_other_dtypes():
    """Declines a case whose parameters have a dtype that PyTorch does not accept beside that of x."""
    try:
        yield
    except RuntimeError as error:
        if "calar type" not in str(error):
            raise
        raise normproof.NotOffered("parameters of that dtype beside x") from None


def layer_norm(x, eps, gamma=None, beta=None):
    with parameters_of_other_dtypes():
        return F.layer_norm(x, x.shape[-1:], gamma, beta, eps)


def rms_norm(x, eps, gamma=None):
    return F.rms_norm(x, x.shape[-1:], gamma, eps)


def group_norm(x, groups, eps, gamma=None, beta=None):
    with parameters_of_other_dtypes():
        return F.group_norm(x, groups, gamma, beta, eps)


def instance_norm(x, eps, gamma=None, beta=None):
    return F.instance_norm(x, weight=gamma, bias=beta, eps=eps)


def softmax(x):
    return F.softmax(x, -1)


def log_softmax(x):
    return F.log_softmax(x, -1)


def logsumexp(x):
    return torch.logsumexp(x, -1)


def gelu(x):
    return F.gelu(x)


def gelu_tanh(x):
    return F.gelu(x, approximate="tanh")


def relu(x):
    return F.relu(x)


def silu(x):
    return F.silu(x)


def swiglu(x, gate):
    return F.silu(x) * gate


def geglu(x, gate):
    return F.gelu(x) * gate


FUNCTIONS = [("F.layer_norm", "layer_norm", layer_norm), ("F.rms_norm", "rms_norm", rms_norm),
             ("F.group_norm", "group_norm", group_norm), ("F.instance_norm", "instance_norm", instance_norm),
             ("F.softmax", "softmax", softmax), ("F.log_softmax", "log_softmax", log_softmax),
             ("torch.logsumexp", "log_sum_exp", logsumexp), ("F.gelu", "gelu", gelu),
             ("F.gelu tanh", "gelu_tanh", gelu_tanh), ("F.relu", "relu", relu), ("F.silu", "silu", silu),
             ("F.silu(x) * gate", "swiglu", swiglu), ("F.gelu(x) * gate", "geglu", geglu)]
# A function is compiled again for each rank, for each set and dtype of parameters, and if an extent is 1, which takes half a
# minute on a busy machine. Therefore a few functions run these cases only, which have two ranks and all parameters.
COMPILED = ("layer_norm", "rms_norm", "gelu")
COMPILED_CASES = ["random*", "odd*", "block_edge*", "offset*", "magnitude*", "variance_near_eps*", "eps_*", "wide_row*",
                  "many_rows*", "middle*", "tails*", "large*", "near_largest*", "subnormal*"]


def entries():
    torch.set_num_threads(1)
    options = {"framework": "torch"}
    old = not hasattr(F, "rms_norm")
    dtypes = ("float64", "float32", "bfloat16") if old else FOUR  # 1.13 has no float16 on a CPU
    functions = [entry for entry in FUNCTIONS if not (old and entry[2] is rms_norm)]
    if os.environ.get("BOARD_COMPILE"):
        torch._dynamo.config.recompile_limit = 64  # beyond the limit, functions silently run uncompiled
        torch._dynamo.config.fail_on_recompile_limit_hit = True
        return [Entry(f"compiled {what}, some cases", op, torch.compile(fn, dynamic=True), ("float32",),
                     {**options, "only": COMPILED_CASES}) for what, op, fn in functions if op in COMPILED]
    return [Entry(what, op, fn, dtypes, options) for what, op, fn in functions] + [
        Entry("F.batch_norm", "batch_norm", F.batch_norm, dtypes, options)]
