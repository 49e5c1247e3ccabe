"""The norms of transformers, and its activations.

LlamaRMSNorm and T5LayerNorm round x_hat to the dtype of x before gamma; GemmaRMSNorm multiplies by 1 + weight: it is
given weight = gamma - 1 where every difference is exact in float32, and declines a case else.
"""
import torch
from transformers.activations import ACT2FN
from transformers.models.gemma.modeling_gemma import GemmaRMSNorm
from transformers.models.llama.modeling_llama import LlamaRMSNorm
from transformers.models.t5.modeling_t5 import T5LayerNorm

import normproof
from implementations.held import Held, pointwise


def of_module(kind, shifted=False):
    """kind(features, eps=eps) as a function of x and gamma, its weight."""
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


def held():
    torch.set_num_threads(1)
    options = {"framework": "torch"}
    dtypes = ("float32", "float16", "bfloat16")
    return [Held("LlamaRMSNorm", "rms_norm", of_module(LlamaRMSNorm), dtypes, options),
            Held("T5LayerNorm", "rms_norm", of_module(T5LayerNorm), dtypes, options),
            Held("GemmaRMSNorm", "rms_norm", of_module(GemmaRMSNorm, True), dtypes, options)] + pointwise("ACT2FN[{}]", {
                "gelu": ("gelu", lambda x: ACT2FN["gelu"](x)),
                "gelu_tanh": ("gelu_new", lambda x: ACT2FN["gelu_new"](x)),
                "silu": ("silu", lambda x: ACT2FN["silu"](x))}, dtypes, framework="torch")
