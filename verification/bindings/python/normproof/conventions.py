"""Describes the calling conventions that were detected, for the heading of a report."""
from __future__ import annotations

import dataclasses
import os
import sys

from normproof import names
from normproof.invocation import Answer, Invocation
from normproof.titles import title_of


@dataclasses.dataclass
class Observations:
    """Facts about an implementation that only its outputs show.

    members      the members of a module, and the tensor that each held in the last case
    loss_alone   whether a model returned its loss and no logits
    ignored      how many values a call returned that are not judged
    no_state     whether a case in training was judged without the state that the operation updates
    """
    members: dict[str, str] = dataclasses.field(default_factory=dict)
    loss_alone: bool = False
    ignored: int = 0
    no_state: bool = False

    def add(self, invocation: Invocation, answer: Answer) -> None:
        """Records the facts that one answer shows."""
        self.loss_alone = self.loss_alone or invocation.policy.is_loss_alone(answer.outputs)
        self.ignored = max(self.ignored, answer.ignored)


def describe_conventions(invocation: Invocation, observed: Observations) -> list[str]:
    """Returns the conventions of a call, one short text each."""
    framework, known = invocation.framework, invocation.conventions
    texts = [f"{framework.name} on {invocation.device}", *describe_interpreter(framework.name),
             *(f"{option} is {value}" for option, value in {**invocation.policy.declared_options,
                                                            **invocation.own_options}.items()),
             *invocation.signature.descriptions()]
    if invocation.layout.channels_first and not invocation.layout.describe():
        texts.append("channels are the axis after the samples" + (
            f", {known.spatial_axes} axes behind them" if known.spatial_axes is not None else ""))
    if known.unbiased:
        texts.append("the running variance is the unbiased one")
    if known.state_parameters:
        texts.append("beside statistics in float32, parameters of 16 bits are float32")
    if invocation.makes_module:
        texts.extend(f"{member} is {name}" for member, name in observed.members.items() if member != name)
        texts.append("a module for each case")
    if invocation.doubled_tables:
        texts.append("cos and sin have one element per feature, as in transformers")
    texts.extend(invocation.describe_findings())
    texts.extend(f"it overwrites {name} with {output}" for name, output in invocation.writes.items())
    if observed.ignored and invocation.signature.receives_x_twice:
        texts.append("of the results of two parameters that receive x, each case judges one")
    elif observed.ignored:
        texts.append(f"of {observed.ignored + 1} returned values the first is judged, as {invocation.policy.main}")
    if observed.no_state:
        texts.append(f"state not judged: {' and '.join(names.state_names(invocation.op))}, which it does not return or change")
    texts.append(_describe_gradients(invocation))
    if observed.loss_alone:
        texts.append("the loss is returned alone: no logits and no state are judged")
    return texts


def describe_interpreter(framework: str) -> list[str]:
    """Returns a text if kernels of Triton run in its interpreter, whose arithmetic of bfloat16 differs from that of a GPU."""
    is_on = os.environ.get("TRITON_INTERPRET", "").lower() in ("1", "true", "on", "yes", "y")
    if not is_on or "triton" not in sys.modules or not framework.startswith("PyTorch "):
        return []
    return ["Triton's interpreter is on (TRITON_INTERPRET), which truncates to bfloat16 where a GPU rounds to nearest"]


def _describe_gradients(invocation: Invocation) -> str:
    policy = invocation.policy
    if invocation.backward is not None:
        return f"gradients by {title_of(invocation.backward)}"
    if "grad_y" in invocation.signature.read_names:
        return "gradients by the function itself"
    if not policy.judges_gradients:
        return "no gradients: forward alone"
    if not policy.has_gradients:
        return f"no gradients: {invocation.op} has none"
    return "no gradients: outputs= names none" if policy.is_forward_only else "gradients by the framework"
