"""The class of a framework: every hook that the package calls, with defaults for those that few frameworks have.

A framework is a module of this package with an instance FRAMEWORK of a subclass of Framework. The abstract methods
are required. Override another method only if the framework has what it is about.
"""
from __future__ import annotations

import abc
import contextlib
import dataclasses
from typing import Any, Callable, ContextManager, Mapping, Sequence

from normproof.errors import Unanswered
from normproof.frameworks import objects
from normproof.frameworks.loaded_module import Forward, Leaves, LoadedModule, Tensor
from normproof.frameworks.members import find_path
from normproof.stored import Stored


@dataclasses.dataclass(frozen=True)
class KnownConventions:
    """Facts about one of the framework's own functions or modules that a call does not show.

    state_parameters   gamma and beta must have the dtype of the running statistics
    unbiased           the running variance is the unbiased one
    needs_two_rows     it refuses to train on a single row
    spatial_axes       how many axes it requires behind the channels; None for any number
    second_axis        it has the channels as the second axis
    options            the options that it has no argument for, and the value that it has for each
    """
    state_parameters: bool = False
    unbiased: bool = False
    needs_two_rows: bool = False
    spatial_axes: int | None = None
    second_axis: bool = False
    options: Mapping[str, Any] = dataclasses.field(default_factory=dict)


