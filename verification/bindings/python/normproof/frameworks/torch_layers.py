"""The encoder and decoder layers of PyTorch as functions of the tensors and options of a case."""
from __future__ import annotations

import copy
import inspect
from typing import Any, Callable, Mapping

import torch

from normproof.errors import NotOffered, UsageError
from normproof.frameworks.loaded_module import Tensor

KINDS = {"encoder_layer": torch.nn.TransformerEncoderLayer, "decoder_layer": torch.nn.TransformerDecoderLayer}
NORM = ("layer_norm",)  # the norm that such a layer has
_NORMS = {"encoder_layer": ("norm1", "norm2"), "decoder_layer": ("norm1", "norm2", "norm3")}
_FEED_FORWARD = {"linear1": "feed_forward.first", "linear2": "feed_forward.second"}
# For each operation, the tensors of a case that a parameter of the layer holds, one below the other. A name without its last
# part stands for a weight and a bias.
_MEMBERS: dict[str, dict[str, tuple[str, ...]]] = {
    "encoder_layer": {"self_attn.in_proj_": ("attention.in.",), "self_attn.out_proj.": ("attention.out.",)},
    "decoder_layer": {"self_attn.in_proj_": ("self_attention.in.",), "self_attn.out_proj.": ("self_attention.out.",),
                      "multihead_attn.in_proj_": ("cross_attention.query.", "cross_attention.memory."),
                      "multihead_attn.out_proj.": ("cross_attention.out.",)}}


def _sources(op: str) -> dict[str, tuple[str, ...]]:
    """Returns the tensors of a case that each parameter of a layer holds."""
    sources = {path + part: tuple(name + part for name in names) for path, names in _MEMBERS[op].items()
               for part in ("weight", "bias")}
    sources.update({f"{path}.{part}": (f"{name}.{part}",) for path, name in _FEED_FORWARD.items() for part in ("weight", "bias")})
    for norm in _NORMS[op]:
        sources.update({f"{norm}.weight": (f"{norm}.gamma",), f"{norm}.bias": (f"{norm}.beta",)})
    return sources


def computed_operation(fn: Any) -> str | None:
    """Returns the operation that a layer, or a class of layers, computes; None for anything else."""
    kind = fn if inspect.isclass(fn) else type(fn)
    return next((op for op, layer in KINDS.items() if issubclass(kind, layer)), None)


def layer_function(fn: Any, op: str) -> Callable[..., Any]:
    """Returns a layer, or a class that makes one for each case, as a function of the tensors and options of a case.

    The function throws NotOffered for norms and dropout masks that the layer does not have.
    """
    kind = fn if inspect.isclass(fn) else type(fn)
    title, sources = f"torch.nn.{kind.__name__}" if kind in KINDS.values() else kind.__name__, _sources(op)

    def layer(x: Tensor, *, num_heads: int, placement: str, activation: str, norm: str, training: bool, dropout: float = 0.0,
              causal: bool = False, valid: Tensor | None = None, memory: Tensor | None = None,
              memory_valid: Tensor | None = None, **others: Any) -> Tensor:
        if norm not in NORM:
            raise NotOffered(f"{title} has {NORM[0]}, and no {norm}")
        if training and dropout:
            raise NotOffered(f"{title} draws its own dropout masks")
        if inspect.isclass(fn):
            hidden = others["feed_forward.first.bias"].shape[0]
            made = kind(x.shape[-1], num_heads, hidden, dropout=0.0, activation=activation, layer_norm_eps=others["norm.eps"],
                        batch_first=True, norm_first=placement == "pre", device=x.device, dtype=x.dtype)
        else:
            made = copy.deepcopy(fn)
        made.train(training)
        held = {path: torch.cat([others[name] for name in names]) if len(names) > 1 else others[names[0]]
                for path, names in sources.items() if path in dict(made.named_parameters())}
        first = made.self_attn.batch_first
        inputs = [value if first else value.transpose(0, 1) for value in (x, memory) if value is not None]
        future = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool, device=x.device).triu(1)
        masks = {"src_mask": future if causal else None, "src_key_padding_mask": _padding(valid)} if memory is None else {
            "tgt_mask": future, "tgt_key_padding_mask": _padding(valid), "memory_key_padding_mask": _padding(memory_valid)}
        y = _call(made, held, inputs, masks)
        return y if first else y.transpose(0, 1)
    layer.__qualname__ = layer.__name__ = title
    return layer


def _padding(valid: Tensor | None) -> Tensor | None:
    """Returns the mask of PyTorch, which is true for an element that takes no part."""
    return None if valid is None else ~valid.bool()


def _call(module: Any, held: Mapping[str, Tensor], inputs: list[Tensor], masks: Mapping[str, Tensor | None]) -> Tensor:
    """Calls a module with other values of its parameters, of which gradients can be taken."""
    if hasattr(torch, "func"):
        return torch.func.functional_call(module, dict(held), tuple(inputs), dict(masks))
    from torch.nn.utils.stateless import functional_call  # before PyTorch 2.0
    return functional_call(module, dict(held), tuple(inputs), dict(masks))


def layer_values(module: Any, op: str) -> dict[str, Any]:
    """Returns the tensors and options of a layer by the corpus' names. A bias that the layer does not have is 0.

    Throws UsageError for an activation or a dropout that the operation does not have.
    """
    title = type(module).__name__
    parameters, values = dict(module.named_parameters()), dict[str, Any]()
    activations = {torch.nn.functional.relu: "relu", torch.nn.functional.gelu: "gelu"}
    kinds = {torch.nn.ReLU: "relu", torch.nn.GELU: "gelu"}
    activation = activations.get(module.activation, kinds.get(type(module.activation)))
    if activation is None:
        raise UsageError(f"normproof.judge: {title} has the activation {getattr(module.activation, '__name__', module.activation)}"
                         "; expected relu or gelu")
    if module.training and module.dropout.p:
        raise UsageError(f"normproof.judge: {title} draws its own dropout masks in training; expected module.eval(), or dropout=0")
    for path, names in _sources(op).items():
        weight = parameters.get(path.rpartition("bias")[0] + "weight" if path.endswith("bias") else path)
        assert weight is not None
        held = parameters[path] if path in parameters else torch.zeros_like(weight[..., 0] if weight.dim() > 1 else weight)
        features = weight.shape[-1]
        split = [held] if len(names) == 1 else [held[:features], held[features:]]
        values.update({name: part.detach().clone() for name, part in zip(names, split)})
    return {**values, "num_heads": module.self_attn.num_heads, "placement": "pre" if module.norm_first else "post",
            "activation": activation, "norm": NORM[0], "norm.eps": module.norm1.eps}
