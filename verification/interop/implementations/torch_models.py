"""A translator, a language model and decoding, built from torch.nn.functional. Their norm is LayerNorm, post or pre."""
import numpy as np
import torch
import torch.nn.functional as F

import normproof
from implementations.torch_encoder_layers import NORMS, Layer

IGNORED = -100  # the class of a padded target


class Model(Layer):
    """A translator, a language model, or the decoder of a translator without its encoder.

    A translator is given the tokens of the source, and a decoder is given the memory. `prefix` and `norm_option`
    are those of the layer that runs at the moment.
    """

    def __init__(self, given, training):
        super().__init__(given, training)
        self.prefix, self.norm_option, self.caches = "", "norm", {}
        self.translates, self.decodes = "source" in given, "memory" in given
        self.memory = given.get("memory")

    def linear(self, name, x):
        return super().linear(self.prefix + name, x)

    def norm(self, name, x):
        return NORMS[self.given[self.norm_option]](x, x.shape[-1:], self.given[f"{self.prefix}{name}.gamma"],
                                                   self.given[f"{self.prefix}{name}.beta"],
                                                   self.given[self.norm_option + ".eps"])

    def dropout(self, place, x):
        return x

    def attention(self, x):
        q, k, v = self.split_heads(self.linear("attention.in", x), 3)
        mask = "source_valid" if self.translates else "valid"
        return self.attend("attention", q, k, v, mask, not self.translates)

    def self_attention(self, x):
        if not self.decodes:
            return super().self_attention(x)
        rows = dict(zip(("queries", "keys", "values"), self.linear("self_attention.in", x).chunk(3, -1)))
        for part in ("keys", "values"):
            name = f"{self.prefix}self_attention.{part}"
            before = self.caches.get(name, self.given.get(f"{self.prefix}self_attention.past_{part}"))
            if before is not None:
                rows[part] = torch.cat((before, rows[part]), 1)
            self.caches[name] = rows[part]
        (q,), (k,), (v,) = (self.split_heads(rows[part], 1) for part in ("queries", "keys", "values"))
        return self.attend("self_attention", q, k, v, None, False)

    def cross_attention(self, x):
        (q,) = self.split_heads(self.linear("cross_attention.query", x), 1)
        k, v = self.split_heads(self.linear("cross_attention.memory", self.memory), 2)
        mask = "source_valid" if self.translates else "memory_valid"
        return self.attend("cross_attention", q, k, v, mask, False)

    def embed(self, name, ids, first=0):
        """Returns the embeddings of tokens. The position of the first token is `first`."""
        weight = self.given[name]
        width = weight.shape[1]
        x = F.embedding(ids, weight)
        if self.given.get("scaled_embedding"):
            x = x * width ** 0.5
        if not self.given["positions"]:
            return x
        angles = (np.arange(ids.shape[1]) + first)[:, None] * 10000.0 ** -(np.arange(width) // 2 * 2 / width)
        return x + torch.from_numpy(np.where(np.arange(width) % 2, np.cos(angles), np.sin(angles))).to(x.dtype)

    def layers(self, side, norm_option, op, x):
        """Computes the layers of one side of a translator ("encoder." or "decoder.") and the norm after them."""
        self.norm_option = norm_option
        for layer in range(self.given["num_layers"]):
            self.prefix = f"{side}layers.{layer}."
            x = self.run(x, op)
        self.prefix = side
        return self.norm("final_norm", x) if self.given["placement"] == "pre" else x

    def head(self, x, embedding):
        weight = self.given[embedding if self.given["tied_head"] else "head.weight"]
        return F.linear(x, weight, self.given["head.bias"])

    def loss(self, logits):
        targets = self.given["targets"]
        if "valid" in self.given:
            targets = targets.masked_fill(~self.given["valid"], IGNORED)
        loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=IGNORED,
                               label_smoothing=self.given["label_smoothing"])
        return {"logits": logits, "loss": loss}

    def translator(self):
        self.memory = self.layers("encoder.", "norm", "encoder_layer",
                                  self.embed("encoder.embedding.weight", self.given["source"]))
        x = self.layers("decoder.", "decoder_norm", "decoder_layer",
                        self.embed("decoder.embedding.weight", self.given["tokens"]))
        return self.loss(self.head(x, "decoder.embedding.weight"))

    def language_model(self):
        x = self.layers("", "norm", "encoder_layer", self.embed("embedding.weight", self.given["tokens"]))
        return self.loss(self.head(x, "embedding.weight"))

    def decoding(self):
        """Decodes all sentences at once, token by token."""
        tokens, past = self.given["tokens"], self.given.get("layers.0.self_attention.past_keys")
        first, logits = 0 if past is None else past.shape[1], []
        for t in range(tokens.shape[1]):
            x = self.embed("embedding.weight", tokens[:, t:t + 1], first + t)
            logits.append(self.head(self.layers("", "norm", "decoder_layer", x), "embedding.weight"))
        return {"logits": torch.cat(logits, 1), **self.caches}


def run_model(op, training, **given):
    for option in ("norm", "decoder_norm"):
        if given.get(option, "layer_norm") not in NORMS:
            raise normproof.NotOffered(f"{op} with {given[option]}")
    return getattr(Model(given, training), op)()


def translator(training, **given):
    return run_model("translator", training, **given)


def language_model(training, **given):
    return run_model("language_model", training, **given)


def decoding(training, **given):
    return run_model("decoding", training, **given)


OPERATIONS = {"translator": translator, "language_model": language_model, "decoding": decoding}
