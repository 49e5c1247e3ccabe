"""Tests incremental decoding in NumPy, all new tokens at once, and each mistake with the cache by its name."""
import functools
import math

import kernels
import numpy as np
import pytest

import normproof


def norm(case, place, x):
    """The norm layers of the quick cases of decoding, in inference."""
    kind, eps = case.options["norm"], case.options["norm.eps"]
    if kind == "layer_norm":
        x = x - x.mean(-1, keepdims=True)
    squares = case.get(place + ".running_psi2") if kind == "power_norm" else (x * x).mean(-1, keepdims=True)
    return x / np.sqrt(squares + eps) * case.get(place + ".gamma") + case.get(place + ".beta", 0)


def gelu_tanh(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x ** 3)))


ERF = np.vectorize(math.erf)


def gelu(x):
    return 0.5 * x * (1 + ERF(x / np.sqrt(2)))


ACTIVATIONS = {"relu": kernels.relu, "gelu": gelu, "gelu_tanh": gelu_tanh}


def attend(case, q, k, v, seen):
    """`seen` [B,T,S] or [T,S]"""
    heads = case.options["num_heads"]
    q, k, v = (np.moveaxis(rows.reshape(*rows.shape[:2], heads, -1), 2, 1) for rows in (q, k, v))
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    scores = np.where(np.broadcast_to(seen, (len(q), *seen.shape[-2:]))[:, None], scores, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return np.moveaxis(weights / weights.sum(-1, keepdims=True) @ v, 1, 2).reshape(len(q), q.shape[2], -1)


class Decoder:
    """A decoder. `mistake` is what it does wrong with the cache, one of MISTAKES."""

    def __init__(self, case, mistake=""):
        self.case, self.mistake, self.caches = case, mistake, {}
        self.pre = case.options["placement"] == "pre"

    def linear(self, name, x):
        tied = name == "head" and self.case.options["tied_head"]
        weight = self.case.get("embedding.weight" if tied else name + ".weight")
        return x @ weight.T.astype(np.float64) + self.case.get(name + ".bias")

    def self_attention(self, place, x):
        q, k, v = np.split(self.linear(place + ".in", x), 3, -1)
        width, scale = x.shape[-1], np.sqrt(self.case.options["num_heads"] / x.shape[-1])
        empty = np.zeros((len(x), 0, width))
        past_k, past_v = (self.case.get(f"{place}.past_{part}", empty).astype(np.float64) for part in ("keys", "values"))
        past, new = past_k.shape[1], x.shape[1]
        seen = np.tril(np.ones((new, past + new), bool), past)
        if self.mistake == "no causal mask":
            seen[:] = True
        if self.mistake == "a causal mask that sees one token ahead":
            seen = np.tril(np.ones_like(seen), past + 1)
        if self.mistake == "a causal mask laid at the first key":
            seen = np.tril(np.ones_like(seen))
        if self.mistake == "a ring that begins at its second entry":
            past_k, past_v = np.roll(past_k, -1, 1), np.roll(past_v, -1, 1)
        if self.mistake == "a ring that begins at its last entry":
            past_k, past_v = np.roll(past_k, 1, 1), np.roll(past_v, 1, 1)
        if self.mistake == "keys of a ring that begins at its second entry":
            past_k = np.roll(past_k, -1, 1)
        if self.mistake == "the oldest entry is not read":
            seen[:, 0] &= past == 0
        if self.mistake == "the oldest entry is lost":
            past_k, past_v, seen = past_k[:, 1:], past_v[:, 1:], seen[:, min(past, 1):]
        if self.mistake == "new keys are scaled, and the query":
            k = k * scale
        if self.mistake == "new keys are scaled, and no query":
            k, q = k * scale, q / scale
        if self.mistake == "past keys are taken for scaled":
            past_k = past_k / scale
        if self.mistake == "past keys are scaled again":
            past_k = past_k * scale
        k, v = np.concatenate((past_k, k), 1), np.concatenate((past_v, v), 1)
        context = attend(self.case, q, k, v, seen)
        if self.mistake.startswith("past keys"):
            k[:, :past] = self.case.get(place + ".past_keys", empty)
        if self.mistake == "keys are kept as they are scaled":
            k = k * scale
        if self.mistake == "a ring is kept that begins at its second entry":
            k, v = np.roll(k, -1, 1), np.roll(v, -1, 1)
        self.caches.update({place + ".keys": k, place + ".values": v})
        return self.linear(place + ".out", context)

    def cross_attention(self, place, x):
        memory = self.case.memory.astype(np.float64)
        k, v = np.split(self.linear(place + ".memory", memory), 2, -1)
        valid = self.case.get("memory_valid", np.ones(memory.shape[:2], bool))
        seen = np.broadcast_to(valid[:, None], (*x.shape[:2], memory.shape[1]))
        return self.linear(place + ".out", attend(self.case, self.linear(place + ".query", x), k, v, seen))

    def feed_forward(self, place, x):
        return self.linear(place + ".second",
                           ACTIVATIONS[self.case.options["activation"]](self.linear(place + ".first", x)))

    def residual(self, place, x, sublayer):
        return x + sublayer(norm(self.case, place, x)) if self.pre else norm(self.case, place, x + sublayer(x))

    def run(self):
        tokens, weight = self.case.tokens, self.case.get("embedding.weight").astype(np.float64)
        past, width = self.case.get("layers.0.self_attention.past_keys", np.zeros((1, 0))).shape[1], weight.shape[1]
        angles = (past + np.arange(tokens.shape[1]))[:, None] * 10000.0 ** -(np.arange(width) // 2 * 2 / width)
        scaled = self.case.options.get("scaled_embedding") and self.mistake != "the embedding is not scaled"
        x = weight[tokens] * (np.sqrt(width) if scaled else 1)
        x = x + np.where(np.arange(width) % 2, np.cos(angles), np.sin(angles))
        for layer in range(self.case.options["num_layers"]):
            place = f"layers.{layer}."
            for number, name in enumerate(("self_attention", "cross_attention", "feed_forward"), 1):
                x = self.residual(f"{place}norm{number}", x, functools.partial(getattr(self, name), place + name))
        logits = self.linear("head", norm(self.case, "final_norm", x) if self.pre else x)
        return {name: rows.astype(self.case.dtype) for name, rows in {"logits": logits, **self.caches}.items()}


def check(mistake="", **options):
    return normproof.check(lambda case: Decoder(case, mistake).run(), "decoding", dtype=["float64", "float32"], **options)


def test_decoding_all_new_tokens_at_once_passes():
    report = check()
    assert report and len(report.results) >= 5 and not report.declined


AHEAD, BEHIND = "the oldest row moved to the end", "the newest row moved to the beginning"


OF_ALL = "all keys that are kept: "
MISTAKES = [
    ("the embedding is not scaled", "factor sqrt(D) of the embedding: dropped"),
    ("no causal mask", "causal mask of new tokens: not applied"),
    ("a causal mask that sees one token ahead", "causal mask of new tokens: one key too many is visible"),
    ("a causal mask laid at the first key", "causal mask of new tokens: aligned at the first key instead of the last"),
    ("a ring that begins at its second entry", "order of past keys and values: " + AHEAD),
    ("a ring that begins at its last entry", "order of past keys and values: " + BEHIND),
    ("keys of a ring that begins at its second entry", "order of past keys: " + AHEAD),
    ("a ring is kept that begins at its second entry", "order of the cache: " + AHEAD),
    ("the oldest entry is not read", "oldest row of the cache: not read"),
    ("the oldest entry is lost", "oldest row of the cache: not read"),
    ("new keys are scaled, and the query", "keys in the cache: multiplied by 1/sqrt(d_k), as the query is"),
    ("new keys are scaled, and no query", "keys in the cache: multiplied by 1/sqrt(d_k) in place of the query"),
    ("past keys are scaled again", "past keys: multiplied by 1/sqrt(d_k) once more"),
    ("past keys are taken for scaled", "past keys: divided by 1/sqrt(d_k)"),
    ("keys are kept as they are scaled", OF_ALL + "multiplied by 1/sqrt(d_k)")]


@pytest.mark.parametrize("mistake, named", MISTAKES)
def test_a_mistake_with_the_cache_is_rejected_by_its_name(mistake, named):
    report = check(mistake)
    assert not report
    assert all(named in result.mistakes for result in report.failures), report
    assert any(result.mistakes[0] == named for result in report.failures), report
    assert f"'{named}'" in str(report)


@pytest.mark.parametrize("mistake, named", [one for one in MISTAKES if not one[1].startswith(("order of past keys and",
                                                                                             "order of the", OF_ALL))])
def test_the_mistake_is_named_from_the_logits_alone(mistake, named):
    report = check(mistake, outputs="logits")
    assert not report and any(named in result.mistakes for result in report.failures), report


@pytest.mark.parametrize("mistake", ["a ring that begins at its second entry", "a ring is kept that begins at its second entry",
                                     "keys are kept as they are scaled"])
def test_a_mistake_that_changes_no_logit_passes_if_only_logits_are_judged(mistake):
    assert check(mistake, outputs="logits")
