"""An encoder layer from torch.nn.functional, and autograd: LayerNorm alone, post and pre.

torch.nn.TransformerEncoderLayer draws its own masks; here those of the case take their place.
"""
import math

import torch
import torch.nn.functional as F

import protocol

ACTIVATIONS = {"relu": F.relu, "gelu": F.gelu, "gelu_tanh": lambda x: F.gelu(x, approximate="tanh")}


NORMS = {"layer_norm": F.layer_norm}
TAKES = ("valid", "*.keep", "*.weight", "*.bias", "*.gamma", "*.beta", "num_heads", "activation", "placement",
         "dropout", "norm", "norm.eps", "causal")


class Layer:
    def __init__(self, case):
        self.case, self.options, self.weights = case, case.options, None
        self.leaves = {name: torch.from_numpy(value.copy()).requires_grad_()
                       for name, value in case.tensors.items()
                       if name == "x" or name.endswith((".weight", ".bias", ".gamma", ".beta"))}

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

    def attention(self, x):
        samples, tokens, width = x.shape
        heads = int(self.options["num_heads"])
        qkv = self.linear("attention.in", x).reshape(samples, tokens, 3, heads, width // heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-1, -2) / math.sqrt(width // heads)
        if "valid" in self.case.tensors:
            padding = torch.from_numpy(~self.case["valid"])[:, None, None, :]
            scores = scores.masked_fill(padding, -math.inf)
        if self.options.get("causal", False):
            later = torch.ones(tokens, tokens, dtype=torch.bool).triu(1)
            scores = scores.masked_fill(later, -math.inf)
        self.weights = F.softmax(scores, -1)
        context = self.dropout("attention.weights", self.weights) @ v
        return self.linear("attention.out", context.transpose(1, 2).reshape(x.shape))

    def feed_forward(self, x):
        active = ACTIVATIONS[self.options["activation"]](self.linear("feed_forward.first", x))
        return self.linear("feed_forward.second", self.dropout("feed_forward.active", active))

    def run(self):
        x = self.leaves["x"]
        for number, place in enumerate(("attention", "feed_forward"), 1):
            sublayer, norm = getattr(self, place), f"norm{number}"
            if self.options["placement"] == "pre":
                x = x + self.dropout(place + ".y", sublayer(self.norm(norm, x)))
            else:
                x = self.norm(norm, x + self.dropout(place + ".y", sublayer(x)))
        return x


def step(case):
    if case.options["norm"] not in NORMS:
        raise protocol.NotOffered(f"an encoder layer with {case.options['norm']}")
    layer = Layer(case)
    y = layer.run()
    y.backward(torch.from_numpy(case["grad_y"]))
    outputs = {"y": y.detach().numpy(), "attention.weights": layer.weights.detach().numpy()}
    outputs.update({"grad_" + name: leaf.grad.numpy() for name, leaf in layer.leaves.items()})
    return outputs
