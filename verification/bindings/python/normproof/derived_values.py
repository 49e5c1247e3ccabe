"""Computes values of parameters that follow from the case and the framework, without being in the case."""
from __future__ import annotations

import dataclasses
from typing import Any, Callable

import numpy as np

from normproof import names
from normproof.corpus import Case, layer_descriptions
from normproof.errors import NotOffered
from normproof.frameworks.base import Framework
from normproof.layout import feature_count
from normproof.masks import full_mask_shape
from normproof.stored import Stored

_BFLOAT16_ONE = 0x3F80
NEUTRAL_TENSORS = ("gamma", "beta", "valid")  # tensors that have a value which changes nothing
COUNTS_FROM_ONE = frozenset({"step_number", "step_array", "step_scalar"})  # rules whose first step is 1, as in PyTorch
IGNORED_TARGET = -100  # the target of a row that takes no part in the loss, for a function with ignore_index


@dataclasses.dataclass(frozen=True)
class DerivedValues:
    """Computes the rules of names.DERIVED by the conventions of a framework.

    `title` names the implementation in the reason of a NotOffered. `mask_shape` is the shape of `valid` for user-supplied
    tensors that do not have it; None in check. `momentum_weighs_new` says whether `momentum` is the weight of the new
    statistics, if a call showed it; None for the framework's own meaning. `broadcasts_mask` says whether the mask of the keys
    of attention has the shape [B,1,1,T], which broadcasts to that of the scores, instead of [B,T].
    """
    framework: Framework
    device: str
    title: str
    mask_shape: tuple[int, ...] | None = None
    momentum_weighs_new: bool | None = None
    broadcasts_mask: bool = False

    def value(self, rule: str, case: Case) -> Any:
        """Returns the value of a rule of names.DERIVED in a case."""
        compute: dict[str, Callable[[], Any]] = {
            "normalized_shape": lambda: (self._features(case),),
            "features": lambda: self._features(case),
            "last_axis": lambda: -1,
            "momentum": lambda: self._momentum(case),
            "training": lambda: case.training,
            "inference": lambda: not case.training,
            "has_gamma": lambda: "gamma" in case.tensors,
            "has_beta": lambda: "beta" in case.tensors,
            "approximate": lambda: self.framework.gelu_approximation(names.GELU_BY_TANH.get(case.op, False)),
            "grouped_heads": lambda: "q" in case.tensors and case.tensors["q"].shape[1] != case.tensors["k"].shape[1],
            "ignored_target": lambda: IGNORED_TARGET,
            "betas": lambda: (case.options.get("beta1"), case.options.get("beta2")),
            "window_size": lambda: tuple(-1 if case.options.get(name) is None else case.options[name]
                                         for name in ("window_left", "window_right")),
            "norm_before_gate": lambda: case.options["gate_position"] == "after",
            "group_width": lambda: feature_count(case) // int(case.options["groups"]),
            "reciprocal_scale": lambda: self._reciprocal_scale(case),
            "rotary_dim": lambda: 2 * case.tensors["cos"].shape[-1],
            "steps_before": lambda: self._steps(case, 0),
            "step_number": lambda: self._steps(case, 1),
            "steps_before_scalar": lambda: self._step_tensor(case, 0, ()),
            "step_scalar": lambda: self._step_tensor(case, 1, ()),
            "step_array": lambda: self._step_tensor(case, 1, (1,)),
            "case": lambda: case,
        }
        return compute[rule]()

    @staticmethod
    def _features(case: Case) -> int | None:
        return feature_count(case) if "x" in case.tensors else None

    @staticmethod
    def _steps(case: Case, first: int) -> int:
        """Returns the number of a step, counted from `first`."""
        return int(case.tensors["iterations"].data.ravel()[0]) + first

    def _reciprocal_scale(self, case: Case) -> Any:
        """Returns the reciprocal of the scale of the tensor, which vLLM and FlashInfer pass. Throws NotOffered without one."""
        for name in ("x_tensor_scale", "y_tensor_scale"):
            if name in case.tensors:
                return self.framework.tensor(Stored("float32", np.float32(1) / case.tensors[name].data), self.device)
        raise NotOffered(f"{self.title} needs a scale of the tensor, which the case has not")

    def _step_tensor(self, case: Case, first: int, shape: tuple[int, ...]) -> Any:
        numbers = np.full(shape, self._steps(case, first), np.float32 if shape == () else np.int64)
        return self.framework.tensor(Stored(str(numbers.dtype), numbers), self.device)

    @property
    def momentum_is_of_new_values(self) -> bool:
        """Whether `momentum` is the weight of the new statistics, not of the old ones."""
        return self.framework.momentum_weighs_new if self.momentum_weighs_new is None else self.momentum_weighs_new

    def _momentum(self, case: Case) -> Any:
        decay = case.options.get("running_decay", case.options.get("momentum", 0.9))
        return 1 - decay if self.momentum_is_of_new_values and "momentum" not in case.options else decay

    def neutral_tensor(self, name: str, case: Case) -> Any:
        """Returns the value for a required parameter whose tensor the case lacks: a tensor that changes nothing.

        Throws NotOffered if there is no such value.
        """
        if name in ("gamma", "beta"):
            x = case.tensors["x"]
            kind = x.data.dtype
            one = np.array(_BFLOAT16_ONE, np.uint16) if x.dtype == "bfloat16" else np.array(1, kind)
            described = layer_descriptions().get(case.op, {}).get("parameters", [])
            single = any(parameter["name"] == name and parameter["shape"] == "[1]" for parameter in described)
            shape = (1,) if single else (feature_count(case),)
            is_one = name == "gamma" and not case.options.get("zero_centred_gamma", False)
            values = np.full(shape, one if is_one else 0, kind)
            return self.framework.tensor(x.like(values), self.device)
        full = self.mask_shape or full_mask_shape(case.op, case.tensors, "valid", False)
        if name == "valid" and full is not None and self.broadcasts_mask:
            full = full[0], 1, 1, full[1]
        if name == "valid" and full is not None:
            return self.framework.tensor(Stored("boolean", np.ones(full, np.bool_)), self.device)
        raise NotOffered(f"{self.title} needs {name}, which the case has not")

    def description(self, source: str) -> str:
        """Returns the description of a rule for a report. A name that is not a rule is returned unchanged."""
        return {"normalized_shape": "(D,)", "features": "D, the last extent of x", "last_axis": "-1",
                "momentum": "1 - running_decay" if self.momentum_is_of_new_values else "running_decay",
                "training": "True in training mode", "inference": "True in inference mode", "has_gamma": "True if there is gamma",
                "has_beta": "True if there is beta", "approximate": "tanh for gelu_tanh alone",
                "grouped_heads": "True if k has fewer heads than q",
                "betas": "(beta1, beta2)", "window_size": "(window_left, window_right), -1 for all",
                "norm_before_gate": "gate_position == 'after'", "group_width": "D / groups",
                "rotary_dim": "the number of rotated features", "reciprocal_scale": "1 / the scale of the tensor",
                "steps_before": "iterations, a number from 0", "step_number": "iterations + 1, a number from 1",
                "steps_before_scalar": "iterations, a tensor of shape []", "step_scalar": "iterations + 1, a tensor of shape []",
                "step_array": "iterations + 1, a tensor of shape [1]",
                "ignored_target": f"{IGNORED_TARGET}, the target of a row without valid", "case": "the case"}.get(source, source)
