"""A translator, a language model and decoding from torch.nn.functional, and autograd: LayerNorm alone, post and pre."""
import numpy as np
import torch
import torch.nn.functional as F

import protocol
from torch_encoder_layer import NORMS, Layer

OPERATIONS = ("translator", "language_model", "decoding")


class Model(Layer):
    def __init__(self, case):
        super().__init__(case)
        self.place, self.option, self.caches = "", "norm", {}
        self.pre = self.options["placement"] == "pre"
        self.source = self.leaves.get("memory")

    def linear(self, name, x):
        return super().linear(self.place + name, x)

    def norm(self, name, x):
        return NORMS[self.options[self.option]](x, x.shape[-1:], self.leaves[f"{self.place}{name}.gamma"],
                                                self.leaves[f"{self.place}{name}.beta"],
                                                self.options[self.option + ".eps"])

    def dropout(self, place, x):
        return x

    def attention(self, x):
        q, k, v = self.heads(self.linear("attention.in", x), 3)
        translates = self.case.op == "translator"
        return self.attend("attention", q, k, v, "source_valid" if translates else "valid", not translates)

    def self_attention(self, x):
        if self.case.op != "decoding":
            return super().self_attention(x)
        rows = dict(zip(("queries", "keys", "values"), self.linear("self_attention.in", x).chunk(3, -1)))
        for part in ("keys", "values"):
            name = f"{self.place}self_attention.{part}"
            before = self.caches.get(name)
            if before is None and f"{self.place}self_attention.past_{part}" in self.case:
                before = torch.from_numpy(self.case[f"{self.place}self_attention.past_{part}"].copy())
            if before is not None:
                rows[part] = torch.cat((before, rows[part]), 1)
            self.caches[name] = rows[part]
        (q,), (k,), (v,) = (self.heads(rows[part], 1) for part in ("queries", "keys", "values"))
        return self.attend("self_attention", q, k, v, "no mask", False)

    def cross_attention(self, x):
        (q,) = self.heads(self.linear("cross_attention.query", x), 1)
        k, v = self.heads(self.linear("cross_attention.memory", self.source), 2)
        valid = "source_valid" if self.case.op == "translator" else "memory_valid"
        return self.attend("cross_attention", q, k, v, valid, False)

    def embed(self, name, ids, first=0):
        weight = self.leaves[name]
        width = weight.shape[1]
        x = F.embedding(torch.from_numpy(ids), weight)
        if self.options.get("scaled_embedding"):
            x = x * width ** 0.5
        if not self.options["positions"]:
            return x
        angles = (np.arange(ids.shape[1]) + first)[:, None] * 10000.0 ** -(np.arange(width) // 2 * 2 / width)
        return x + torch.from_numpy(np.where(np.arange(width) % 2, np.cos(angles), np.sin(angles))).to(x.dtype)

    def layers(self, side, option, op, x):
        self.option = option
        for layer in range(int(self.options["num_layers"])):
            self.place = f"{side}layers.{layer}."
            x = self.run(x, op)
        self.place = side
        return self.norm("final_norm", x) if self.pre else x

    def head(self, x, embedding):
        weight = self.leaves[embedding if self.options["tied_head"] else "head.weight"]
        return F.linear(x, weight, self.leaves["head.bias"])

    def lose(self, logits):
        targets = torch.from_numpy(self.case["targets"])
        if "valid" in self.case:
            targets = targets.masked_fill(torch.from_numpy(~self.case["valid"]), -100)
        loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=-100,
                               label_smoothing=self.options["label_smoothing"])
        loss.backward()
        outputs = {"logits": logits.detach().numpy(), "loss": loss.detach().reshape(1).numpy()}
        outputs.update({"grad_" + name: leaf.grad.numpy() for name, leaf in self.leaves.items()})
        return outputs

    def translator(self):
        self.source = self.layers("encoder.", "norm", "encoder_layer",
                                  self.embed("encoder.embedding.weight", self.case["source"]))
        x = self.layers("decoder.", "decoder_norm", "decoder_layer",
                        self.embed("decoder.embedding.weight", self.case["tokens"]))
        return self.lose(self.head(x, "decoder.embedding.weight"))

    def language_model(self):
        x = self.layers("", "norm", "encoder_layer", self.embed("embedding.weight", self.case["tokens"]))
        return self.lose(self.head(x, "embedding.weight"))

    @torch.no_grad()
    def decoding(self):
        past = self.case.get("layers.0.self_attention.past_keys")
        past, logits = 0 if past is None else past.shape[1], []
        for t in range(self.case["tokens"].shape[1]):
            x = self.embed("embedding.weight", self.case["tokens"][:, t:t + 1], past + t)
            logits.append(self.head(self.layers("", "norm", "decoder_layer", x), "embedding.weight"))
        return {"logits": torch.cat(logits, 1).numpy(), **{name: rows.numpy() for name, rows in self.caches.items()}}


def step(case):
    for option in ("norm", "decoder_norm"):
        if case.options.get(option, "layer_norm") not in NORMS:
            raise protocol.NotOffered(f"{case.op} with {case.options[option]}")
    outputs = getattr(Model(case), case.op)()
    return protocol.all_stored(case, outputs) if case.dtype == "bfloat16" else outputs
