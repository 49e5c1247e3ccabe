"""Layers and models of Transformers in NumPy, from docs/specification/encoder.md and decoder.md.

Each operation records its backward. The backward of a model runs these in reverse order.
"""
import dataclasses

import numpy as np

import numpy_functions
import protocol

OPERATIONS = ("translator", "language_model", "decoding")  # that the adapter answers
BESIDE_THE_PIPE = ("encoder_layer", "decoder_layer", "encoder")  # that only the study of false alarms asks
ACTIVATIONS = {name: getattr(numpy_functions, name) for name in ("relu", "gelu", "gelu_tanh")}


class Value:
    """An activation or a parameter, and its gradient."""

    def __init__(self, value):
        self.value, self.grad = value, np.zeros_like(value)


class Model:
    """A model. run_norm(case) computes one step of a norm layer."""

    def __init__(self, case, run_norm):
        self.case, self.options, self.kind, self.run_norm = case, case.options, case.compute_dtype, run_norm
        self.backwards, self.parameters, self.outputs, self.weights = [], {}, {}, {}
        self.heads = int(self.options["num_heads"])

    def given(self, name):
        if name not in self.parameters:
            self.parameters[name] = Value(self.case[name].astype(self.kind))
        return self.parameters[name]

    def linear(self, name, x, weight=None):
        weight, bias = self.given(weight or name + ".weight"), self.given(name + ".bias")
        y = Value(x.value @ weight.value.T + bias.value)

        def backward():
            rows = y.grad.reshape(-1, y.grad.shape[-1])
            weight.grad += rows.T @ x.value.reshape(-1, x.value.shape[-1])
            bias.grad += rows.sum(0, dtype=self.kind)
            x.grad += y.grad @ weight.value

        self.backwards.append(backward)
        return y

    def add(self, a, b):
        y = Value(a.value + b.value)

        def backward():
            a.grad += y.grad
            b.grad += y.grad

        self.backwards.append(backward)
        return y

    def parts(self, whole, count):
        """Splits the features of a value into `count` parts."""
        width = whole.value.shape[-1] // count
        cut = [Value(whole.value[..., i * width:(i + 1) * width].copy()) for i in range(count)]

        def backward():
            whole.grad += np.concatenate([part.grad for part in cut], axis=-1)

        self.backwards.append(backward)
        return cut

    def norm(self, option, place, x, valid=None):
        """Applies the norm layer that an option, "norm" or "decoder_norm", names."""
        if self.options[option] == "none":
            return x
        tensors = {name[len(place) + 1:]: value for name, value in self.case.tensors.items()
                   if name.startswith(place + ".")}
        if valid is not None:
            tensors["valid"] = valid
        options = {name[len(option) + 1:]: value for name, value in self.options.items()
                   if name.startswith(option + ".")}

        def step(grad_y):
            return self.run_norm(protocol.Case(
                self.case.path, self.options[option], self.case.training, False, options,
                np.dtype(self.kind).name, {**tensors, "x": x.value, "grad_y": grad_y}))

        y = Value(step(np.zeros_like(x.value))["y"])

        def backward():
            results = step(y.grad)
            x.grad += results["grad_x"]
            for name, value in results.items():
                if name.startswith("grad_") and name != "grad_x":
                    self.given(f"{place}.{name[5:]}").grad += value
                elif name in protocol.STATE:
                    self.outputs[f"{place}.{name}"] = value

        self.backwards.append(backward)
        return y

    def in_heads(self, rows):
        samples, tokens, width = rows.shape
        return rows.reshape(samples, tokens, self.heads, width // self.heads).swapaxes(1, 2)

    def keeps(self, place):
        """Returns 1/(1 - rate) for the elements that dropout keeps, and 0 for the others; 1 without dropout."""
        rate = self.options.get("dropout", 0)
        if rate == 0 or not self.case.training:
            return self.kind(1)
        return self.case[place + ".keep"] / self.kind(1 - rate)

    def dropout(self, place, x):
        keeps = self.keeps(place)
        y = Value(x.value * keeps)

        def backward():
            x.grad += y.grad * keeps

        self.backwards.append(backward)
        return y

    def attend(self, place, q, k, v, seen):
        """Returns softmax(q k^T / sqrt(d_k)) v. `seen`, of shape [B,S] or [B,T,S], marks the visible keys."""
        queries, keys, values = (self.in_heads(part.value) for part in (q, k, v))
        scale = 1 / np.sqrt(self.kind(queries.shape[-1]))
        seen = np.broadcast_to(seen[:, None, None] if seen.ndim == 2 else seen[:, None],
                               (*queries.shape[:3], keys.shape[2]))
        e, _ = numpy_functions.exponentials(queries @ keys.swapaxes(-1, -2) * scale, seen)
        whole = numpy_functions.total(e)
        weights = e / np.where(whole == 0, self.kind(1), whole)
        keeps = self.keeps(place + ".weights")
        self.weights[place + ".weights"] = weights

        def merged(parts):
            return parts.swapaxes(1, 2).reshape(parts.shape[0], parts.shape[2], -1)

        y = Value(merged((weights * keeps) @ values))

        def backward():
            grad = self.in_heads(y.grad)
            grad_weights = grad @ values.swapaxes(-1, -2) * keeps
            grad_scores = weights * (grad_weights - numpy_functions.total(grad_weights * weights)) * scale
            q.grad += merged(grad_scores @ keys)
            k.grad += merged(grad_scores.swapaxes(-1, -2) @ queries)
            v.grad += merged((weights * keeps).swapaxes(-1, -2) @ grad)

        self.backwards.append(backward)
        return y

    def attention(self, place, x, seen):
        q, k, v = self.parts(self.linear(place + ".in", x), 3)
        return self.linear(place + ".out", self.attend(place, q, k, v, seen))

    def cross_attention(self, place, x, memory, seen):
        k, v = self.parts(self.linear(place + ".memory", memory), 2)
        return self.linear(place + ".out", self.attend(place, self.linear(place + ".query", x), k, v, seen))

    def feed_forward(self, place, x):
        function = ACTIVATIONS[self.options["activation"]]
        inner = self.linear(place + ".first", x)
        active = Value(function(inner.value, np.zeros_like(inner.value), None)[0])

        def backward():
            inner.grad += function(inner.value, active.grad, None)[1]

        self.backwards.append(backward)
        return self.linear(place + ".second", self.dropout(place + ".active", active))

    def residual(self, option, place, x, valid, sublayer, dropout=None):
        """Computes a sublayer with its norm and residual. `dropout` is the place of its dropout, or None."""
        def dropped(rows):
            return sublayer(rows) if dropout is None else self.dropout(dropout, sublayer(rows))
        if self.options["placement"] == "pre":
            return self.add(x, dropped(self.norm(option, place, x, valid)))
        return self.norm(option, place, self.add(x, dropped(x)), valid)

    def final_norm(self, option, place, x, valid=None):
        return self.norm(option, place, x, valid) if self.options["placement"] == "pre" else x

    def embed(self, name, ids, first=0):
        weight = self.given(name)
        width = weight.value.shape[1]
        scale = np.sqrt(self.kind(width)) if self.options.get("scaled_embedding") else self.kind(1)
        y = Value(weight.value[ids] * scale)
        if self.options["positions"]:
            angles = (np.arange(ids.shape[1]) + first)[:, None] * 10000.0 ** -(np.arange(width) // 2 * 2 / width)
            y.value = y.value + np.where(np.arange(width) % 2, np.cos(angles), np.sin(angles)).astype(self.kind)

        def backward():
            np.add.at(weight.grad, ids, y.grad * scale)

        self.backwards.append(backward)
        return y

    def head(self, x, embedding):
        return self.linear("head", x, embedding if self.options.get("tied_head") else None)

    def pooled(self, x, valid):
        """Returns the mean of the valid rows of each sample."""
        share = valid[..., None] / valid.sum(1, dtype=self.kind)[:, None, None]
        y = Value((x.value * share).sum(1, dtype=self.kind))

        def backward():
            x.grad += y.grad[:, None] * share

        self.backwards.append(backward)
        return y

    def layer_outputs(self, y):
        """Returns y, the attention weights, every gradient and the norms' state of a layer."""
        self.outputs.update({"y": y.value, **self.weights})
        return self.differentiate(y, self.case["grad_y"].astype(self.kind))

    def lose(self, logits, targets, valid):
        """Computes the loss and its backward. Returns the logits, the loss, every gradient and the norms' state."""
        rows = logits.value.reshape(-1, logits.value.shape[-1])
        tensors = {"logits": rows, "targets": targets.reshape(-1)}
        if valid is not None:
            tensors["valid"] = valid.reshape(-1)
        if "class_weights" in self.case:
            tensors["class_weights"] = self.case["class_weights"]
        found = numpy_functions.cross_entropy(dataclasses.replace(
            self.case, dtype=np.dtype(self.kind).name, tensors=tensors,
            options={"label_smoothing": 0, **self.options}))
        self.outputs.update({"logits": logits.value, "loss": found["loss"]})
        return self.differentiate(logits, found["grad_logits"])

    def differentiate(self, last, gradient):
        """Computes the backward from the last value. Returns the outputs, every gradient and the norms' state."""
        last.grad = gradient.reshape(last.value.shape)
        for backward in reversed(self.backwards):
            backward()
        self.outputs.update({"grad_" + name: own.grad for name, own in self.parameters.items()})
        return self.outputs

    def layers(self):
        return range(int(self.options["num_layers"]))


def causal(tokens, valid):
    seen = np.tril(np.ones((1, tokens, tokens), bool))
    return seen if valid is None else seen & valid[:, None]


def all_true(ids):
    return np.ones(ids.shape, bool)


def translator(case, run_norm):
    model = Model(case, run_norm)
    source, tokens = case["source"], case["tokens"]
    source_valid, valid = case.get("source_valid"), case.get("valid")
    sees_source = all_true(source) if source_valid is None else source_valid
    m = model.embed("encoder.embedding.weight", source)
    for layer in model.layers():
        place = f"encoder.layers.{layer}."
        m = model.residual("norm", place + "norm1", m, source_valid,
                           lambda x: model.attention(place + "attention", x, sees_source))
        m = model.residual("norm", place + "norm2", m, source_valid,
                           lambda x: model.feed_forward(place + "feed_forward", x))
    m = model.final_norm("norm", "encoder.final_norm", m, source_valid)
    x = model.embed("decoder.embedding.weight", tokens)
    for layer in model.layers():
        place = f"decoder.layers.{layer}."
        x = model.residual("decoder_norm", place + "norm1", x, valid, lambda x: model.attention(
            place + "self_attention", x, causal(tokens.shape[1], valid)))
        x = model.residual("decoder_norm", place + "norm2", x, valid, lambda x: model.cross_attention(
            place + "cross_attention", x, m, sees_source))
        x = model.residual("decoder_norm", place + "norm3", x, valid,
                           lambda x: model.feed_forward(place + "feed_forward", x))
    x = model.final_norm("decoder_norm", "decoder.final_norm", x, valid)
    return model.lose(model.head(x, "decoder.embedding.weight"), case["targets"], valid)


def language_model(case, run_norm):
    model = Model(case, run_norm)
    tokens, valid = case["tokens"], case.get("valid")
    x = model.embed("embedding.weight", tokens)
    for layer in model.layers():
        place = f"layers.{layer}."
        x = model.residual("norm", place + "norm1", x, valid, lambda x: model.attention(
            place + "attention", x, causal(tokens.shape[1], valid)))
        x = model.residual("norm", place + "norm2", x, valid,
                           lambda x: model.feed_forward(place + "feed_forward", x))
    logits = model.head(model.final_norm("norm", "final_norm", x, valid), "embedding.weight")
    return model.lose(logits, case["targets"], valid)


def encoder(case, run_norm):
    model = Model(case, run_norm)
    tokens, valid, labels = case["tokens"], case.get("valid"), case["labels"]
    seen = all_true(tokens) if valid is None else valid
    sees = causal(tokens.shape[1], valid) if case.options.get("causal") else seen
    x = model.embed("embedding.weight", tokens)
    for layer in model.layers():
        place = f"layers.{layer}."
        x = model.residual("norm", place + "norm1", x, valid, lambda x: model.attention(place + "attention", x, sees))
        x = model.residual("norm", place + "norm2", x, valid,
                           lambda x: model.feed_forward(place + "feed_forward", x))
    x = model.final_norm("norm", "final_norm", x, valid)
    if case.options.get("pooling") == "per_position":
        return model.lose(model.head(x, None), np.repeat(labels[:, None], tokens.shape[1], 1), valid)
    return model.lose(model.head(model.pooled(x, seen), None), labels, None)


def encoder_layer(case, run_norm):
    model = Model(case, run_norm)
    x, valid = model.given("x"), case.get("valid")
    tokens = x.value.shape[1]
    sees = causal(tokens, valid) if case.options.get("causal") else all_true(x.value[..., 0]) if valid is None else valid
    y = model.residual("norm", "norm1", x, valid, lambda x: model.attention("attention", x, sees), "attention.y")
    y = model.residual("norm", "norm2", y, valid, lambda x: model.feed_forward("feed_forward", x), "feed_forward.y")
    return model.layer_outputs(y)


def decoder_layer(case, run_norm):
    model = Model(case, run_norm)
    x, memory, valid = model.given("x"), model.given("memory"), case.get("valid")
    seen = case.get("memory_valid", all_true(memory.value[..., 0]))
    y = model.residual("norm", "norm1", x, valid, lambda x: model.attention(
        "self_attention", x, causal(x.value.shape[1], valid)), "self_attention.y")
    y = model.residual("norm", "norm2", y, valid, lambda x: model.cross_attention(
        "cross_attention", x, memory, seen), "cross_attention.y")
    y = model.residual("norm", "norm3", y, valid, lambda x: model.feed_forward("feed_forward", x), "feed_forward.y")
    return model.layer_outputs(y)


def decoding(case, run_norm):
    """Decodes token by token, all sentences at once."""
    model = Model(case, run_norm)
    tokens, memory = case["tokens"], Value(case["memory"].astype(model.kind))
    sees_source = case.get("memory_valid", all_true(memory.value[..., 0]))
    caches = {}
    for layer in model.layers():
        for part in ("keys", "values"):
            name = f"layers.{layer}.self_attention."
            empty = np.zeros((len(tokens), 0, memory.value.shape[-1]))
            caches[name + part] = case.get(f"{name}past_{part}", empty).astype(model.kind)

    def self_attention(place, x):
        q, k, v = model.parts(model.linear(place + ".in", x), 3)
        for part, fresh in (("keys", k), ("values", v)):
            caches[f"{place}.{part}"] = np.concatenate((caches[f"{place}.{part}"], fresh.value), 1)
        k, v = (Value(caches[f"{place}.{part}"]) for part in ("keys", "values"))
        return model.linear(place + ".out", model.attend(place, q, k, v, all_true(k.value[..., 0])))

    past, logits = caches["layers.0.self_attention.keys"].shape[1], []
    for t in range(tokens.shape[1]):
        x = model.embed("embedding.weight", tokens[:, t:t + 1], past + t)
        for layer in model.layers():
            place = f"layers.{layer}."
            x = model.residual("norm", place + "norm1", x, None, lambda x: self_attention(place + "self_attention", x))
            x = model.residual("norm", place + "norm2", x, None, lambda x: model.cross_attention(
                place + "cross_attention", x, memory, sees_source))
            x = model.residual("norm", place + "norm3", x, None,
                               lambda x: model.feed_forward(place + "feed_forward", x))
        logits.append(model.head(model.final_norm("norm", "final_norm", x), "embedding.weight").value)
    return {"logits": np.concatenate(logits, 1), **caches}


def step(case, run_norm):
    return protocol.all_stored(case, globals()[case.op](case, run_norm))
