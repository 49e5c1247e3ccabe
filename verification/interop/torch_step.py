#!/usr/bin/env python3
"""One step of training in PyTorch, for tests/verification/interop/torch_step_test.cpp to judge.

  verification/interop/torch_step.py DIR...
Each DIR has the config.json of a run, weights.npz (docs/guide/formats.md, PyTorch's weights) and batch.npz, and gets
answers.npz: loss; grad.<name> and after.<name> of every parameter; x.<l> and grad_x.<l>, what goes into layer l,
and after the last layer what comes out of it. In float64 on the CPU. Exit status 77 where PyTorch is absent.
"""
import json
import math
import pathlib
import sys

try:
    import numpy as np
    import torch
    import torch.nn.functional as F
except ImportError as error:
    print(f"skipped: {sys.executable}: {error}")
    sys.exit(77)

ACTIVATIONS = {"relu": F.relu, "gelu": F.gelu, "gelu_tanh": lambda x: F.gelu(x, approximate="tanh")}


class Encoder(torch.nn.Module):
    """The module whose state_dict holds the weights that `normproof weights` writes."""

    def __init__(self, config, weights):
        super().__init__()
        encoder, eps, pre = config["encoder"], config["norm"]["eps"], config["encoder"]["placement"] == "pre"
        layer = torch.nn.TransformerEncoderLayer(
            encoder["d_model"], encoder["num_heads"], encoder["d_ff"], dropout=encoder["dropout"],
            activation=ACTIVATIONS[encoder["activation"]], layer_norm_eps=eps, batch_first=True, norm_first=pre)
        self.scale = math.sqrt(encoder["d_model"]) if encoder.get("scaled_embedding", False) else 1
        self.embedding = torch.nn.Embedding(*weights["embedding.weight"].shape)
        self.encoder = torch.nn.TransformerEncoder(
            layer, encoder["num_layers"], torch.nn.LayerNorm(encoder["d_model"], eps) if pre else None)
        self.head = torch.nn.Linear(*reversed(weights["head.weight"].shape))
        self.load_state_dict({name: torch.from_numpy(value) for name, value in weights.items()})

    def forward(self, tokens, valid, positions):
        x = self.encoder(self.scale * self.embedding(tokens) + positions, src_key_padding_mask=~valid)
        real = valid.unsqueeze(-1).to(x.dtype)
        return self.head((x * real).sum(1) / real.sum(1))


def step(folder):
    config = json.loads((folder / "config.json").read_text())
    model = Encoder(config, dict(np.load(folder / "weights.npz")))
    batch = {name: torch.from_numpy(value) for name, value in np.load(folder / "batch.npz").items()}
    between = []  # what goes into each layer, and what comes out of the last one
    for layer in model.encoder.layers:
        layer.register_forward_pre_hook(lambda _, inputs: between.append(inputs[0]))
    layer.register_forward_hook(lambda _, inputs, output: between.append(output))
    optimizer = torch.optim.SGD(model.parameters(), lr=config["training"]["learning_rate"])
    loss = F.cross_entropy(model(batch["tokens"], batch["valid"].bool(), batch["positions"]), batch["labels"])
    for x in between:
        x.retain_grad()
    loss.backward()
    answers = {"loss": loss.detach().reshape(1).numpy()}
    for number, x in enumerate(between):
        answers.update({f"x.{number}": x.detach().numpy(), f"grad_x.{number}": x.grad.numpy()})
    answers.update({f"grad.{name}": value.grad.numpy().copy() for name, value in model.named_parameters()})
    optimizer.step()
    answers.update({f"after.{name}": value.detach().numpy() for name, value in model.named_parameters()})
    np.savez(folder / "answers.npz", **answers)


if __name__ == "__main__":
    torch.set_default_dtype(torch.float64)
    torch.set_num_threads(1)
    for argument in sys.argv[1:]:
        step(pathlib.Path(argument))
    print(f"PyTorch {torch.__version__}")