class Framework(abc.ABC):
    """The functions of a tensor framework that the package uses."""

    name: str  # with the version, as reports have it: "PyTorch 1.13.0"
    dtypes: tuple[str, ...]  # the dtypes of the corpus that the framework computes in
    momentum_weighs_new = False  # whether its `momentum` is the weight of the new statistics, not of the old ones
    channels_first = False  # whether layers with channels have them behind the samples
    differentiates = True  # whether the framework computes gradients
    has_modules = False  # whether there are modules, which a function may make
    dtypes_from_ml_dtypes = False  # whether ml_dtypes, if it is installed, adds bfloat16
    stride_layouts: tuple[str, ...] = ()  # the names that `strided` accepts

    @property
    def momentum(self) -> str:
        """The meaning of `momentum`, in the words of a report."""
        return "1 - running_decay" if self.momentum_weighs_new else "running_decay"

    # Tensors.

    @abc.abstractmethod
    def is_tensor(self, value: Any) -> bool:
        """Whether a value is a tensor of the framework."""

    @abc.abstractmethod
    def tensor(self, stored: Stored, device: str) -> Tensor:
        """Returns a stored tensor as a tensor of the framework, on a device."""

    @abc.abstractmethod
    def stored(self, value: Tensor) -> Stored:
        """Returns a tensor of the framework as the corpus stores it. Throws UsageError for an unknown dtype."""

    @abc.abstractmethod
    def device_of(self, value: Tensor) -> str:
        """Returns the device of a tensor, such as "cpu" or "cuda"."""

    # Gradients.

    @abc.abstractmethod
    def gradients(self, forward: Forward, leaves: Leaves,
                  grad_y: Tensor | None) -> tuple[Tensor, dict[str, Tensor], dict[str, Tensor] | None]:
        """Calls forward(leaves), and backpropagates grad_y from the main output if it is not None.

        Returns the main output, the other outputs, and the gradients of the leaves by name. The gradients are None
        if grad_y is None, or if the main output depends on no leaf.
        Throws Unanswered if the main output and grad_y have different shapes.
        """

    def stack(self, tensors: list[Tensor]) -> Tensor:
        """Stacks tensors along a new first axis, as NumPy does. Required if the framework differentiates."""
        raise NotImplementedError

    def reshape(self, tensor: Tensor, shape: tuple[int, ...]) -> Tensor:
        """Reshapes a tensor, as NumPy does. Required if the framework differentiates."""
        raise NotImplementedError

    def freeze(self, leaf: Tensor) -> None:
        """Tells the framework not to compute the gradient with respect to this tensor."""

    # How a call is made.

    def context(self, dtype: str) -> ContextManager[Any]:
        """Returns a context in which cases of that dtype are computed, such as one that enables float64."""
        return contextlib.nullcontext()

    def compiled(self, fn: Callable[..., Any]) -> Callable[..., Any] | None:
        """Returns the compiled form of a function, or None if the framework has no compiler."""
        return None

    def uncompiled(self) -> ContextManager[Any] | None:
        """Returns a context that runs operations one by one, or None if they are never compiled implicitly."""
        return None

    def side_stream(self, device: str) -> ContextManager[Any] | None:
        """Returns a context that runs work on a stream other than the default one, or None if there is none."""
        return None

    def is_in_use(self, device: str) -> bool:
        """Whether this process already uses the device in a way that does not work after a fork."""
        return False

    # The memory of a tensor.

    def strided(self, value: Tensor, layout: str) -> Tensor:
        """Returns equal numbers in another layout of memory, one of `stride_layouts`."""
        raise NotImplementedError

    def expanded(self, value: Tensor) -> Tensor:
        """Returns the first element in the shape of the tensor, with stride 0. Required if there are stride layouts."""
        raise NotImplementedError

    def overwrite(self, tensor: Tensor, stored: Stored, device: str) -> bool:
        """Writes the elements of a stored tensor of the same shape into a tensor, which keeps its memory.

        Returns False, and changes nothing, if tensors of the framework cannot be written to.
        """
        return False

    # Functions and modules.

    def gelu_approximation(self, by_tanh: bool) -> Any:
        """Returns the value for the parameter `approximate` of a gelu function."""
        return by_tanh

    def public_name(self, fn: Callable[..., Any], module: str, name: str) -> str:
        """Returns the name under which users import a function or class that reports its module and name."""
        return f"{module}.{name}"

    def describe_parameters(self, fn: Callable[..., Any]) -> dict[str, bool]:
        """Returns the parameters of a function of the framework that Python cannot inspect, and whether each is required.

        Returns {} for any other function.
        """
        return {}

    def known_conventions(self, fn: Callable[..., Any]) -> KnownConventions:
        """Returns the known facts about fn if it is a function or module of the framework."""
        return KnownConventions()

    def is_module(self, fn: Any) -> bool:
        """Whether fn is a module, or a class of modules."""
        return False

    def place_module(self, module: Any, device: str) -> Any:
        """Returns the module on a device."""
        return module

    def is_function_class(self, fn: Any) -> bool:
        """Whether fn is a class whose method `apply` is the function, such as a torch.autograd.Function."""
        return False

    def is_optimizer(self, fn: Any) -> bool:
        """Whether fn is a class of optimizers."""
        return False

    def optimizer_step(self, kind: Any, op: str, given: Mapping[str, Any]) -> Callable[..., Any]:
        """Returns one step of an optimizer as a function. Required if there are optimizers.

        `given` are the values of other options of its constructor. Throws UsageError if its step is not that of op.
        """
        raise NotImplementedError

    def undecided_options(self, given: Mapping[str, Any], op: str) -> dict[str, Any]:
        """Returns the options of an optimizer that no case of op decides. Required if there are optimizers."""
        raise NotImplementedError

    def layer_function(self, fn: Any, op: str) -> Callable[..., Any] | None:
        """Returns a layer of a Transformer, or a class of them, as a function of the tensors and options of a case of op.

        Returns None if fn is no such layer.
        """
        return None

    def layer_values(self, module: Any, op: str) -> dict[str, Any]:
        """Returns the tensors and options of such a layer by the corpus' names. Required if there are such layers."""
        raise NotImplementedError

    def find_refusal(self, fn: Any, op: str) -> str:
        """Returns why a module of the framework itself, or its class, cannot be judged as op, or "".

        The text is a sentence that says what to pass instead.
        """
        return ""

    def member(self, module: Any, path: str) -> Tensor:
        """Returns the member of a module with this path."""
        return getattr(module, path)

    def default_eps(self, module: Any, given: Mapping[str, Any]) -> float | None:
        """Returns the eps of a module of the framework that has none of its own; None for an unknown module.

        `given` are the tensors of the call by the corpus' names.
        """
        return None

    def parameter_names(self, module: Any) -> list[str]:
        """Returns the paths of the members of a module that are trained."""
        return self.member_names(module)

    def member_names(self, module: Any) -> list[str]:
        """Returns the paths of the tensors that a module holds."""
        return objects.attribute_names(self, module)

    def find_member(self, module: Any, name: str, members: Mapping[str, str | None]) -> str | None:
        """Returns the path of the member that holds the tensor of that name, or None.

        `members` says what a member holds, by its path; None for a member that keeps its value.
        """
        return find_path(self.member_names(module), name, members)

    def load_module(self, module: Any, tensors: Mapping[str, Tensor], training: bool,
                    call: Callable[[Any, Mapping[str, Tensor]], Tensor], inputs: Sequence[str],
                    members: Mapping[str, str | None]) -> LoadedModule:
        """Loads the tensors of a case into a module, which call(module, tensors) then runs with its inputs.

        Throws NotOffered if the module has no place for a tensor.
        """
        return objects.load_object(self, module, tensors, call, inputs, members)


def require_shape(y: Tensor, grad_y: Tensor) -> None:
    """Throws Unanswered if an output and its gradient have different shapes."""
    if tuple(y.shape) != tuple(grad_y.shape):
        raise Unanswered(f"y is {list(y.shape)}; expected {list(grad_y.shape)}")
