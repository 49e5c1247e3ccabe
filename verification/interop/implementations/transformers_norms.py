"""The norms and activations of transformers.

LlamaRMSNorm and T5LayerNorm round x_hat to the dtype of x before they multiply by gamma. GemmaRMSNorm multiplies by
1 + weight. It gets weight = gamma - 1, and declines a case if a difference is not exact.
"""
import torch
from transformers.activations import ACT2FN
from transformers.models.gemma.modeling_gemma import GemmaRMSNorm
from transformers.models.llama.modeling_llama import LlamaRMSNorm
from transformers.models.t5.modeling_t5 import T5LayerNorm

import normproof
from implementations.entries import Entry, pointwise


def from_module(kind, shifted=False):
    """Turns kind(features, eps=eps) into a function of x and gamma. `shifted`: its weight is gamma - 1."""
    def norm(x, eps, gamma=None):
        module = kind(x.shape[-1], eps=eps)
        if gamma is None:
            return module(x)
        weight = gamma - 1 if shifted else gamma
        if shifted and not torch.equal(weight.double() + 1, gamma.double()):
            raise normproof.NotOffered("gamma - 1 is no number of this dtype")
        del module.weight
        module.weight = weight
        return module(x)
    return norm


def entries():
    torch.set_num_threads(1)
    options = {"framework": "torch"}
    dtypes = ("float32", "float16", "bfloat16")
    return [Entry("LlamaRMSNorm", "rms_norm", from_module(LlamaRMSNorm), dtypes, options),
            Entry("T5LayerNorm", "rms_norm", from_module(T5LayerNorm), dtypes, options),
            Entry("GemmaRMSNorm", "rms_norm", from_module(GemmaRMSNorm, True), dtypes, options)] + pointwise("ACT2FN[{}]", {
                "gelu": ("gelu", lambda x: ACT2FN["gelu"](x)),
                "gelu_tanh": ("gelu_new", lambda x: ACT2FN["gelu_new"](x)),
                "silu": ("silu", lambda x: ACT2FN["silu"](x))}, dtypes, framework="torch")
