"""Liger's kernels under Triton's interpreter (TRITON_INTERPRET=1).

They use Triton's rsqrt, because that of libdevice is compiled for a GPU and cannot be interpreted.
"""
import torch
import triton.language as tl
from liger_kernel.ops import group_norm as group_norms
from liger_kernel.ops import layer_norm as layer_norms
from liger_kernel.ops import rms_norm as rms_norms
from liger_kernel.ops.group_norm import LigerGroupNormFunction
from liger_kernel.ops.layer_norm import LigerLayerNormFunction
from liger_kernel.ops.rms_norm import LigerRMSNormFunction
from liger_kernel.ops.softmax import LigerSoftmaxFunction
from liger_kernel.ops.swiglu import LigerSiLUMulFunction

from implementations.entries import Entry
from implementations.triton_interpreter import accept_floats


def rms_norm(x, eps, gamma=None):
    return LigerRMSNormFunction.apply(x, gamma, eps, 0.0, "llama", False)


def rms_norm_gemma(x, eps, gamma=None):
    return LigerRMSNormFunction.apply(x, gamma, eps, 0.0, "gemma", False)


def layer_norm(x, gamma, beta, eps):
    return LigerLayerNormFunction.apply(x, gamma, beta, eps)


def group_norm(x, gamma, beta, groups, eps):
    return LigerGroupNormFunction.apply(x, gamma, beta, x.shape[1], groups, eps)


def softmax(x):
    return LigerSoftmaxFunction.apply(x)


def swiglu(x, gate):
    return LigerSiLUMulFunction.apply(x, gate)


def swiglu_of_copies(x, gate):
    """The backward overwrites x and gate with their gradients, so this passes copies."""
    return LigerSiLUMulFunction.apply(x.clone(), gate.clone())


def entries():
    torch.set_num_threads(1)
    accept_floats()
    for module in (group_norms, layer_norms, rms_norms):
        module.rsqrt = lambda value: tl.rsqrt(value)  # looked up while a kernel is interpreted
    options = {"framework": "torch"}
    dtypes = ("float32", "float16")
    return [Entry("LigerRMSNormFunction llama", "rms_norm", rms_norm, dtypes, options),
            Entry("LigerRMSNormFunction gemma", "rms_norm", rms_norm_gemma, dtypes, options),
            Entry("LigerLayerNormFunction", "layer_norm", layer_norm, dtypes, options),
            Entry("LigerGroupNormFunction", "group_norm", group_norm, dtypes, options),
            Entry("LigerSoftmaxFunction", "softmax", softmax, (*dtypes, "bfloat16"), options),
            Entry("LigerSiLUMulFunction", "swiglu", swiglu, ("float32",), options),
            Entry("LigerSiLUMulFunction of copies", "swiglu", swiglu_of_copies, dtypes, options)]
