"""Calls an implementation on a case with the tensors of its framework."""
from __future__ import annotations

import dataclasses
import functools
import inspect
import math
from typing import Any, Callable, Collection, Mapping, NamedTuple, Sequence

import numpy as np

from normproof import frameworks, names, returned
from normproof.arguments import describe_value
from normproof.corpus import Case
from normproof.derived_values import COUNTS_FROM_ONE, IGNORED_TARGET, DerivedValues
from normproof.errors import NormproofError, NotOffered, Unanswered, UsageError, in_one_line, is_wrong_call
from normproof.frameworks.base import Framework, KnownConventions
from normproof.frameworks.loaded_module import Forward, Leaves, LoadedModule, Tensor
from normproof.layout import LAYOUTS, Layout, feature_count
from normproof.packing import Packing, find_packing
from normproof.masks import GivenMask
from normproof.output_policy import COUNTER, IGNORED, OutputPolicy, is_gradient, parse_outputs
from normproof.signature import (EVERYTHING, NOT_LAYERS, NOT_NEEDED, OutputBuffer, Signature, find_buffer_parameter,
                                 looks_like_factory, read_signature, require_read)
from normproof.stored import Stored, is_unwritten, unwritten
from normproof.titles import local_title, title_of

MODULE_PARAMETERS = ("gamma", "beta", "alpha")  # tensors that a module may have a member for
# Inputs that a function receives as an int or a bool.
NUMBERS = ("y_scale_group", "x_scale_group", "y_scale_power_of_two")
LAYERS_WITH_CHANNELS = ("batch_norm", "instance_norm", "group_norm", "batch_renorm")


@dataclasses.dataclass(frozen=True)
class Variation:
    """The changes that a relation makes to a call.

    alter          returns an input with another layout of memory, given its name and tensor
    buffer         returns where the function writes y, given x
    wanted         the leaves that a gradient is wanted of; None for all
    function       is called in place of the implementation
    forward_only   whether no gradient is computed
    compiles       whether the module that fn made is compiled
    memory         tensors by name that are overwritten and passed again, if the framework allows that; receives the others
    """
    alter: Callable[[str, Tensor], Tensor] | None = None
    buffer: Callable[[Tensor], Tensor] | None = None
    wanted: Collection[str] | None = None
    function: Callable[..., Any] | None = None
    forward_only: bool = False
    compiles: bool = False
    memory: dict[str, Tensor] | None = None


UNCHANGED = Variation()


class Sighting(NamedTuple):
    """The facts that one call showed.

    returned   whether the function returned something
    written    the inputs that it changed, if it returned nothing
    shape      the shape of the tensor that it returned first, or of the first that it wrote; None for anything else
    finite     whether all returned and written tensors are finite
    """
    returned: bool
    written: list[str]
    shape: tuple[int, ...] | None
    finite: bool


class Answer(NamedTuple):
    """The result of a call on a case.

    outputs   the outputs as they are stored, by name; of a sequence, those of all steps stacked
    written   a sentence about an input that the call wrote to, or ""
    ignored   how many returned values are not judged, although `outputs=` does not say so
    """
    outputs: dict[str, Stored]
    written: str = ""
    ignored: int = 0


