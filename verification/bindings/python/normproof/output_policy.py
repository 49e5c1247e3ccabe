"""Decides which outputs are judged, and with which tolerance."""
from __future__ import annotations

import dataclasses
from typing import Collection, Iterable, Mapping, Sequence

from normproof import names
from normproof.corpus import Case, Corpus
from normproof.errors import UsageError
from normproof.stored import Stored, same_bits

# A case may lack gamma and beta, which are then 1 and 0; their gradients need not be returned.
PARAMETER_GRADIENTS = frozenset({"grad_gamma", "grad_beta"})
COUNTER = "iterations"  # of the steps of an optimizer, which need not return it
IGNORED = "_"  # stands in `outputs=` for a returned value that is not judged
# The output of a function that returns a single one: the first of these that the case has.
MAIN_OUTPUTS = ("y", "loss", "parameter", "logits")


def is_gradient(name: str) -> bool:
    return name.startswith("grad_")


def _lacks_parameter(case: Case, gradient: str) -> bool:
    return gradient in PARAMETER_GRADIENTS and gradient[len("grad_"):] not in case.tensors


@dataclasses.dataclass(frozen=True)
class OutputPolicy:
    """Determines which outputs of an implementation are judged, and the options of the gate for the tolerance.

    named              the outputs that `outputs=` names, or None
    order              what each returned value is, as `outputs=` says; IGNORED for a value that is not judged
    judges_gradients   whether gradients are judged if `outputs=` names nothing
    reads_state        whether the implementation receives the state of the operation, if it has one
    main               the output of a function that returns a single one
    has_logits         whether the cases have logits beside their loss
    has_gradients      whether the cases have gradients
    The others are options of normproof.check.
    """
    op: str
    named: tuple[str, ...] | None
    judges_gradients: bool
    reads_state: bool
    main: str = "y"
    has_logits: bool = False
    has_gradients: bool = True
    accumulation: str = ""
    formula: str = ""
    cast_order: str = ""
    loss_dtype: str = ""
    scale_rounding: str = ""
    xfail: str = ""
    strict: bool = False
    flush_subnormals: bool = False
    skip_diagnosis: bool = False
    order: tuple[str, ...] = ()

    def for_case(self, case: Case) -> OutputPolicy:
        """Returns the policy with the outputs that this case has; it should have as many tensors as possible."""
        main = next((name for name in MAIN_OUTPUTS if name in case.outputs), "y")
        return dataclasses.replace(self, main=main, has_logits=main == "loss" and "logits" in case.outputs,
                                   has_gradients=any(map(is_gradient, case.outputs)))

    def apply(self, corpus: Corpus) -> None:
        """Sets the options of a handle of the gate."""
        settings = {"outputs": self.default_outputs, "xfail": self.xfail, "strict": "1" if self.strict else "",
                    "skip_diagnosis": "1" if self.skip_diagnosis else "", **self.tolerance_settings}
        for name, value in settings.items():
            corpus.set(name, value)

    @property
    def tolerance_settings(self) -> dict[str, str]:
        """The options of the gate for the tolerance. Relations between calls are judged with them too."""
        return {"accumulation": self.accumulation, "formula": self.formula, "cast_order": self.cast_order,
                "loss_dtype": self.loss_dtype, "scale_rounding": self.scale_rounding,
                "flush_subnormals": "1" if self.flush_subnormals else ""}

    @property
    def declared_options(self) -> dict[str, str]:
        """The options by which wider or tighter bounds are declared, without those that have their default."""
        return {name: "True" if value == "1" else value for name, value in self.tolerance_settings.items() if value}

    @property
    def depends_on_answer(self) -> bool:
        """Whether the judged outputs depend on the case and on what was returned."""
        if self.named:
            return bool(PARAMETER_GRADIENTS & set(self.named))
        return not self.judges_gradients or self.has_logits or self.main == "parameter" or bool(self._required_outputs)

    @property
    def default_outputs(self) -> str:
        """The judged outputs before anything is returned, separated by commas; "" for all that the case requires."""
        if self.named:
            return ",".join(self.named)
        if not self.judges_gradients:
            return self.main
        return self._required_outputs

    @property
    def _required_outputs(self) -> str:
        if names.state_names(self.op) and not self.reads_state:
            return "y,grad_x,grad_gamma,grad_beta"
        return ""

    @property
    def is_forward_only(self) -> bool:
        """Whether no gradient is judged."""
        judged = self.default_outputs
        return judged != "" and not any(map(is_gradient, judged.split(",")))

    def judged_outputs(self, case: Case, outputs: Mapping[str, Stored]) -> str:
        """Returns the judged outputs of a case, separated by commas; "" for all that the case requires.

        With `outputs=`, they are those that it names, except for the gradient of a gamma or beta that the case lacks
        and the function did not return. Of a forward alone they are the main output and what else it returned: a
        sum, statistics, a state that changed. Of a model that returned nothing but its loss, they are the loss and
        the gradients.
        """
        if self.named:
            judged = [name for name in self.named if not _lacks_parameter(case, name) or name in outputs]
            return ",".join(judged or self.named)
        if not self.judges_gradients:
            others = self._other_outputs(case, outputs)
            # Elements mean nothing without the scales that the kernel found.
            found = ["y_scale"] if "y_scale" in case.outputs and "y_scale" not in others else []
            return ",".join([self.main, *others, *found])
        if self.main == "parameter" and COUNTER not in outputs:
            return ",".join(name for name in case.outputs if name != COUNTER)
        if self.is_loss_alone(outputs):
            return ",".join(["loss", *filter(is_gradient, case.outputs)])
        required = self._required_outputs
        return ",".join(name for name in required.split(",") if not _lacks_parameter(case, name)) if required else ""

    def is_loss_alone(self, outputs: Iterable[str]) -> bool:
        """Whether a model with logits and a loss returned its loss only, beside gradients."""
        return (not self.named and self.judges_gradients and self.has_logits
                and [name for name in outputs if not is_gradient(name)] == ["loss"])

    def accepts(self, case: Case, name: str) -> bool:
        """Whether a returned output of that name is judged at all.

        The gradient of a gamma or beta that the case lacks is judged only if `outputs=` names it.
        """
        return not _lacks_parameter(case, name) or name in (self.named or ()) and name in case.outputs

    def _other_outputs(self, case: Case, outputs: Mapping[str, Stored]) -> list[str]:
        """Returns the names that a forward returned beside its main output.

        A state that did not change is not among them, because a function that receives it need not return it.
        """
        return [name for name, stored in outputs.items()
                if name in case.outputs and name != self.main and not is_gradient(name)
                and not (name in case.tensors and _is_unchanged_state(case.tensors[name], stored))]


def _is_unchanged_state(before: Stored, after: Stored) -> bool:
    """Whether a state equals its value before the call; in a sequence, after every step."""
    if before.shape == after.shape:
        return same_bits(before, after)
    return after.shape[1:] == before.shape and all(same_bits(before, after.like(step)) for step in after.data)


def parse_outputs(outputs: str | Sequence[str] | None) -> tuple[str, ...]:
    """Returns the names in `outputs=`, which is a list or a text separated by commas; () for None.

    IGNORED is among them if a returned value is not judged. Throws UsageError if no value is judged.
    """
    if isinstance(outputs, str):
        outputs = [name.strip() for name in outputs.split(",")]
    order = tuple(outputs or ())
    if order and all(name == IGNORED for name in order):
        raise UsageError(f"normproof: outputs={','.join(order)!r}; expected the name of an output that is judged, such as "
                         "'y,_'")
    return order


def parse_globs(globs: str | Collection[str]) -> str:
    """Returns the globs of `xfail=`, one per line, as the gate reads them."""
    return "\n".join([globs] if isinstance(globs, str) else globs)
