"""A layer of an encoder or of a decoder, built from torch.nn.functional. Its norm is LayerNorm, post or pre.

torch.nn.TransformerEncoderLayer and the like draw their own dropout masks; here those of the case take their place.
"""
import math

import torch
import torch.nn.functional as F

import normproof

ACTIVATIONS = {"relu": F.relu, "gelu": F.gelu, "gelu_tanh": lambda x: F.gelu(x, approximate="tanh")}
NORMS = {"layer_norm": F.layer_norm}
SUBLAYERS = {"encoder_layer": ("attention", "feed_forward"),
             "decoder_layer": ("self_attention", "cross_attention", "feed_forward")}


class Layer:
    """A layer. `given` are the tensors and options of a case, by the corpus' names."""

    def __init__(self, given, training):
        self.given, self.training = given, training
        self.weights = {}  # attention weights, by sublayer

    def linear(self, name, x):
        return F.linear(x, self.given[name + ".weight"], self.given[name + ".bias"])

    def norm(self, name, x):
        return NORMS[self.given["norm"]](x, x.shape[-1:], self.given[name + ".gamma"], self.given[name + ".beta"],
                                         self.given["norm.eps"])

    def dropout(self, place, x):
        rate = self.given["dropout"]
        if rate == 0 or not self.training:
            return x
        return x * self.given[place + ".keep"].to(x.dtype) / (1 - rate)

    def split_heads(self, rows, parts):
        """Splits [B,T,parts D] into `parts` tensors [B,H,T,D/H]."""
        samples, tokens, width = rows.shape
        heads = self.given["num_heads"]
        return rows.reshape(samples, tokens, parts, heads, width // parts // heads).permute(2, 0, 3, 1, 4)

    def attend(self, place, q, k, v, mask, causal):
        """Computes attention, softmax(q k^T / sqrt(d_k)) v, and its output projection.

        `mask` is the name of the mask of keys, or None.
        """
        scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
        if mask in self.given:
            scores = scores.masked_fill(~self.given[mask][:, None, None, :], -math.inf)
        if causal:
            later = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
            scores = scores.masked_fill(later, -math.inf)
        self.weights[place] = F.softmax(scores, -1)
        context = self.dropout(place + ".weights", self.weights[place]) @ v
        return self.linear(place + ".out", context.transpose(1, 2).flatten(2))

    def attention(self, x):
        q, k, v = self.split_heads(self.linear("attention.in", x), 3)
        return self.attend("attention", q, k, v, "valid", self.given.get("causal", False))

    def self_attention(self, x):
        q, k, v = self.split_heads(self.linear("self_attention.in", x), 3)
        return self.attend("self_attention", q, k, v, "valid", True)

    def cross_attention(self, x):
        (q,) = self.split_heads(self.linear("cross_attention.query", x), 1)
        k, v = self.split_heads(self.linear("cross_attention.memory", self.given["memory"]), 2)
        return self.attend("cross_attention", q, k, v, "memory_valid", False)

    def feed_forward(self, x):
        active = ACTIVATIONS[self.given["activation"]](self.linear("feed_forward.first", x))
        return self.linear("feed_forward.second", self.dropout("feed_forward.active", active))

    def run(self, x, op):
        """Computes the sublayers of op, each with its norm and residual."""
        for number, place in enumerate(SUBLAYERS[op], 1):
            sublayer, norm = getattr(self, place), f"norm{number}"
            if self.given["placement"] == "pre":
                x = x + self.dropout(place + ".y", sublayer(self.norm(norm, x)))
            else:
                x = self.norm(norm, x + self.dropout(place + ".y", sublayer(x)))
        return x


def run_layer(op, x, training, given):
    if given["norm"] not in NORMS:
        raise normproof.NotOffered(f"{op} with {given['norm']}")
    layer = Layer(given, training)
    y = layer.run(x, op)
    return {"y": y, **{place + ".weights": weights for place, weights in layer.weights.items()}}


def encoder_layer(x, training, **given):
    return run_layer("encoder_layer", x, training, given)


def decoder_layer(x, training, **given):
    return run_layer("decoder_layer", x, training, given)


OPERATIONS = {"encoder_layer": encoder_layer, "decoder_layer": decoder_layer}