@dataclasses.dataclass(frozen=True)
class Invocation:
    """How an implementation is called on a case: its function, its signature, a framework and a device.

    backward            a function that computes the gradients, and its signature; None if there is none
    makes_module        whether fn makes a module, which is then called with x
    module_parameters   the tensors among MODULE_PARAMETERS that the module has a member for
    takes_images        whether x may have two spatial axes
    writes              the output that the implementation writes into an input, by the name of the input
    members             what a member of a module holds, as `arguments=` says: a name of the corpus, or None for a member
                        that keeps its value
    holds               the tensors and options that a trained module has the values of
    ignores_targets     whether a row without `valid` has the target IGNORED_TARGET, instead of a mask
    masks               the shapes of user-supplied masks by name, in which the implementation receives them
    computed_from       the tensors and options that functions of the case among the arguments look up
    neutral_names       the tensors that the implementation receives, as ones or zeros, because the case lacks them
    doubled_tables      whether cos and sin have one element per feature, each pair's twice, instead of one per pair
    declared_options    options of the operation whose value the implementation has by itself, as the caller says or calls show
    packs_gate          whether x and gate are in one parameter, in the layout `packing`
    may_reshape         whether x may have other axes than in the case, because no layout= says which it has
    declines_shapes     whether an exception in a case of an unusual shape declines it, as the function answers usual ones
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
    writes: Mapping[str, str] = dataclasses.field(default_factory=dict)
    members: Mapping[str, str | None] = dataclasses.field(default_factory=dict)
    holds: frozenset[str] = frozenset()
    ignores_targets: bool = False
    masks: Mapping[str, GivenMask] = dataclasses.field(default_factory=dict)
    computed_from: frozenset[str] = frozenset()
    neutral_names: tuple[str, ...] = ()
    doubled_tables: bool = False
    packs_gate: bool = False
    packing: Packing = Packing()
    may_reshape: bool = False
    declines_shapes: bool = False
    declared_options: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    @property
    def own_options(self) -> Mapping[str, Any]:
        """The options of the operation whose value the implementation has by itself. It does not receive them."""
        return {**self.conventions.options, **self.declared_options}

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
        read = {*self.signature.read_names, *self.holds, *self.computed_from}
        if self.makes_module:
            read.update((*self.module_inputs, *names.state_names(self.op), *self.module_parameters))
            if "alpha" in (*self.module_parameters, *self.neutral_names):
                read.add("alpha0")  # the alpha of a module, if the case has none
        if self.conventions.unbiased:
            read.discard("unbiased_running_variance")
        if self.takes_images:
            read.add("layout")
        read.update(self.own_options)
        if self.ignores_targets:
            read.add("valid")
        if self.packs_gate:
            read.add("gate")
        return frozenset(read)

    @property
    def module_inputs(self) -> tuple[str, ...]:
        """The tensors that a module is called with."""
        return names.tensor_names(self.op)[0]

    def for_case(self, case: Case) -> Invocation:
        """Returns the invocation with the outputs and module members that a call on this case shows.

        The case should have as many tensors as possible.
        Throws UsageError for a parameter of a module that stands for nothing known.
        """
        parameters = self.module_parameters
        computed_from = frozenset(self.signature.names_looked_up(case))
        neutral = self.signature.neutral_names(case)
        if self.makes_module:
            try:
                module = self._make_module(case, {})
            except Exception as error:  # every case will fail with this
                if is_wrong_call(error):
                    raise UsageError(f"{self.title} cannot be made with {self.signature.title}: {in_one_line(error)}; expected a "
                                     "constructor that takes these, or arguments=, which says what its parameters receive"
                                     ) from None
                module = None
            if module is not None:
                if not self.holds and "running_decay" in names.option_names(self.op) and getattr(module, "momentum", 0) is None:
                    raise UsageError(f"{self.title} with momentum=None averages over all batches before, of which a case has "
                                     f"none; expected a number, or normproof.judge(module, {self.op!r}, x=...)")
                self._require_known_members(module)
                parameters = tuple(name for name in case.tensors if name in MODULE_PARAMETERS
                                   and self.framework.find_member(module, name, self.members) is not None)
                neutral = () if self.holds else tuple(
                    name for name in MODULE_PARAMETERS if name in self.signature.known and name not in case.tensors
                    and self.framework.find_member(module, name, self.members) is not None)
        policy = self.policy.for_case(case)
        if computed_from & set(names.state_names(self.op)):
            policy = dataclasses.replace(policy, reads_state=True)
        return dataclasses.replace(self, policy=policy, module_parameters=parameters, computed_from=computed_from,
                                   neutral_names=neutral)

    def _require_known_members(self, module: Any) -> None:
        """Throws UsageError for a parameter of a module, or a name in `arguments=`, that stands for nothing known."""
        held = self.framework.member_names(module)
        for path in self.members:
            if path not in held:
                raise UsageError(f"{self.title} has no argument and no member {path!r} that arguments= names; it has "
                                 f"{', '.join(held) or 'no parameters'}")
        candidates = (*MODULE_PARAMETERS, *names.state_names(self.op))
        known = {self.framework.find_member(module, name, self.members) for name in candidates}
        expected = [name for name in MODULE_PARAMETERS if name in self.signature.known]
        if not self.framework.is_module(module) and all(self.framework.find_member(module, name, self.members)
                                                        for name in expected):
            return  # the other tensors of a plain object need not be parameters
        for path in self.framework.parameter_names(module):
            if path not in known and path not in self.members:
                raise UsageError(
                    f"{self.title} has a parameter {path!r} that stands for nothing known; expected arguments={{{path!r}: "
                    f"{(expected or ['gamma'])[0]!r}}}, one of {', '.join(expected)}, or None for a parameter that keeps its value")

    def require_needed(self) -> None:
        """Throws UsageError if the implementation receives no tensor of a name that every case has, so that it declines all."""
        if self.op in NOT_LAYERS or EVERYTHING in self.read_names:
            return
        needed = names.tensor_names(self.op)[0]
        for name in needed:
            if name not in self.read_names and name not in NOT_NEEDED.get(self.op, ()):
                raise UsageError(f"{self.title} takes no {name}, which every case of {self.op} has; expected a function of "
                                 f"{', '.join(needed)}, or arguments=, which says what its parameters receive")

    def with_writes(self, writes: Mapping[str, str]) -> Invocation:
        """Returns the invocation of a function that overwrites inputs. A forward alone is judged without a backward."""
        policy = self.policy
        if self.backward is None:
            policy = dataclasses.replace(policy, judges_gradients=False)
        return dataclasses.replace(self, writes=dict(writes), policy=policy)

    def like(self, other: Invocation) -> Invocation:
        """Returns this invocation, of another framework, with what was found out about the function under `other`."""
        sources = {argument.parameter: argument.source for argument in other.signature.arguments}
        found = dataclasses.replace(self, packs_gate=other.packs_gate, doubled_tables=other.doubled_tables,
                                    declines_shapes=other.declines_shapes, declared_options=other.declared_options)
        if other.layout.reshapes:
            found = dataclasses.replace(found, layout=other.layout, takes_images=other.takes_images)
        return found.with_sources(sources)

    def with_sources(self, sources: Mapping[str, Any]) -> Invocation:
        """Returns the invocation in which the parameters of these names receive something else."""
        arguments = tuple(argument._replace(source=sources.get(argument.parameter, argument.source))
                          for argument in self.signature.arguments)
        return dataclasses.replace(self, signature=dataclasses.replace(self.signature, arguments=arguments))

    def with_count(self, source: str) -> Invocation:
        """Returns the invocation in which the number of a step has another form, a rule of names.DERIVED or `iterations`."""
        return self.with_sources(dict.fromkeys(self.signature.step_parameters, source))

    def with_momentum(self, is_of_new_values: bool) -> Invocation:
        """Returns the invocation in which `momentum` is the weight of the new statistics, or of the old ones."""
        derived = dataclasses.replace(self.signature.derived, momentum_weighs_new=is_of_new_values)
        return dataclasses.replace(self, signature=dataclasses.replace(self.signature, derived=derived))

    def with_broadcast_mask(self) -> Invocation:
        """Returns the invocation of a function of attention whose mask broadcasts to the scores."""
        derived = dataclasses.replace(self.signature.derived, broadcasts_mask=True)
        return dataclasses.replace(self, signature=dataclasses.replace(self.signature, derived=derived))

    def with_axes(self, channels_first: bool, spatial_axes: int) -> Invocation:
        """Returns the invocation of a function whose x has these axes in every case."""
        layout = Layout(channels_first, spatial_axes, reshapes=True)
        return dataclasses.replace(self, layout=layout, takes_images=self.op in LAYERS_WITH_CHANNELS and spatial_axes > 0)

    def with_known_options(self, options: Mapping[str, Any]) -> Invocation:
        """Returns the invocation of a function that has these options by itself, for which each case is certified again."""
        return dataclasses.replace(self, declared_options={**self.declared_options, **options})

    def arrange_like_x(self, case: Case, name: str) -> Stored:
        """Returns x, or a tensor of its shape, as the function receives it."""
        return self.layout.arrange(case, case.tensors[name])

    def describe_findings(self) -> list[str]:
        """Returns the conventions that calls of the function showed, one short text each."""
        texts = []
        if axes := self.layout.describe():
            texts.append(f"x has the axes {axes} in every case")
        if self.packs_gate:
            texts.append(self.packing.describe())
        if self.signature.derived.broadcasts_mask:
            texts.append("the mask has the shape [B,1,1,T]")
        return texts

    def look(self, case: Case) -> Sighting:
        """Calls the function once, without gradients, and returns what the call showed.

        Throws what the function throws.
        """
        if case.sequence:
            case = case.at(0, {})
        with self.framework.context(case.dtype):
            arranged = self.arrange(case)
            given = {name: self._new_tensor(name, stored) for name, stored in arranged.items()}
            buffers = self._make_buffers(case, arranged)
            positional, named = self.signature.bind(case, given, buffers)
            value = self.fn(*positional, **named)
            if value is not None:
                values = list(value.values()) if isinstance(value, dict) else value
                return Sighting(True, [], *self._inspect(values if isinstance(values, (tuple, list)) else [values]))
            written = returned.changed_inputs(self.framework, arranged, given)
            return Sighting(bool(buffers), written, *self._inspect([*buffers.values(), *(given[name] for name in written)]))

    def _inspect(self, values: Sequence[Any]) -> tuple[tuple[int, ...] | None, bool]:
        """Returns the shape of the first value, if it is a tensor, and whether every number among the values is finite."""
        tensors = [value for value in values if self.framework.is_tensor(value)]
        shape = tuple(values[0].shape) if values and self.framework.is_tensor(values[0]) else None
        if any(math.prod(one.shape) > returned.MAX_COPIED for one in tensors):
            return shape, True
        try:
            return shape, all(bool(np.all(np.isfinite(self.framework.stored(one).widened()))) for one in tensors)
        except (UsageError, TypeError):  # a dtype that is not judged
            return shape, True

    def with_shape(self, shape: tuple[int, ...]) -> Invocation:
        """Returns the invocation for a user-supplied x of this shape."""
        return dataclasses.replace(self, layout=dataclasses.replace(self.layout, user_shape=shape))

    def with_masks(self, masks: Mapping[str, GivenMask], shape: tuple[int, ...] | None) -> Invocation:
        """Returns the invocation for user-supplied masks. `shape` is that of `valid` if it is not given, or None."""
        derived = dataclasses.replace(self.signature.derived, mask_shape=shape)
        return dataclasses.replace(self, masks=dict(masks), signature=dataclasses.replace(self.signature, derived=derived))

    def require_device(self) -> None:
        """Throws UsageError if the framework has no such device."""
        try:
            self.framework.tensor(Stored("float32", np.ones(1, np.float32)), self.device)
        except UsageError:
            raise
        except Exception as error:
            raise UsageError(f"normproof: {self.framework.name} has no device {self.device!r} here: "
                             f"{in_one_line(error)}") from None

    def require_offered(self, case: Case, also_read: Collection[str] = (), returned: Collection[str] = ()) -> None:
        """Declines a case that has a tensor or option which the implementation neither receives nor reads.

        Throws NotOffered.
        """
        if self.conventions.needs_two_rows and case.training and case.tensors["x"].data.size // feature_count(case) < (
                2 * (case.tensors["x"].shape[0] if case.sequence else 1)):
            raise NotOffered(f"{self.title} does not train on one row")
        if self.conventions.unbiased and not case.options.get("unbiased_running_variance", True):
            raise NotOffered(f"{self.title} has the unbiased running variance")
        for name, value in names.options_that_matter(self.own_options, case).items():
            if (asked := case.options.get(name, names.default_option(case.op, name))) != value:
                raise NotOffered(f"{self.title} has {name} {value}, and the case {asked}")
        require_read(case, {*self.read_names, *self.signature.names_looked_up(case), *also_read}, self.title,
                     self.policy.is_forward_only or self.framework_differentiates, returned)

    def answer(self, case: Case, variation: Variation = UNCHANGED, members: dict[str, str] | None = None) -> Answer:
        """Calls the implementation on a case.

        `members` receives the members of a module that were loaded and the tensor that each holds, even if the call
        then throws.
        Throws NotOffered, Unanswered, or what the implementation throws.
        """
        with self.framework.context(case.dtype):
            if not case.sequence:
                return self._answer_offered(case, variation, members)
            answers: list[Answer] = []
            state: dict[str, Stored] = {}
            state_names = [name for name in case.tensors
                           if name in names.state_names(case.op) or name in returned.OPTIMIZER_STATE]
            stepped = "x" if "x" in case.tensors else "grad_parameter"
            for index in range(case.tensors[stepped].shape[0]):
                answers.append(self._answer_step(case.at(index, state), variation, members))
                outputs = answers[-1].outputs
                state = {name: outputs[name] for name in state_names if name in outputs}
                if "iterations" in case.tensors and "iterations" not in state:
                    counter = case.tensors["iterations"]
                    state["iterations"] = counter.like(counter.data + index + 1)
            stacked = {name: Stored(first.dtype, np.stack([answer.outputs[name].data for answer in answers]))
                       for name, first in answers[0].outputs.items()}
            written = next((answer.written for answer in answers if answer.written), "")
            return Answer(stacked, written, answers[0].ignored)

    def _answer_offered(self, case: Case, variation: Variation, members: dict[str, str] | None) -> Answer:
        """Calls the implementation. An exception because of a shape that the function does not take declines the case."""
        try:
            return self._answer_step(case, variation, members)
        except NormproofError:
            raise
        except Exception as error:
            refusal = self._unusual_shape(case) if self.declines_shapes else ""
            if not refusal:
                raise
            raise NotOffered(f"{self.title} {refusal}: {in_one_line(error)}") from error

    def _unusual_shape(self, case: Case) -> str:
        """Returns what a function takes that fails because of the shapes of a case, or ""."""
        if "cos" in case.tensors:
            return "rotates every feature" if 2 * case.tensors["cos"].shape[-1] != case.tensors["x"].shape[-1] else ""
        if "q" not in case.tensors:
            return ""
        q, k, v = (case.tensors[name].shape for name in ("q", "k", "v"))
        if 0 in q:  # a relation asks whether it takes no samples
            return ""
        if q[1] != k[1] and "grouped_heads" not in self.signature.tensor_order:
            return "takes no grouped heads"
        if q[2] != k[2]:
            return "takes as many keys as queries"
        return "takes a v as wide as k" if k[3] != v[3] else ""

    def arrange(self, case: Case) -> dict[str, Stored]:
        """Returns the tensors of a case in the layout of the framework, and in the dtypes that it requires."""
        arranged = {}
        for name, stored in case.tensors.items():
            if name in returned.SHAPED_LIKE_X:
                stored = self.layout.arrange(case, stored)
            elif name in ("gamma", "beta") and self.conventions.state_parameters and "running_mean" in case.tensors:
                dtype = "float64" if stored.dtype == "float64" else "float32"
                stored = Stored(dtype, np.asarray(stored.widened(), dtype))
            elif name == "targets" and self.ignores_targets and "valid" in case.tensors:
                valid = case.tensors["valid"].data.astype(bool)
                stored = Stored("int64", np.where(valid, stored.data, IGNORED_TARGET).astype(np.int64))
            elif self.doubled_tables and name in ("cos", "sin"):
                stored = stored.like(np.concatenate([stored.data, stored.data], -1))
            elif name in self.masks:
                stored = self.masks[name].narrow(stored)
            elif name == "valid" and self.signature.derived.broadcasts_mask:
                stored = stored.like(stored.data[:, None, None, :])
            elif name == "valid":
                stored = self.layout.arrange_mask(case, stored)
            arranged[name] = stored
        if self.packs_gate:
            arranged["x"] = self.packing.pack(arranged["x"], arranged["gate"])
        return arranged

    def _answer_step(self, case: Case, variation: Variation, members: dict[str, str] | None) -> Answer:
        arranged = self.arrange(case)
        given = {name: self._make_tensor(name, stored, variation.memory) for name, stored in arranged.items()}
        if variation.alter is not None:
            given = {name: variation.alter(name, tensor) for name, tensor in given.items()}
        buffer = None if variation.buffer is None else variation.buffer(given["x"])
        values = self._call(case, given, variation, buffer, members)
        written = ""
        if variation.buffer is None:
            written = returned.find_written_input(self.op, self.framework, arranged, given, self.writes)
        shape = case.tensors["x"].shape if "x" in case.tensors else None
        outputs = {name: returned.store_output(self.framework, self.device, self.layout, case, name, value, shape)
                   for name, value in values.items() if not _is_ignored(name)}
        return Answer(outputs, written, sum(map(_is_ignored, values)))

    def _new_tensor(self, name: str, stored: Stored) -> Tensor:
        """Returns a new tensor of the framework, or the number of columns in a group as an int, or a flag as a bool."""
        return stored.data[0].item() if name in NUMBERS else self.framework.tensor(stored, self.device)

    def _make_tensor(self, name: str, stored: Stored, memory: dict[str, Tensor] | None) -> Tensor:
        """Returns a tensor of the framework: the one of that name in `memory`, overwritten, or a new one."""
        if memory is None or name in NUMBERS:
            return self._new_tensor(name, stored)
        if name not in memory or not self.framework.overwrite(memory[name], stored, self.device):
            memory[name] = self.framework.tensor(stored, self.device)
        return memory[name]

    def _call(self, case: Case, given: dict[str, Tensor], variation: Variation, buffer: Tensor | None,
              members: dict[str, str] | None) -> dict[str, Tensor]:
        """Returns the outputs and gradients as tensors of the framework."""
        if self.makes_module:
            forward, leaves, loaded = self._load_module(case, given, variation.compiles)
            if members is not None:
                members.clear()
                members.update(loaded)
        else:
            forward = self._forward(case, given, variation.function or self.fn, buffer)
            leaves = {name: value for name, value in given.items()
                      if name in self.signature.read_names and "grad_" + name in case.outputs}
            if self.writes or self.signature.buffers:
                leaves = {}  # what is overwritten has no gradient
        if variation.wanted is not None:
            for name in set(leaves) - set(variation.wanted):
                self.framework.freeze(leaves.pop(name))
        cotangent = None
        if self.framework_differentiates and not variation.forward_only:
            cotangent = self._cotangent(case, given)
        y, others, gradients = self._differentiate(case, forward, leaves, cotangent, given)
        main = self.policy.main
        if cotangent is not None and gradients is None and y is not None:
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
            if self.writes:
                given = {name: self._new_tensor(name, stored) for name, stored in self.arrange(case).items()}
            values.update(self._call_backward(case, given, values))
        if self.packs_gate and "grad_x" in values:
            values["grad_x"], values["grad_gate"] = self.packing.unpack(values["grad_x"])
        if COUNTER in values and COUNTS_FROM_ONE & set(self.signature.tensor_order):
            del values[COUNTER]  # it may be the number of this step or of the next
        if not variation.forward_only:
            self._require_named_gradients(case, values)
        return values

    def _require_named_gradients(self, case: Case, values: Mapping[str, Tensor]) -> None:
        """Throws Unanswered if `outputs=` names a gradient that nothing computes."""
        absent = [name for name in self.policy.named or () if is_gradient(name) and name in case.outputs and name not in values]
        if absent and not computes_gradients(self.signature, self.backward, self.framework):
            raise Unanswered(f"{self.title} returned no {absent[0]}, and {self.framework.name} does not differentiate it; "
                             "expected backward=, or a function of grad_y that returns it")

    def _differentiate(self, case: Case, forward: Forward, leaves: Leaves, cotangent: Tensor | None,
                       given: Mapping[str, Tensor]) -> tuple[Tensor, dict[str, Tensor], dict[str, Tensor] | None]:
        if cotangent is None:
            return self.framework.gradients(forward, leaves, None)
        if "loss" in case.outputs:
            forward = self._with_array_loss(forward, case.outputs["loss"])
        if "grad_sum" in given:
            return self._differentiate_with_sum(forward, leaves, cotangent, given["grad_sum"])
        return self.framework.gradients(forward, leaves, cotangent)

    def _forward(self, case: Case, given: dict[str, Tensor], function: Callable[..., Any],
                 buffer: Tensor | None) -> Forward:
        def forward(leaves: Leaves) -> tuple[Tensor, dict[str, Tensor]]:
            buffers = self._make_buffers(case, self.arrange(case))
            if buffer is not None and buffers:
                buffers[OutputBuffer(self.policy.main)] = buffer
            positional, named = self.signature.bind(case, {**given, **leaves}, buffers)
            if buffer is not None and not buffers:
                parameter = find_buffer_parameter(self.fn)
                named[parameter or "out"] = buffer if parameter == "out" else True
            values = function(*positional, **named)
            results = {source.output: tensor for source, tensor in buffers.items()}
            for source, tensor in buffers.items() if values is None else ():
                if is_unwritten(self.framework.stored(tensor)):
                    raise Unanswered(f"{self.title} returns nothing, and writes nothing into the tensor that is {source.output}")
            if values is not None or not (results or self.writes):
                results.update(returned.name_outputs(values, case, self.policy, self.signature))
            else:
                results.update({output: given[name] for name, output in self.writes.items()
                                if name in given and output in case.outputs})
            return results.pop(self.policy.main, None), results
        return forward

    def _make_buffers(self, case: Case, arranged: Mapping[str, Stored]) -> dict[OutputBuffer, Tensor]:
        """Returns a tensor full of NaN for each output that the function writes into a parameter.

        Throws NotOffered if the case has no such output.
        """
        buffers: dict[OutputBuffer, Tensor] = {}
        for source in self.signature.buffers:
            if source.output not in case.outputs:
                raise NotOffered(f"{self.title} writes {source.output}, which the case does not have")
            leading = next(iter(arranged.values()))
            dtype = arranged["x"].dtype if "x" in arranged else leading.dtype
            stored = unwritten(dtype, case.outputs[source.output])
            if source.output in returned.SHAPED_LIKE_X:
                stored = self.layout.arrange(case, stored)
            buffers[source] = self.framework.tensor(stored, self.device)
        return buffers

    def _cotangent(self, case: Case, given: Mapping[str, Tensor]) -> Tensor | None:
        """Returns the gradient that arrives at the main output: grad_y, 1 for each loss, or None if there is none."""
        if "loss" in case.outputs:
            return self.framework.tensor(Stored("float32", np.ones(case.outputs["loss"], np.float32)), self.device)
        return given.get("grad_y")

    def _with_array_loss(self, forward: Forward, expected: tuple[int, ...]) -> Forward:
        """Returns `forward` with a loss of shape [1] in place of the scalar that frameworks return.

        Throws Unanswered for a loss of another shape, such as that of each row.
        """
        def reshaped(leaves: Leaves) -> tuple[Tensor, dict[str, Tensor]]:
            loss, others = forward(leaves)
            if self.framework.is_tensor(loss) and tuple(loss.shape) == ():
                loss = self.framework.reshape(loss, (1,))
            shape = tuple(getattr(loss, "shape", expected))
            if shape != expected and len(shape) == 1:
                hint = "; the loss of each row is reduction='none'" if expected == (1,) else ""
                raise Unanswered(f"loss has shape {[*shape]}; expected {[*expected]}{hint}")
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

    def _make_module(self, case: Case, given: Mapping[str, Tensor]) -> Any:
        """Makes the module. Its constructor receives tensors of `given` that are neither inputs nor its parameters."""
        outside = (*self.module_inputs, *MODULE_PARAMETERS, *names.state_names(self.op))
        positional, named = self.signature.bind(case, {name: tensor for name, tensor in given.items() if name not in outside})
        module = self.fn(*positional, **named)
        if not self.framework.is_module(module) and not callable(module):
            raise Unanswered(f"{self.title} made a {type(module).__name__}; expected a module, or an object with __call__")
        return self.framework.place_module(module, self.device)

    def _load_module(self, case: Case, given: Mapping[str, Tensor], compiles: bool) -> LoadedModule:
        module = self._make_module(case, given)
        held = {name: tensor for name, tensor in given.items() if name not in self.signature.read_names}
        if "alpha" in self.signature.known and "alpha" not in given and "alpha0" in case.options:
            initial = np.full(1, case.options["alpha0"], case.dtype if case.dtype in ("float64", "float16") else np.float32)
            held["alpha"] = self.framework.tensor(Stored(str(initial.dtype), initial), self.device)
        if case.options.get("zero_centred_gamma") and "gamma" in self.module_parameters and "gamma" not in given:
            held["gamma"] = self.signature.derived.neutral_tensor("gamma", case)
        return self.framework.load_module(module, held, case.training, self._module_call(case, compiles), self.module_inputs,
                                          self.members)

    def _module_call(self, case: Case, compiles: bool) -> Callable[[Any, Mapping[str, Tensor]], Tensor]:
        def call(module: Any, tensors: Mapping[str, Tensor]) -> Tensor:
            called = self.framework.compiled(module) if compiles else module
            results = (module if called is None else called)(*(tensors[name] for name in self.module_inputs))
            return returned.name_outputs(results, case, self.policy, self.signature)[self.policy.main]
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


def _is_ignored(name: Any) -> bool:
    return isinstance(name, str) and name.startswith(IGNORED)


def computes_gradients(signature: Signature, backward: Callable[..., Any] | None, framework: Framework) -> bool:
    """Whether gradients can be computed: by a backward, by the function itself, or by the framework."""
    return backward is not None or "grad_y" in signature.read_names or framework.differentiates


def prepare_invocation(fn: Any, op: str, known: Collection[str], *, framework: str | None = None, device: str = "cpu",
                       arguments: Any = None, outputs: str | Sequence[str] | None = None,
                       backward: Callable[..., Any] | None = None, layout: str | None = None, forward_only: bool = False,
                       accumulation: str = "", formula: str = "", cast_order: str = "", loss_dtype: str = "",
                       scale_rounding: str = "", xfail: str = "", strict: bool = False, flush_subnormals: bool = False,
                       skip_diagnosis: bool = False,
                       writes: Mapping[str, str] | None = None, title: str = "", holds: Collection[str] | None = None,
                       differentiates: bool = True, own_options: Mapping[str, Any] | None = None) -> Invocation:
    """Determines how to call fn as an implementation of op.

    known          the names of all tensors and options of op
    forward_only   whether no gradient is judged
    differentiates   whether the framework may compute gradients
    title          the name of fn in reports; "" for its own
    own_options    the options of op whose value fn has by itself
    holds          the tensors and options that the module made by fn has the values of; None if fn is called otherwise
    The others are arguments of normproof.check.
    Throws UsageError if the parameters of fn or its framework cannot be recognized.
    """
    tensors = frameworks.framework(framework or frameworks.detect(fn))
    title = title or title_of(fn)
    if refusal := tensors.find_refusal(fn, op):
        raise UsageError(f"normproof: {refusal}")
    if isinstance(fn, functools.partial) and tensors.is_optimizer(fn.func) and not fn.args:
        arguments = {**tensors.undecided_options(fn.keywords, op), **(arguments if hasattr(arguments, "items") else {})}
        fn = fn.func
    conventions = tensors.known_conventions(fn)
    if packing := find_packing(layout, op, known):
        layout = None
    layout = layout.upper() if isinstance(layout, str) and layout.upper() in LAYOUTS else layout
    if layout is not None and layout not in LAYOUTS:
        raise UsageError(f"normproof: layout={layout!r}; expected one of {', '.join(map(repr, LAYOUTS))}")
    given_first, given_axes = LAYOUTS.get(layout or "", (False, None))
    if layout is not None and not given_first and given_axes != 0 and conventions.second_axis:
        raise UsageError(f"normproof: layout={layout!r} moves the channels to the last axis, and {title} has them as the "
                         "second; expected no layout=; the cases 'channels_last-*' have images in the memory format "
                         "channels_last")
    has_channels = op in LAYERS_WITH_CHANNELS
    channels_first = tensors.channels_first and has_channels if layout is None or conventions.second_axis else given_first
    spatial_axes = conventions.spatial_axes if conventions.spatial_axes is not None else given_axes
    fn, constructs = (fn, True) if holds is not None else _plain_function(fn, op, known, tensors, title, arguments)
    derived = DerivedValues(tensors, device, title)
    sources, members = (arguments, {}) if not constructs else _split_members(fn, op, arguments)
    signature = read_signature(fn, op, known, derived, sources, constructor=constructs, writes=writes)
    backward_signature = None
    if backward is not None:
        backward_signature = read_signature(backward, op, {*known, "y", "rstd", "mean"}, derived)
    overwritten = _overwritten_inputs(signature, writes or {})
    judges_gradients = not forward_only and computes_gradients(signature, backward, tensors)
    if (overwritten or signature.buffers) and backward is None:
        judges_gradients = False
    if not differentiates and backward is None and "grad_y" not in signature.read_names:
        judges_gradients = False
    state = set(names.state_names(op))
    order = parse_outputs(outputs)
    policy = OutputPolicy(
        op, tuple(name for name in order if name != IGNORED) or None, judges_gradients,
        constructs or bool((state | {EVERYTHING}) & signature.read_names), accumulation=accumulation, formula=formula,
        cast_order=cast_order, loss_dtype=loss_dtype, scale_rounding=scale_rounding, xfail=xfail, strict=strict,
        flush_subnormals=flush_subnormals, skip_diagnosis=skip_diagnosis, order=order)
    return Invocation(op, fn, signature, backward, backward_signature, tensors, device, conventions,
                      Layout(channels_first, spatial_axes, reshapes=spatial_axes is not None and not conventions.spatial_axes),
                      policy, constructs, MODULE_PARAMETERS,
                      takes_images=has_channels and (channels_first or layout is not None), writes=overwritten,
                      members=members, holds=frozenset(holds or ()), may_reshape=layout is None and not conventions.second_axis,
                      ignores_targets="ignored_target" in [argument.source for argument in signature.arguments],
                      declared_options=dict(own_options or {}), packing=packing or Packing())


def _plain_function(fn: Any, op: str, known: Collection[str], tensors: Framework, title: str,
                    arguments: Any) -> tuple[Any, bool]:
    """Returns the function that is called, and whether it makes a module or another object that is called then.

    Throws UsageError for a module, instead of its class.
    """
    if tensors.is_function_class(fn):
        return fn.apply, False
    if tensors.is_optimizer(fn):
        return tensors.optimizer_step(fn, op, arguments if hasattr(arguments, "items") else {}), False
    if tensors.is_module(fn):
        if inspect.isclass(fn):
            layer = tensors.layer_function(fn, op)
            return (fn, True) if layer is None else (layer, False)
        if not tensors.member_names(fn):
            return fn.forward, False
        if tensors.layer_function(fn, op) is not None:
            raise UsageError(f"{title} is a layer of one shape; expected its class, or normproof.judge(layer, {op!r}, x=...)")
        raise UsageError(f"{title} is a module of one shape and eps; expected its class, a function that makes one: lambda "
                         f"features, eps: {type(fn).__name__}(features, eps=eps), or normproof.judge(module, {op!r}, x=...)")
    if holds_parameters(tensors, fn):
        raise UsageError(f"{title} holds {', '.join(tensors.member_names(fn))} of one shape; expected its class, or "
                         f"normproof.judge(object, {op!r}, x=...)")
    if inspect.isclass(fn) and _has_call(fn):
        if looks_like_factory(fn, op, known):
            return fn, True
        if not any(parameter.default is parameter.empty and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
                   for parameter in inspect.signature(fn).parameters.values()):
            return fn(), False
    return fn, tensors.has_modules and looks_like_factory(fn, op, known)


def holds_parameters(framework: Framework, fn: Any) -> bool:
    """Whether fn is an object with __call__ that takes no parameters of a layer, because it holds them as attributes."""
    if inspect.isclass(fn) or inspect.isroutine(fn) or isinstance(fn, functools.partial) or framework.is_module(fn):
        return False
    if not _has_call(type(fn)) or not any(framework.find_member(fn, name, {}) for name in MODULE_PARAMETERS):
        return False
    try:
        parameters = inspect.signature(fn).parameters
    except (TypeError, ValueError):
        return False
    return not any(names.resolve_alias(name, MODULE_PARAMETERS) for name in parameters)


def _has_call(kind: type) -> bool:
    return any("__call__" in vars(one) for one in kind.__mro__)


def _split_members(fn: Any, op: str, arguments: Any) -> tuple[Any, dict[str, str | None]]:
    """Divides `arguments=` of a constructor into those for its parameters and those for the members of what it makes."""
    if not hasattr(arguments, "items"):
        return arguments, {}
    try:
        parameters = inspect.signature(fn).parameters
    except (TypeError, ValueError):
        return arguments, {}
    own = {name: source for name, source in arguments.items() if name in parameters}
    members: dict[str, str | None] = {}
    for name, source in arguments.items():
        if name in parameters:
            continue
        tensor = names.resolve_alias(source, (*MODULE_PARAMETERS, *names.state_names(op))) if isinstance(source, str) else None
        if tensor is None and source is not None:
            raise UsageError(f"normproof: arguments={{{name!r}: {describe_value(source)}}} is about a member of what "
                             f"{local_title(fn)} makes; expected the name of a tensor that it holds, of "
                             f"{', '.join((*MODULE_PARAMETERS, *names.state_names(op)))}, or None")
        members[name] = tensor
    return own, members


def _overwritten_inputs(signature: Signature, writes: Mapping[str, str]) -> dict[str, str]:
    """Returns the outputs that a function writes into its inputs, by the names of the inputs."""
    sources = {argument.parameter: argument.source for argument in signature.arguments}
    return {source: output for name, output in writes.items() if isinstance(source := sources[name], str)}
