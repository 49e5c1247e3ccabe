"""torch.nn.functional.scaled_dot_product_attention, and autograd: the mask of the keys that are seen is given as it
is, for `is_causal` lays the first query at the first key, where the case has the last one at the last."""
import numpy as np
import torch
import torch.nn.functional as F

import protocol

OFFERED = hasattr(F, "scaled_dot_product_attention")  # from PyTorch 2.0 on
TAKES = ("q", "k", "v", "valid", "scale", "causal")


def visible_keys(case, tokens, keys):
    """[B or 1, 1, T, S], or None where every query sees every key."""
    if not case.options["causal"] and "valid" not in case.tensors:
        return None
    seen = np.ones((1, tokens, keys), bool)
    if case.options["causal"]:
        seen = np.arange(keys) + tokens <= np.arange(tokens)[:, None] + keys
    if "valid" in case.tensors:
        seen = seen & case["valid"][:, None, :]
    return torch.from_numpy(seen.reshape(-1, 1, tokens, keys))


def step(case):
    kind = getattr(torch, case.dtype)
    leaves = {name: torch.from_numpy(case[name].copy()).to(kind).requires_grad_() for name in ("q", "k", "v")}
    q, k, v = leaves.values()
    group = q.shape[1] // k.shape[1]
    scale = case.options["scale"]
    y = F.scaled_dot_product_attention(
        q, k.repeat_interleave(group, 1), v.repeat_interleave(group, 1),
        attn_mask=visible_keys(case, q.shape[2], k.shape[2]), **({} if scale == "none" else {"scale": scale}))
    y.backward(torch.from_numpy(case["grad_y"].copy()).to(kind))
    outputs = {"y": y.detach(), **{"grad_" + name: leaf.grad for name, leaf in leaves.items()}}
    numbers = {name: (t.float() if t.dtype == torch.bfloat16 else t).numpy() for name, t in outputs.items()}
    return {name: protocol.stored(t, case.dtype) for name, t in numbers.items()}
