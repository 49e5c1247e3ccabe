"""Calls an implementation on a case with the tensors of its framework."""
from __future__ import annotations

import dataclasses
import inspect
from typing import Any, Callable, Collection, Mapping, NamedTuple, Sequence

import numpy as np

from normproof import frameworks, names, returned
from normproof.corpus import Case
from normproof.derived_values import DerivedValues
from normproof.errors import NotOffered, Unanswered, UsageError, in_one_line
from normproof.frameworks.base import Forward, Framework, KnownConventions, Leaves, Tensor
from normproof.layout import Layout, feature_count
from normproof.output_policy import OutputPolicy, parse_outputs
from normproof.signature import Signature, find_buffer_parameter, makes_module, read_signature, require_read
from normproof.stored import Stored
from normproof.titles import title_of

MODULE_PARAMETERS = ("gamma", "beta", "alpha")  # tensors that a module may have a member for
LAYERS_WITH_CHANNELS = ("batch_norm", "instance_norm", "group_norm", "batch_renorm")


@dataclasses.dataclass(frozen=True)
class Variation:
    """The changes that a relation makes to a call.

    alter          returns an input with another layout of memory, given its name and tensor
    buffer         returns where the function writes y, given x
    wanted         the leaves that a gradient is wanted of; None for all
    function       is called in place of the implementation
    forward_only   whether no gradient is computed
    """
    alter: Callable[[str, Tensor], Tensor] | None = None
    buffer: Callable[[Tensor], Tensor] | None = None
    wanted: Collection[str] | None = None
    function: Callable[..., Any] | None = None
    forward_only: bool = False


UNCHANGED = Variation()


class Answer(NamedTuple):
    """The result of a call on a case.

    outputs   the outputs as they are stored, by name; of a sequence, those of all steps stacked
    written   a sentence about an input that the call wrote to, or ""
    """
    outputs: dict[str, Stored]
    written: str = ""


