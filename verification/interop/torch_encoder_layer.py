"""A layer of an encoder or of a decoder from torch.nn.functional, and autograd: LayerNorm alone, post and pre.

torch.nn.TransformerEncoderLayer and its kin draw their own masks; here those of the case take their place.
"""
import math

import torch
import torch.nn.functional as F

import protocol

ACTIVATIONS = {"relu": F.relu, "gelu": F.gelu, "gelu_tanh": lambda x: F.gelu(x, approximate="tanh")}


NORMS = {"layer_norm": F.layer_norm}
TAKES = ("valid", "*.keep", "*.weight", "*.bias", "*.gamma", "*.beta", "num_heads", "activation", "placement",
         "dropout", "norm", "norm.eps", "causal")
TAKES_OF_DECODERS = (*TAKES, "memory", "memory_valid")
SUBLAYERS = {"encoder_layer": ("attention", "feed_forward"),
             "decoder_layer": ("self_attention", "cross_attention", "feed_forward")}


class Layer:
    def __init__(self, case):
        self.case, self.options, self.weights = case, case.options, {}
        self.leaves = {name: torch.from_numpy(value.copy()).requires_grad_()
                       for name, value in case.tensors.items()
                       if name in ("x", "memory") or name.endswith((".weight", ".bias", ".gamma", ".beta"))}

    def linear(self, name, x):
        return F.linear(x, self.leaves[name + ".weight"], self.leaves[name + ".bias"])

    def norm(self, name, x):
        return NORMS[self.options["norm"]](x, x.shape[-1:], self.leaves[name + ".gamma"],
                                           self.leaves[name + ".beta"], self.options["norm.eps"])

    def dropout(self, place, x):
        rate = self.options["dropout"]
        if rate == 0 or not self.case.training:
            return x
        return x * torch.from_numpy(self.case[place + ".keep"]).to(x.dtype) / (1 - rate)

    def heads(self, rows, parts):
        """[B,T,parts D] as that many times [B,H,T,D/H]."""
        samples, tokens, width = rows.shape
        heads = int(self.options["num_heads"])
        return rows.reshape(samples, tokens, parts, heads, width // parts // heads).permute(2, 0, 3, 1, 4)

    def attend(self, place, q, k, v, valid, causal):
        scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
        if valid in self.case.tensors:
            padding = torch.from_numpy(~self.case[valid])[:, None, None, :]
            scores = scores.masked_fill(padding, -math.inf)
        if causal:
            later = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
            scores = scores.masked_fill(later, -math.inf)
        self.weights[place] = F.softmax(scores, -1)
        context = self.dropout(place + ".weights", self.weights[place]) @ v
        return self.linear(place + ".out", context.transpose(1, 2).flatten(2))

    def attention(self, x):
        q, k, v = self.heads(self.linear("attention.in", x), 3)
        return self.attend("attention", q, k, v, "valid", self.options.get("causal", False))

    def self_attention(self, x):
        q, k, v = self.heads(self.linear("self_attention.in", x), 3)
        return self.attend("self_attention", q, k, v, "valid", True)

    def cross_attention(self, x):
        (q,) = self.heads(self.linear("cross_attention.query", x), 1)
        k, v = self.heads(self.linear("cross_attention.memory", self.leaves["memory"]), 2)
        return self.attend("cross_attention", q, k, v, "memory_valid", False)

    def feed_forward(self, x):
        active = ACTIVATIONS[self.options["activation"]](self.linear("feed_forward.first", x))
        return self.linear("feed_forward.second", self.dropout("feed_forward.active", active))

    def run(self, x, op):
        for number, place in enumerate(SUBLAYERS[op], 1):
            sublayer, norm = getattr(self, place), f"norm{number}"
            if self.options["placement"] == "pre":
                x = x + self.dropout(place + ".y", sublayer(self.norm(norm, x)))
            else:
                x = self.norm(norm, x + self.dropout(place + ".y", sublayer(x)))
        return x


def step(case):
    if case.options["norm"] not in NORMS:
        raise protocol.NotOffered(f"{case.op} with {case.options['norm']}")
    layer = Layer(case)
    y = layer.run(layer.leaves["x"], case.op)
    y.backward(torch.from_numpy(case["grad_y"]))
    outputs = {"y": y.detach().numpy()}
    outputs.update({place + ".weights": weights.detach().numpy() for place, weights in layer.weights.items()})
    outputs.update({"grad_" + name: leaf.grad.numpy() for name, leaf in layer.leaves.items()})
    return outputs
