"""Times a causal language model and a translator in PyTorch's double: pre-norm, 2 layers per side,
4 heads, d_ff 4 d_model, LayerNorm, no dropout, the head tied to the target embedding.

usage: torch_sequences.py THREADS SECONDS NAME...   NAME is <what>-<d_model>-<vocabulary>

language and translate are a step of Adam. complete and decode generate one sentence token by token
under inference_mode, with cached keys and values, choosing the likeliest token each time. Prints
one JSON object: {"language-64-65": milliseconds, ...}, medians. If OPENBLAS_NUM_THREADS and THREADS
are 1, they are processor times, which other programs on the machine do not affect.
"""
import json
import math
import sys

import torch
from torch.nn import functional as F

from torch_training import median_time

CONTEXTS, CONTEXT = 32, 64
PAIRS, WORDS = 64, 16
HEADS, LAYERS = 4, 2


def positions(length, d_model):
    angle = torch.arange(length)[:, None] * torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
    return torch.stack((torch.sin(angle), torch.cos(angle)), 2).flatten(1).double()


def options(d_model):
    return dict(d_model=d_model, nhead=HEADS, dim_feedforward=4 * d_model, dropout=0.0, batch_first=True,
                norm_first=True)


def encoder_of(d_model):
    return torch.nn.TransformerEncoder(torch.nn.TransformerEncoderLayer(**options(d_model)), LAYERS,
                                       torch.nn.LayerNorm(d_model), enable_nested_tensor=False)


def attention_by_hand(query, keys, values):
    return (query @ keys.transpose(2, 3) / math.sqrt(query.shape[3])).softmax(3) @ values


attend_to = getattr(F, "scaled_dot_product_attention", attention_by_hand)


class Sequences(torch.nn.Module):
    """The shared part of both models: an embedding, positions, and a head with the embedding's
    weight."""

    def __init__(self, d_model, vocabulary):
        super().__init__()
        self.embedding = torch.nn.Embedding(vocabulary, d_model)
        self.bias = torch.nn.Parameter(torch.zeros(vocabulary))
        self.register_buffer("positions", positions(CONTEXT, d_model))
        self.register_buffer("later", torch.nn.Transformer.generate_square_subsequent_mask(CONTEXT).double())

    def embed(self, tokens):
        return self.embedding(tokens) + self.positions[:tokens.shape[1]]

    def head(self, x):
        return F.linear(x, self.embedding.weight, self.bias)

    def mask(self, tokens):
        return self.later[:tokens.shape[1], :tokens.shape[1]]


class Language(Sequences):
    def __init__(self, d_model, vocabulary):
        super().__init__(d_model, vocabulary)
        self.encoder = encoder_of(d_model)

    def forward(self, tokens):
        return self.head(self.encoder(self.embed(tokens), self.mask(tokens)))

    def complete(self):
        caches, token = [Cache() for _ in self.encoder.layers], torch.tensor([[1]])
        for place in range(CONTEXT):
            x = self.embedding(token) + self.positions[place]
            for layer, cache in zip(self.encoder.layers, caches):
                x = x + cache.attend(layer.self_attn, layer.norm1(x))
                x = x + layer.linear2(F.relu(layer.linear1(layer.norm2(x))))
            token = self.head(self.encoder.norm(x)).argmax(2)
        return token


class Translator(Sequences):
    def __init__(self, d_model, vocabulary):
        super().__init__(d_model, vocabulary)
        self.source = torch.nn.Embedding(vocabulary, d_model)
        self.transformer = torch.nn.Transformer(custom_encoder=encoder_of(d_model), num_decoder_layers=LAYERS,
                                                **options(d_model))

    def embed_source(self, source):
        return self.source(source) + self.positions[:source.shape[1]]

    def forward(self, source, target):
        return self.head(self.transformer(self.embed_source(source), self.embed(target), tgt_mask=self.mask(target)))

    def decode(self, source):
        memory = self.transformer.encoder(self.embed_source(source))
        layers, token = self.transformer.decoder.layers, torch.tensor([[1]])
        caches = [(Cache(), Cache(layer.multihead_attn, memory)) for layer in layers]
        for place in range(WORDS):
            x = self.embedding(token) + self.positions[place]
            for layer, (own, of_memory) in zip(layers, caches):
                x = x + own.attend(layer.self_attn, layer.norm1(x))
                x = x + of_memory.attend(layer.multihead_attn, layer.norm2(x), grows=False)
                x = x + layer.linear2(F.relu(layer.linear1(layer.norm3(x))))
            token = self.head(self.transformer.decoder.norm(x)).argmax(2)
        return token


class Cache:
    """Returns the keys and values of an attention, by head."""

    def __init__(self, attention=None, memory=None):
        self.keys = self.values = None
        if memory is not None:
            self.take(attention, memory)

    @staticmethod
    def by_head(x):
        return x.view(x.shape[0], x.shape[1], HEADS, -1).transpose(1, 2)

    def take(self, attention, x):
        d_model = x.shape[2]
        keys, values = F.linear(x, attention.in_proj_weight[d_model:], attention.in_proj_bias[d_model:]).chunk(2, 2)
        keys, values = self.by_head(keys), self.by_head(values)
        self.keys = keys if self.keys is None else torch.cat((self.keys, keys), 2)
        self.values = values if self.values is None else torch.cat((self.values, values), 2)

    def attend(self, attention, x, grows=True):
        d_model = x.shape[2]
        if grows:
            self.take(attention, x)
        query = self.by_head(F.linear(x, attention.in_proj_weight[:d_model], attention.in_proj_bias[:d_model]))
        seen = attend_to(query, self.keys, self.values)
        return attention.out_proj(seen.transpose(1, 2).flatten(2))


def step_of(model, loss):
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)

    def step():
        optimizer.zero_grad()
        loss().backward()
        optimizer.step()
    return step


def run_of(name):
    """Returns the work that is timed under a name."""
    what, d_model, vocabulary = name.split("-")
    d_model, vocabulary = int(d_model), int(vocabulary)
    torch.manual_seed(1)
    if what in ("language", "complete"):
        model = Language(d_model, vocabulary).double()
        if what == "complete":
            return torch.inference_mode()(model.eval().complete)
        text = torch.randint(0, vocabulary, (CONTEXTS, CONTEXT))
        return step_of(model, lambda: F.cross_entropy(model(text).flatten(0, 1), text.roll(-1).flatten()))
    model = Translator(d_model, vocabulary).double()
    source, target = torch.randint(0, vocabulary, (2, PAIRS, WORDS))
    if what == "decode":
        return torch.inference_mode()(lambda: model.eval().decode(source[:1]))
    return step_of(model, lambda: F.cross_entropy(model(source, target).flatten(0, 1), target.roll(-1).flatten()))


if __name__ == "__main__":
    torch.set_num_threads(int(sys.argv[1]))
    print(json.dumps({name: median_time(run_of(name), float(sys.argv[2])) for name in sys.argv[3:]}))