@dataclasses.dataclass(frozen=True)
class Invocation:
    """How an implementation is called on a case: its function, its signature, a framework and a device.

    backward            a function that computes the gradients, and its signature; None if there is none
    makes_module        whether fn makes a module, which is then called with x
    module_parameters   the tensors among MODULE_PARAMETERS that the module has a member for
    takes_images        whether x may have two spatial axes
    """
    op: str
    fn: Callable[..., Any]
    signature: Signature
    backward: Callable[..., Any] | None
    backward_signature: Signature | None
    framework: Framework
    device: str
    conventions: KnownConventions
    layout: Layout
    policy: OutputPolicy
    makes_module: bool
    module_parameters: tuple[str, ...]
    takes_images: bool

    @property
    def title(self) -> str:
        """The name of the implementation in reports."""
        return self.signature.derived.title

    @property
    def differentiates(self) -> bool:
        """Whether gradients can be computed, by the implementation itself or by its framework."""
        return computes_gradients(self.signature, self.backward, self.framework)

    @property
    def framework_differentiates(self) -> bool:
        """Whether the framework, rather than the implementation, computes the gradients."""
        return (self.differentiates and self.backward is None and "grad_y" not in self.signature.read_names
                and not self.policy.is_forward_only)

    @property
    def read_names(self) -> frozenset[str]:
        """The names of the tensors and options of a case that the implementation receives."""
        read = set(self.signature.read_names)
        if self.makes_module:
            read.update(("x", *names.state_names(self.op), *self.module_parameters))
        if self.conventions.unbiased:
            read.discard("unbiased_running_variance")
        if self.takes_images:
            read.add("layout")
        return frozenset(read)

    def for_case(self, case: Case) -> Invocation:
        """Returns the invocation with the outputs and module members that a call on this case shows.

        The case should have as many tensors as possible.
        """
        parameters = self.module_parameters
        if self.makes_module:
            try:
                module = self._make_module(case)
                parameters = tuple(name for name in case.tensors if name in MODULE_PARAMETERS
                                   and self.framework.has_member(module, name))
            except Exception:  # every case will fail with this
                pass
        return dataclasses.replace(self, policy=self.policy.for_case(case), module_parameters=parameters)

    def with_shape(self, shape: tuple[int, ...]) -> Invocation:
        """Returns the invocation for a user-supplied x of this shape."""
        return dataclasses.replace(self, layout=dataclasses.replace(self.layout, user_shape=shape))

    def require_device(self) -> None:
        """Throws UsageError if the framework has no such device."""
        try:
            self.framework.tensor(Stored("float32", np.ones(1, np.float32)), self.device)
        except UsageError:
            raise
        except Exception as error:
            raise UsageError(f"normproof: {self.framework.name} has no device {self.device!r} here: "
                             f"{in_one_line(error)}") from None

    def require_offered(self, case: Case, also_read: Collection[str] = ()) -> None:
        """Declines a case that has a tensor or option which the implementation neither receives nor reads.

        Throws NotOffered.
        """
        if self.conventions.needs_two_rows and case.training and case.tensors["x"].data.size // feature_count(case) < (
                2 * (case.tensors["x"].shape[0] if case.sequence else 1)):
            raise NotOffered(f"{self.title} does not train on one row")
        if self.conventions.unbiased and not case.options.get("unbiased_running_variance", True):
            raise NotOffered(f"{self.title} has the unbiased running variance")
        require_read(case, {*self.read_names, *also_read}, self.title,
                     self.policy.is_forward_only or self.framework_differentiates)

    def answer(self, case: Case, variation: Variation = UNCHANGED, members: dict[str, str] | None = None) -> Answer:
        """Calls the implementation on a case.

        `members` receives the members of a module that were loaded and the tensor that each holds, even if the call
        then throws.
        Throws NotOffered, Unanswered, or what the implementation throws.
        """
        with self.framework.context(case.dtype):
            if not case.sequence:
                return self._answer_step(case, variation, members)
            answers: list[Answer] = []
            state: dict[str, Stored] = {}
            state_names = [name for name in case.tensors
                           if name in names.state_names(case.op) or name in returned.OPTIMIZER_STATE]
            stepped = "x" if "x" in case.tensors else "grad_parameter"
            for index in range(case.tensors[stepped].shape[0]):
                answers.append(self._answer_step(case.at(index, state), variation, members))
                outputs = answers[-1].outputs
                state = {name: outputs[name] for name in state_names if name in outputs}
            stacked = {name: Stored(first.dtype, np.stack([answer.outputs[name].data for answer in answers]))
                       for name, first in answers[0].outputs.items()}
            written = next((answer.written for answer in answers if answer.written), "")
            return Answer(stacked, written)

    def arrange(self, case: Case) -> dict[str, Stored]:
        """Returns the tensors of a case in the layout of the framework, and in the dtypes that it requires."""
        arranged = {}
        for name, stored in case.tensors.items():
            if name in returned.SHAPED_LIKE_X:
                stored = self.layout.arrange(case, stored)
            elif name in ("gamma", "beta") and self.conventions.state_parameters and "running_mean" in case.tensors:
                dtype = "float64" if stored.dtype == "float64" else "float32"
                stored = Stored(dtype, np.asarray(stored.widened(), dtype))
            arranged[name] = stored
        return arranged

    def _answer_step(self, case: Case, variation: Variation, members: dict[str, str] | None) -> Answer:
        arranged = self.arrange(case)
        given = {name: self.framework.tensor(stored, self.device) for name, stored in arranged.items()}
        if variation.alter is not None:
            given = {name: variation.alter(name, tensor) for name, tensor in given.items()}
        buffer = None if variation.buffer is None else variation.buffer(given["x"])
        values = self._call(case, given, variation, buffer, members)
        written = ""
        if variation.buffer is None:
            written = returned.find_written_input(self.op, self.framework, arranged, given)
        shape = case.tensors["x"].shape if "x" in case.tensors else None
        outputs = {name: returned.store_output(self.framework, self.device, self.layout, case, name, value, shape)
                   for name, value in values.items()}
        return Answer(outputs, written)

    def _call(self, case: Case, given: dict[str, Tensor], variation: Variation, buffer: Tensor | None,
              members: dict[str, str] | None) -> dict[str, Tensor]:
        """Returns the outputs and gradients as tensors of the framework."""
        if self.makes_module:
            forward, leaves, loaded = self.framework.load_module(self._make_module(case), given, case.training,
                                                                 self._module_call(case))
            if members is not None:
                members.clear()
                members.update(loaded)
        else:
            forward = self._forward(case, given, variation.function or self.fn, buffer)
            leaves = {name: value for name, value in given.items()
                      if name in self.signature.read_names and "grad_" + name in case.outputs}
        if variation.wanted is not None:
            for name in set(leaves) - set(variation.wanted):
                self.framework.freeze(leaves.pop(name))
        cotangent = None
        if self.framework_differentiates and not variation.forward_only:
            cotangent = self._cotangent(case, given)
        y, others, gradients = self._differentiate(case, forward, leaves, cotangent, given)
        main = self.policy.main
        if cotangent is not None and gradients is None:
            inputs = "x" if "x" in given else "its inputs"
            raise Unanswered(f"{main} does not depend on {inputs} for the framework, so there are no gradients; expected "
                             f"outputs='{main}', backward=, or a function that can be differentiated")
        values = {main: y, **others, **{"grad_" + name: value for name, value in (gradients or {}).items()}}
        if y is None:
            del values[main]
        for name in names.state_names(case.op):  # the function may have written it in place
            if name in given and name not in values and name in self.signature.read_names:
                values[name] = given[name]
        if self.backward is not None and not variation.forward_only:
            values.update(self._call_backward(case, given, values))
        return values

    def _differentiate(self, case: Case, forward: Forward, leaves: Leaves, cotangent: Tensor | None,
                       given: Mapping[str, Tensor]) -> tuple[Tensor, dict[str, Tensor], dict[str, Tensor] | None]:
        if cotangent is None:
            return self.framework.gradients(forward, leaves, None)
        if "loss" in case.outputs:
            forward = self._with_array_loss(forward)
        if "grad_sum" in given:
            return self._differentiate_with_sum(forward, leaves, cotangent, given["grad_sum"])
        return self.framework.gradients(forward, leaves, cotangent)

    def _forward(self, case: Case, given: dict[str, Tensor], function: Callable[..., Any],
                 buffer: Tensor | None) -> Forward:
        def forward(leaves: Leaves) -> tuple[Tensor, dict[str, Tensor]]:
            positional, named = self.signature.bind(case, {**given, **leaves})
            if buffer is not None:
                parameter = find_buffer_parameter(self.fn)
                named[parameter or "out"] = buffer if parameter == "out" else True
            results = returned.name_outputs(function(*positional, **named), case, self.policy, self.signature)
            return results.pop(self.policy.main, None), results
        return forward

    def _cotangent(self, case: Case, given: Mapping[str, Tensor]) -> Tensor | None:
        """Returns the gradient that arrives at the main output: grad_y, 1 for a loss, or None if there is none."""
        if "loss" in case.outputs:
            return self.framework.tensor(Stored("float32", np.ones(1, np.float32)), self.device)
        return given.get("grad_y")

    def _with_array_loss(self, forward: Forward) -> Forward:
        """Returns `forward` with a loss of shape [1] in place of the scalar that frameworks return."""
        def reshaped(leaves: Leaves) -> tuple[Tensor, dict[str, Tensor]]:
            loss, others = forward(leaves)
            if self.framework.is_tensor(loss) and tuple(loss.shape) == ():
                loss = self.framework.reshape(loss, (1,))
            return loss, others
        return reshaped

    def _differentiate_with_sum(self, forward: Forward, leaves: Leaves, grad_y: Tensor,
                                grad_sum: Tensor) -> tuple[Tensor, dict[str, Tensor], dict[str, Tensor] | None]:
        """Backpropagates from y and from the sum before the norm at once, by stacking the two."""
        def stacked(given: Leaves) -> tuple[Tensor, dict[str, Tensor]]:
            y, others = forward(given)
            if "sum" not in others:
                raise NotOffered(f"{self.title} returns no sum, of which the case has a gradient; expected y and "
                                 "sum, or outputs='y'")
            return self.framework.stack([y, others.pop("sum")]), others
        both, others, found = self.framework.gradients(stacked, leaves, self.framework.stack([grad_y, grad_sum]))
        return both[0], {**others, "sum": both[1]}, found

    def _make_module(self, case: Case) -> Any:
        positional, named = self.signature.bind(case, {})
        module = self.fn(*positional, **named)
        if not self.framework.is_module(module):
            raise Unanswered(f"{self.title} made a {type(module).__name__}; expected a module")
        return self.framework.place_module(module, self.device)

    def _module_call(self, case: Case) -> Callable[[Any, Mapping[str, Tensor]], Tensor]:
        def call(module: Any, tensors: Mapping[str, Tensor]) -> Tensor:
            return returned.name_outputs(module(tensors["x"]), case, self.policy, self.signature)["y"]
        return call

    def _call_backward(self, case: Case, given: dict[str, Tensor], values: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """Calls the user's backward. Returns the gradients by name."""
        assert self.backward is not None and self.backward_signature is not None
        results = {name: value for name, value in values.items() if name not in given}
        positional, named = self.backward_signature.bind(case, {**given, **results})
        gradients = self.backward(*positional, **named)
        if isinstance(gradients, dict):
            return gradients
        order = ["grad_" + name for name in self.signature.tensor_order if "grad_" + name in case.outputs]
        found = list(gradients) if isinstance(gradients, (tuple, list)) else [gradients]
        if len(found) > len(order):
            raise Unanswered(f"backward returned {len(found)} values; expected {', '.join(order)}")
        return {name: value for name, value in zip(order, found) if name[len("grad_"):] in case.tensors}


def computes_gradients(signature: Signature, backward: Callable[..., Any] | None, framework: Framework) -> bool:
    """Whether gradients can be computed: by a backward, by the function itself, or by the framework."""
    return backward is not None or "grad_y" in signature.read_names or framework.differentiates


def prepare_invocation(fn: Any, op: str, known: Collection[str], *, framework: str | None = None, device: str = "cpu",
                       arguments: Any = None, outputs: str | Sequence[str] | None = None,
                       backward: Callable[..., Any] | None = None, layout: str | None = None, forward_only: bool = False,
                       accumulation: str = "", formula: str = "", xfail: str = "", strict: bool = False,
                       flush_subnormals: bool = False) -> Invocation:
    """Determines how to call fn as an implementation of op.

    known          the names of all tensors and options of op
    forward_only   whether no gradient is judged
    The others are arguments of normproof.check.
    Throws UsageError if the parameters of fn or its framework cannot be recognized.
    """
    tensors = frameworks.framework(framework or frameworks.detect(fn))
    title = title_of(fn)
    conventions = tensors.known_conventions(fn)
    if layout not in (None, "channels_first", "channels_last"):
        raise UsageError(f"normproof: layout={layout!r}; expected 'channels_first' or 'channels_last'")
    has_channels = op in LAYERS_WITH_CHANNELS
    channels_first = tensors.channels_first and has_channels if layout is None else layout == "channels_first"
    is_module = tensors.is_module(fn)
    if is_module and not inspect.isclass(fn):
        raise UsageError(f"{title} is a module of one shape and eps; expected its class, or a function that makes "
                         f"one: lambda features, eps: {type(fn).__name__}(features, eps=eps)")
    constructs = is_module or tensors.has_modules and makes_module(fn, op, known)
    derived = DerivedValues(tensors, device, title)
    signature = read_signature(fn, op, known, derived, arguments, constructor=constructs)
    backward_signature = None
    if backward is not None:
        backward_signature = read_signature(backward, op, {*known, "y", "rstd", "mean"}, derived)
    state = set(names.state_names(op))
    policy = OutputPolicy(
        op, parse_outputs(outputs), not forward_only and computes_gradients(signature, backward, tensors),
        constructs or bool(state & signature.read_names), accumulation=accumulation, formula=formula, xfail=xfail,
        strict=strict, flush_subnormals=flush_subnormals)
    return Invocation(op, fn, signature, backward, backward_signature, tensors, device, conventions,
                      Layout(channels_first, conventions.spatial_axes), policy, constructs, MODULE_PARAMETERS,
                      takes_images=has_channels and (channels_first or layout is not None))
