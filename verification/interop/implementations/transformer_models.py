"""Layers and models of Transformers for a framework whose tensors have the operators of NumPy: docs/specification/encoder.md.

A model of 16 bits is computed in float32 and rounded at the end. Its dropout masks, if any, are those of the case.
"""
import inspect
import math

import numpy as np

import normproof

SUBLAYERS = {"encoder_layer": ("attention", "feed_forward"),
             "decoder_layer": ("self_attention", "cross_attention", "feed_forward")}
STATE = ("running_mean", "running_variance", "running_psi2", "nu", "iterations")


class Layer:
    """One layer of an encoder or of a decoder.

    framework   a class whose functions compute with the tensors of a framework (torch_transformers.py, jax_transformers.py)
    given       the tensors and options of a case, by the corpus' names
    """

    def __init__(self, framework, given, training):
        self.framework, self.training = framework, training
        self.given = {name: framework.widened(value) if framework.is_floating(value) else value
                      for name, value in given.items()}
        self.outputs = {}

    def linear(self, name, x):
        return self.framework.linear(x, self.given[name + ".weight"], self.given[name + ".bias"])

    def norm(self, option, place, x, valid):
        """Applies the norm that an option, "norm" or "decoder_norm", names. Its new state is an output."""
        function = self.framework.NORMS.get(self.given[option])
        if function is None:
            raise normproof.NotOffered(f"the norm {self.given[option]}")
        named = {"training": self.training, "valid": valid}
        for prefix in (option + ".", place + "."):
            named.update({name[len(prefix):]: value for name, value in self.given.items() if name.startswith(prefix)})
        taken = inspect.signature(function).parameters
        if named.get("zero_centred_gamma") and "zero_centred_gamma" not in taken:
            raise normproof.NotOffered(f"{self.given[option]} with zero_centred_gamma")
        result = function(x, **{name: value for name, value in named.items() if name in taken})
        if not isinstance(result, dict):
            return result
        self.outputs.update({f"{place}.{name}": value for name, value in result.items() if name in STATE})
        return result["y"]

    def dropout(self, place, x):
        rate = self.given.get("dropout", 0)
        if rate == 0 or not self.training:
            return x
        return x * self.framework.as_number(self.given[place + ".keep"], x) / (1 - rate)

    def attend(self, place, q, k, v, valid, causal):
        """Computes attention, softmax(q k^T / sqrt(d_k)) v, and its output projection.

        valid   whether a key of a sample is visible; None if all are
        """
        samples, tokens, width = q.shape
        heads = self.given["num_heads"]
        q, k, v = (part.reshape(samples, -1, heads, width // heads).swapaxes(1, 2) for part in (q, k, v))
        scores = q @ k.swapaxes(-1, -2) / math.sqrt(width // heads)
        if valid is not None:
            scores = self.framework.hidden(scores, ~valid[:, None, None, :])
        if causal:
            later = np.triu(np.ones((tokens, tokens), bool), 1)
            scores = self.framework.hidden(scores, self.framework.constant(later))
        weights = self.framework.softmax(scores)
        self.outputs[place + ".weights"] = weights
        context = self.dropout(place + ".weights", weights) @ v
        return self.linear(place + ".out", context.swapaxes(1, 2).reshape(samples, tokens, width))

    def parts(self, rows, count):
        """Splits the features of rows into `count` parts."""
        width = rows.shape[-1] // count
        return [rows[..., part * width:(part + 1) * width] for part in range(count)]

    def attention(self, place, x):
        return self.attend(place, *self.parts(self.linear(place + ".in", x), 3), self.given.get("valid"),
                           self.given.get("causal", False))

    def self_attention(self, place, x):
        return self.attend(place, *self.parts(self.linear(place + ".in", x), 3), self.given.get("valid"), True)

    def cross_attention(self, place, x, memory=None, valid=None):
        k, v = self.parts(self.linear(place + ".memory", self.given["memory"] if memory is None else memory), 2)
        valid = self.given.get("memory_valid") if memory is None else valid
        return self.attend(place, self.linear(place + ".query", x), k, v, valid, False)

    def feed_forward(self, place, x):
        active = self.framework.ACTIVATIONS[self.given["activation"]](self.linear(place + ".first", x))
        return self.linear(place + ".second", self.dropout(place + ".active", active))

    def run(self, op, prefix, x, option="norm", valid=None, **sublayers):
        """Computes the sublayers of op, each with its norm and residual.

        prefix      the beginning of the names of the layer's tensors
        valid       the rows that enter the statistics of a batch; None if all do
        sublayers   functions that take the place of a sublayer of this name
        """
        for number, name in enumerate(SUBLAYERS[op], 1):
            sublayer, norm = sublayers.get(name, getattr(self, name)), f"{prefix}norm{number}"
            if self.given["placement"] == "pre":
                x = x + self.dropout(f"{prefix}{name}.y", sublayer(prefix + name, self.norm(option, norm, x, valid)))
            else:
                x = self.norm(option, norm, x + self.dropout(f"{prefix}{name}.y", sublayer(prefix + name, x)), valid)
        return x


class Model(Layer):
    """A whole model: an encoder, a translator, a language model, or the decoder of a translator."""

    def embed(self, name, ids, first=0):
        """Returns the embeddings of tokens. The position of the first token is `first`."""
        x = self.given[name][ids]
        width = x.shape[-1]
        if self.given.get("scaled_embedding"):
            x = x * math.sqrt(width)
        if not self.given["positions"]:
            return x
        angles = (np.arange(ids.shape[1]) + first)[:, None] * 10000.0 ** -(np.arange(width) // 2 * 2 / width)
        waves = self.framework.constant(np.where(np.arange(width) % 2, np.cos(angles), np.sin(angles)))
        return x + self.framework.as_number(waves, x)

    def layers(self, op, side, x, option="norm", valid=None, **sublayers):
        """Computes the layers of one side of a model, "encoder.", "decoder." or "", and the norm after them."""
        for layer in range(self.given["num_layers"]):
            x = self.run(op, f"{side}layers.{layer}.", x, option, valid, **sublayers)
        return self.norm(option, side + "final_norm", x, valid) if self.given["placement"] == "pre" else x

    def head(self, x, embedding=None):
        weight = embedding if embedding and self.given["tied_head"] else "head.weight"
        return self.framework.linear(x, self.given[weight], self.given["head.bias"])

    def lose(self, logits, targets, valid):
        """Returns the outputs: the logits, their loss, and the state of the norms."""
        mask = None if valid is None else valid.reshape(-1)
        loss = self.framework.cross_entropy(logits.reshape(-1, logits.shape[-1]), targets.reshape(-1),
                                            self.given.get("label_smoothing", 0.0), self.given.get("class_weights"), mask)
        state = {name: value for name, value in self.outputs.items() if not name.endswith(".weights")}
        return {"logits": logits, "loss": loss, **state}

    def encoder(self):
        valid = self.given.get("valid")
        x = self.layers("encoder_layer", "", self.embed("embedding.weight", self.given["tokens"]), "norm", valid)
        labels = self.given["labels"]
        if self.given["pooling"] == "per_position":
            return self.lose(self.head(x), self.framework.repeated(labels, x.shape[1]), valid)
        if valid is None:
            pooled = x.mean(1)
        else:
            counted = self.framework.as_number(valid, x)[:, :, None]
            pooled = (x * counted).sum(1) / counted.sum(1)
        return self.lose(self.head(pooled), labels, None)

    def language_model(self):
        valid, tokens = self.given.get("valid"), self.given["tokens"]
        self.given["causal"] = True
        x = self.layers("encoder_layer", "", self.embed("embedding.weight", tokens), "norm", valid)
        return self.lose(self.head(x, "embedding.weight"), self.given["targets"], valid)

    def translator(self):
        seen, valid = self.given.get("source_valid"), self.given.get("valid")

        def attention(place, x):
            return self.attend(place, *self.parts(self.linear(place + ".in", x), 3), seen, False)
        memory = self.layers("encoder_layer", "encoder.", self.embed("encoder.embedding.weight", self.given["source"]), "norm",
                             seen, attention=attention)

        def cross_attention(place, x):
            return self.cross_attention(place, x, memory, seen)
        x = self.layers("decoder_layer", "decoder.", self.embed("decoder.embedding.weight", self.given["tokens"]),
                        "decoder_norm", valid, cross_attention=cross_attention)
        return self.lose(self.head(x, "decoder.embedding.weight"), self.given["targets"], valid)

    def decoding(self):
        """Decodes all sentences at once, token by token."""
        tokens, caches, logits = self.given["tokens"], {}, []

        def self_attention(place, x):
            q, *fresh = self.parts(self.linear(place + ".in", x), 3)
            for part, rows in zip(("keys", "values"), fresh):
                before = caches.get(f"{place}.{part}", self.given.get(f"{place}.past_{part}"))
                caches[f"{place}.{part}"] = rows if before is None else self.framework.joined((before, rows))
            return self.attend(place, q, caches[place + ".keys"], caches[place + ".values"], None, False)
        past = self.given.get("layers.0.self_attention.past_keys")
        for t in range(tokens.shape[1]):
            x = self.embed("embedding.weight", tokens[:, t:t + 1], t + (0 if past is None else past.shape[1]))
            x = self.layers("decoder_layer", "", x, self_attention=self_attention)
            logits.append(self.head(x, "embedding.weight"))
        return {"logits": self.framework.joined(logits), **caches}


def layer_of(framework, op):
    """Returns a function that computes one layer."""
    def computed(x, training, **given):
        layer = Layer(framework, given, training)
        y = layer.run(op, "", framework.widened(x), "norm", layer.given.get("valid"))
        return {"y": framework.like(y, x), **layer.outputs}
    computed.__name__ = computed.__qualname__ = op
    return computed


def model_of(framework, op):
    """Returns a function that computes a model. Its caches, if any, have the dtype of its parameters."""
    def computed(training, **given):
        outputs = getattr(Model(framework, given, training), op)()
        return {name: framework.like(value, given["head.bias"]) if name.endswith(("keys", "values")) else value
                for name, value in outputs.items()}
    computed.__name__ = computed.__qualname__ = op
    return computed


def operations(framework):
    """Returns a function for each operation."""
    models = ("encoder", "translator", "language_model", "decoding")
    return {**{op: layer_of(framework, op) for op in SUBLAYERS}, **{op: model_of(framework, op) for op in models}}
