"""Optimizers of PyTorch as functions: one step from the state that a case gives."""
from __future__ import annotations

import inspect
from typing import Any, Callable, Mapping

import torch

from normproof.errors import UsageError
from normproof.frameworks.loaded_module import Tensor

# For each operation, the arguments of an optimizer's constructor that a case decides. A tuple is a tuple of options.
OPTIONS: dict[str, dict[str, str | tuple[str, ...]]] = {
    "sgd": {"lr": "learning_rate", "momentum": "momentum"},
    "adam": {"lr": "learning_rate", "betas": ("beta1", "beta2"), "eps": "eps"},
    "adamw": {"lr": "learning_rate", "betas": ("beta1", "beta2"), "eps": "eps", "weight_decay": "weight_decay"}}
# Options of a constructor that make another update of a step, and the value that does not. Operations have none of them, except
# for those of OPTIONS.
OTHER_UPDATES: dict[str, Any] = {"amsgrad": False, "maximize": False, "nesterov": False, "dampening": 0, "weight_decay": 0,
                                 "decoupled_weight_decay": False}
KINDS = ("SGD", "Adam", "AdamW")  # the classes of PyTorch whose step is an operation
STATE = {"velocity": "momentum_buffer", "first_moment": "exp_avg", "second_moment": "exp_avg_sq"}


def optimizer_step(kind: Any, op: str, given: Mapping[str, Any]) -> Callable[..., Any]:
    """Returns a function that makes an optimizer of a class, loads the state of a case, and takes one step.

    `given` are the values of other options of its constructor.
    Throws UsageError if op is not the operation of an optimizer, and for an optimizer or an option with another update.
    """
    if op not in OPTIONS:
        raise UsageError(f"{kind.__name__} is an optimizer, and {op} is none; expected op= one of {', '.join(OPTIONS)}")
    options, taken = OPTIONS[op], inspect.signature(kind).parameters
    absent = [name for name in options if name not in taken]
    if absent and not any(parameter.kind is parameter.VAR_KEYWORD for parameter in taken.values()):
        raise UsageError(f"{kind.__name__} has no argument {absent[0]}, which {op} needs; expected an optimizer that computes "
                         f"{op}")
    if kind.__module__.startswith("torch.optim") and kind.__name__ not in KINDS:
        raise UsageError(f"torch.optim.{kind.__name__} computes none of {', '.join(OPTIONS)}; expected one of "
                         f"{', '.join('torch.optim.' + name for name in KINDS)}")
    for name, value in given.items():
        if name in OTHER_UPDATES and name not in options and value != OTHER_UPDATES[name]:
            raise UsageError(f"{kind.__name__} with {name}={value!r} has another update than {op}; expected "
                             f"{name}={OTHER_UPDATES[name]!r}")

    def step(*, parameter: Tensor, grad_parameter: Tensor, iterations: Tensor, **given: Any) -> dict[str, Tensor]:
        trained = parameter.detach().clone().requires_grad_()
        trained.grad = grad_parameter
        state = {name: given.pop(name) for name in STATE if given.get(name) is not None}
        values = {name: given.pop(source) if isinstance(source, str) else tuple(given.pop(one) for one in source)
                  for name, source in options.items()}
        optimizer = kind([trained], **values, **given)
        for name, value in state.items():
            optimizer.state[trained][STATE[name]] = value
        optimizer.state[trained]["step"] = torch.tensor(float(iterations[0]))
        optimizer.step()
        return {"parameter": trained.detach(), "iterations": iterations + 1,
                **{name: optimizer.state[trained][STATE[name]] for name in state}}

    keyword = inspect.Parameter.KEYWORD_ONLY
    needed = ["parameter", "grad_parameter", "iterations"]
    optional = [*STATE, *(name for source in options.values() for name in ((source,) if isinstance(source, str) else source))]
    extra = [name for name in taken if name not in ("params", *options)]
    parameters = [inspect.Parameter(name, keyword) for name in needed]
    parameters += [inspect.Parameter(name, keyword, default=None) for name in [*optional, *extra] if name not in needed]
    step.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    step.__qualname__ = step.__name__ = kind.__name__
    return step
