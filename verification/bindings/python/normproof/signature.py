"""Determines what each parameter of an implementation receives from a case."""
from __future__ import annotations

import ast
import dataclasses
import difflib
import inspect
import re
from typing import Any, Callable, Collection, Iterable, Mapping, NamedTuple, Sequence, Union

from normproof import names
from normproof.corpus import KEPT_LIMITS, LIMITS, Case, option_value
from normproof.derived_values import NEUTRAL_TENSORS, DerivedValues
from normproof.errors import NotOffered, UsageError
from normproof.frameworks.base import Framework
from normproof.titles import local_title

EVERYTHING = "*"  # stands for every tensor and option of a case
# The tensors and options of a case that a rule of names.DERIVED reads.
IMPLIED = {"momentum": ("running_decay",), "betas": ("beta1", "beta2"), "window_size": ("window_left", "window_right"),
           "norm_before_gate": ("gate_position",), "group_width": ("groups",),
           "reciprocal_scale": ("x_tensor_scale", "y_tensor_scale"),
           "case": (EVERYTHING,), "ignored_target": ("valid",),
           **dict.fromkeys(("steps_before", "step_number", "steps_before_scalar", "step_scalar", "step_array"),
                           ("iterations",))}
STATE_NOT_READ = ("batch_norm", "power_norm_v")  # in training, y and the gradients do not depend on the state
SCALED_TENSOR = {"quantize": "y_scale", "dequantize": "x_scale"}  # what a parameter `scale` means
OF_GRADIENTS = ("grad_sum", "grad_x_scale", "grad_y_scale")  # tensors that gradients alone depend on
NOT_NEEDED = {"sgd": ("iterations",)}  # tensors of a case that do not change the main output
OPTIONS_OF_ONE_OUTPUT = {"log_sum_exp_base": "log_sum_exp"}  # options that change no output but this one
NOT_LAYERS = ("encoder_layer", "encoder", "decoder_layer", "translator", "language_model", "decoding")


@dataclasses.dataclass(frozen=True)
class Constant:
    """A value that a parameter receives in every case."""
    value: object


@dataclasses.dataclass(frozen=True)
class OutputBuffer:
    """A parameter into which the function writes the output of this name."""
    output: str


# A name of the corpus or of names.DERIVED, a constant, a buffer, or a function of the case.
Source = Union[str, Constant, OutputBuffer, Callable[[Case], Any]]
OUTPUT_PARAMETERS = ("out", "output", "dst", "dest", "result", "o", "y", "out_ptr", "output_ptr")  # of an OutputBuffer


class Argument(NamedTuple):
    """A parameter of an implementation, and the source of its value."""
    parameter: str
    source: Source
    positional: bool  # whether it is passed by position
    required: bool  # whether it is passed even if the case has no such tensor or option
    keeps_none: bool = False  # whether its default is None, which stands for no limit
    is_of_rest: bool = False  # whether **rest receives it, which may hand it on, and so nothing that the case leaves out


@dataclasses.dataclass(frozen=True)
class Signature:
    """The arguments that a callable receives from a case.

    `known` are the names of all tensors and options of the operation.
    """
    arguments: tuple[Argument, ...]
    derived: DerivedValues
    known: frozenset[str]

    @property
    def read_names(self) -> frozenset[str]:
        """The names of the tensors and options that the callable receives. EVERYTHING: all that a case has."""
        sources = {argument.source for argument in self.arguments if isinstance(argument.source, str)}
        read = sources.union(*(IMPLIED.get(source, ()) for source in sources))
        return frozenset(read - (set(names.DERIVED) - self.known))  # momentum is an option of sgd, too

    @property
    def step_parameters(self) -> list[str]:
        """The parameters that receive the number of an optimizer's step under another name than iterations."""
        return [argument.parameter for argument in self.arguments
                if argument.source == "iterations" and argument.parameter.lower() != "iterations"]

    @property
    def receives_x_twice(self) -> bool:
        """Whether two parameters receive x, as the queries and keys of a rotation do."""
        return [argument.source for argument in self.arguments].count("x") == 2

    @property
    def buffers(self) -> list[OutputBuffer]:
        """The outputs that the callable writes into a parameter, instead of returning them."""
        return [argument.source for argument in self.arguments if isinstance(argument.source, OutputBuffer)]

    def names_looked_up(self, case: Case) -> set[str]:
        """Returns the tensors and options that functions of the case among the arguments look up in a case."""
        functions = [argument.source for argument in self.arguments
                     if not isinstance(argument.source, (str, Constant, OutputBuffer))]
        if not functions:
            return set()
        watched = (case.at(0, {}) if case.sequence else case).watched()
        for function in functions:
            try:
                function(watched)
            except Exception:  # the call of the implementation raises it again
                pass
        return watched.read

    def neutral_names(self, case: Case) -> tuple[str, ...]:
        """Returns the tensors that the callable receives although a case lacks them, such as a gamma of ones."""
        return tuple(argument.source for argument in self.arguments
                     if argument.required and isinstance(argument.source, str) and argument.source in NEUTRAL_TENSORS
                     and argument.source not in case.tensors)

    @property
    def title(self) -> str:
        """The names of the arguments, separated by commas."""
        return ", ".join(argument.parameter for argument in self.arguments) or "no arguments"

    @property
    def tensor_order(self) -> list[str]:
        """The names that the parameters stand for, in the order of the parameters."""
        return [argument.source for argument in self.arguments if isinstance(argument.source, str)]

    def descriptions(self) -> list[str]:
        """Returns one short text per parameter whose name differs from what it receives: "weight is gamma"."""
        texts = []
        for argument in self.arguments:
            if isinstance(argument.source, Constant):
                texts.append(f"{argument.parameter} is {argument.source.value!r}")
            elif isinstance(argument.source, OutputBuffer):
                texts.append(f"{argument.parameter} receives {argument.source.output}")
            elif not isinstance(argument.source, str):
                texts.append(f"{argument.parameter} is computed from the case")
            else:
                source = argument.source
                described = source if source in self.known else self.derived.description(source)
                if described != argument.parameter:
                    texts.append(f"{argument.parameter} is {described}")
        return texts

    def bind(self, case: Case, tensors: Mapping[str, Any],
             buffers: Mapping[OutputBuffer, Any] | None = None) -> tuple[list[Any], dict[str, Any]]:
        """Returns the positional and the named arguments of a call.

        `tensors` are the framework's tensors of the case, and `buffers` those that receive outputs.
        Throws NotOffered if the case lacks a required tensor that has no neutral value.
        """
        positional: list[Any] = []
        named: dict[str, Any] = {}
        for argument in self.arguments:
            if isinstance(argument.source, OutputBuffer):
                present, value = True, (buffers or {})[argument.source]
            else:
                present, value = self._value(argument, case, tensors)
            if not present and not argument.required:
                continue
            if argument.positional:
                positional.append(value)
            else:
                named[argument.parameter] = value
        return positional, named

    def _value(self, argument: Argument, case: Case, tensors: Mapping[str, Any]) -> tuple[bool, Any]:
        """Returns (True, value) if the case has a value for the parameter, otherwise (False, None)."""
        source = argument.source
        if isinstance(source, Constant):
            return True, source.value
        if not isinstance(source, str):
            assert not isinstance(source, OutputBuffer)
            return True, source(case)
        if source in tensors:
            return True, tensors[source]
        # A case leaves out the defaults of later options.
        if source in case.options or not argument.is_of_rest and source in names.default_options(case.op):
            value = case.options.get(source, names.default_option(case.op, source))
            if source == "scale" and value is None and argument.required and "k" in case.tensors:
                value = case.tensors["k"].shape[-1] ** -0.5  # the default, for a function that has none
            # A function keeps a limit of its own, as PyTorch's softplus does: infinity would overflow in it.
            keeps_limit = source in KEPT_LIMITS or source in LIMITS and argument.keeps_none
            return argument.required or not keeps_limit or value != float("inf"), value
        if source == "reciprocal_scale" and not argument.required and not {"x_tensor_scale", "y_tensor_scale"} & set(tensors):
            return False, None
        if source in names.DERIVED:
            return True, self.derived.value(source, case)
        if argument.required:
            return True, self.derived.neutral_tensor(source, case)
        return False, None


def read_signature(fn: Callable[..., Any], op: str, known: Collection[str], derived: DerivedValues, given: Any = None,
                   constructor: bool = False, writes: Mapping[str, str] | None = None) -> Signature:
    """Reads the parameters of fn, by their names and by what `given` and `writes` say about them.

    given         None; a mapping from names of parameters to names of the corpus, constants or functions of the
                  case; or names of the corpus in the order of the parameters, for a function without a signature
    constructor   whether fn makes a module, so that its parameters are those of a constructor
    writes        the outputs that fn writes into a parameter, by its name. An input that fn overwrites is also here
    Throws UsageError for a parameter that stands for nothing known, in one sentence that lists the known names.
    """
    if given is not None and not hasattr(given, "items"):
        order = [Argument(str(name), _source(name, known), True, True) for name in given]
        return Signature(tuple(order), derived, frozenset(known))
    sources = dict(given or {})
    for name, output in (writes or {}).items():
        if name not in sources and names.meaning(name, known) is None:
            sources[name] = OutputBuffer(output)
    title = local_title(fn)
    parameters = _parameters(fn, sources, title, op, known, constructor, derived.framework)
    for name in writes or {}:
        if name not in parameters:
            raise UsageError(f"{title} has no argument {name!r} that writes= names; it has {', '.join(parameters)}")
    arguments = _arguments_by_name(parameters, sources, title, op, known, constructor)
    takes_more = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values())
    for name, source in sources.items():
        if not takes_more:
            raise UsageError(f"{title} has no argument {name!r} that arguments= names; it has {', '.join(parameters)}")
        arguments.append(Argument(name, _source(source, known), False, True))
    if takes_more and not constructor:
        arguments += _remaining_arguments(arguments, op, known)
    if not arguments and not constructor:
        raise UsageError(f"{title} takes {'any arguments' if parameters else 'no arguments'}; expected arguments=[...], the "
                         f"names of {op}'s tensors and options in their order, of {', '.join(sorted(known))}")
    return Signature(tuple(arguments), derived, frozenset(known))


def _arguments_by_name(parameters: Mapping[str, inspect.Parameter], sources: dict[str, Any], title: str, op: str,
                       known: Collection[str], constructor: bool) -> list[Argument]:
    """Returns the arguments for the named parameters. Removes from `sources` the entries that it used."""
    arguments, first = list[Argument](), True
    for name, parameter in parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        required = parameter.default is inspect.Parameter.empty
        source: Source | None
        if name in sources:
            source = _source(sources.pop(name), known, constructor)
        else:
            source = names.meaning(name, known, constructor and not names.is_function(op))
            if source is None and op in SCALED_TENSOR and name.lower() in ("scale", "scales", "s"):
                source = SCALED_TENSOR[op] if SCALED_TENSOR[op] in known else None
            if source == "has_beta" and not (required or isinstance(parameter.default, bool)):
                source = None
            if isinstance(source, str) and _is_no_tensor(name, parameter, source, parameters):
                source = "groups" if name.lower() == "g" and "groups" in known and required else None
            is_keyword = parameter.kind is parameter.KEYWORD_ONLY
            if source is None and required and not constructor and name.lower() in OUTPUT_PARAMETERS:
                source = OutputBuffer(_main_output(known))
            elif source is None and first and not constructor and "x" in known and not is_keyword:
                source = "x"
            if not required and isinstance(source, str) and source in known and source != "gate" and (
                    source in [one.source for one in arguments]):
                continue  # its tensor is passed already, so that this is something else
        first = first and isinstance(source, OutputBuffer)
        if source is None:
            if not required:
                continue
            raise UsageError(f"{title}: its argument {name!r} is none that {op} is known to have; expected one of "
                             f"{', '.join(sorted(known))}, or arguments={{{name!r}: ...}}")
        needs_number = source == "scale" and isinstance(parameter.default, (int, float))
        arguments.append(Argument(name, source, parameter.kind is parameter.POSITIONAL_ONLY, required or needs_number,
                                  keeps_none=parameter.default is None))
    return _with_operands_and_scales(arguments, known)


def _is_no_tensor(name: str, parameter: inspect.Parameter, tensor: str, parameters: Collection[str]) -> bool:
    """Whether a single letter that is short for a tensor is something else.

    Such are B=128, a block of a kernel, and G beside gamma, the number of groups.
    """
    if len(name) != 1 or tensor not in ("gamma", "beta", "gate"):
        return False
    is_number = isinstance(parameter.default, (int, float)) and not isinstance(parameter.default, bool)
    return is_number or tensor in parameters


def _main_output(known: Collection[str]) -> str:
    """Returns the output of an operation with these tensors that a function writes if it writes only one."""
    return "loss" if "targets" in known else "parameter" if "parameter" in known else "y"


def _with_operands_and_scales(arguments: list[Argument], known: Collection[str]) -> list[Argument]:
    """Returns the arguments with other sources where the names of two arguments together tell them.

    Of `gate` and `up`, the first is x: libraries name the operands of swiglu so. A parameter y beside x alone is the gate.
    A `scale` beside another gamma is the scale of y.
    """
    by_name = {argument.parameter.lower(): argument for argument in arguments}
    sources = [argument.source for argument in arguments]
    changed: dict[str, Source] = {}
    if {"gate", "up"} <= set(by_name) and by_name["gate"].source == by_name["up"].source:
        changed["gate"] = "x"
    if "gate" in known and "gate" not in sources and "y" in by_name and isinstance(by_name["y"].source, OutputBuffer):
        changed["y"] = "gate"
    if "y_scale" in known and "y_scale" not in sources and sources.count("gamma") > 1 and "scale" in by_name:
        changed["scale"] = "y_scale"
    return [argument._replace(source=changed.get(argument.parameter.lower(), argument.source)) for argument in arguments]


def _remaining_arguments(arguments: Iterable[Argument], op: str, known: Collection[str]) -> list[Argument]:
    """Returns what **kwargs receive: everything else that the case has, under the corpus' names.

    Incoming gradients are passed to a backward only, which is recognized by `y` among the known names.
    """
    bound = {argument.source for argument in arguments if isinstance(argument.source, str)}
    bound |= {name for source in bound for name in IMPLIED.get(source, ())}
    order = {name: place for place, name in enumerate(names.ordered_names(op))}
    return [Argument(name, name, False, False, is_of_rest=True)
            for name in sorted(set(known) - bound, key=lambda one: (order.get(one, 99), one))
            if "y" in known or not name.startswith("grad_") or name == "grad_parameter"]


def _source(given: Any, known: Collection[str], constructor: bool = False) -> Source:
    if isinstance(given, OutputBuffer):
        return given
    if callable(given):
        function: Callable[[Case], Any] = given
        return function
    if not isinstance(given, str):
        return Constant(given)
    source = names.meaning(given, known, constructor)
    if source is None and (near := difflib.get_close_matches(given, sorted(known), 1, 0.75)):
        raise UsageError(f"normproof: arguments= names {given!r}; expected {near[0]!r}, of {', '.join(sorted(known))}")
    return Constant(given) if source is None else source


def _parameters(fn: Callable[..., Any], given: Mapping[str, Any], title: str, op: str, known: Collection[str],
                constructor: bool, framework: Framework) -> dict[str, inspect.Parameter]:
    """Returns the parameters of fn. Without a signature: x alone, if the operation has no other input."""
    owner = getattr(fn, "__self__", None)
    if isinstance(owner, type) and hasattr(owner, "forward") and getattr(fn, "__name__", "") == "apply":
        parameters = dict(inspect.signature(owner.forward).parameters)  # of a torch.autograd.Function
        if not _has_setup_context(owner):
            parameters.pop(next(iter(parameters)))
        return {name: parameter.replace(kind=parameter.POSITIONAL_ONLY) for name, parameter in parameters.items()}
    is_class = constructor and inspect.isclass(fn)
    try:
        parameters = dict(inspect.signature(getattr(fn, "__init__") if is_class else fn).parameters)
    except (TypeError, ValueError):
        documented = _documented_parameters(fn) or _described_parameters(fn, framework)
        if documented:
            return documented
        if given or len(set(known) - {"grad_y", "valid"}) > 1:
            raise UsageError(f"{title} has no signature; expected arguments=[...], the names of {op}'s tensors and "
                             f"options in the order of its arguments, of {', '.join(sorted(known))}") from None
        return {"x": inspect.Parameter("x", inspect.Parameter.POSITIONAL_ONLY)}
    if all(parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD) for parameter in parameters.values()):
        parameters = _described_parameters(fn, framework) or parameters
    if is_class:
        parameters.pop(next(iter(parameters), ""), None)  # the instance, whatever its name
    return parameters


def _described_parameters(fn: Callable[..., Any], framework: Framework) -> dict[str, inspect.Parameter]:
    """Returns the parameters of a function of a framework that inspect does not know, or {}."""
    return {name: inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD,
                                    default=inspect.Parameter.empty if required else None)
            for name, required in framework.describe_parameters(fn).items()}


def _has_setup_context(function: type) -> bool:
    """Whether a torch.autograd.Function has a setup_context of its own, so that forward receives no context."""
    return any("setup_context" in vars(one) and not one.__module__.startswith("torch.") for one in function.__mro__)


def _documented_parameters(fn: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """Returns the parameters that the beginning of a docstring lists, "softmax(input, dim, *, dtype=None)", or {}."""
    text = " ".join((fn.__doc__ or "").split())
    found = re.match(r"\w+(\([^()]*(?:\([^()]*\)[^()]*)*\))", text)
    if not found:
        return {}
    try:
        arguments = ast.parse(f"lambda {found[1][1:-1]}: 0", mode="eval").body
        assert isinstance(arguments, ast.Lambda)
        required = len(arguments.args.args) - len(arguments.args.defaults)
        return {argument.arg: inspect.Parameter(argument.arg, inspect.Parameter.POSITIONAL_OR_KEYWORD,
                                                default=inspect.Parameter.empty if place < required else None)
                for place, argument in enumerate(arguments.args.args)}
    except SyntaxError:
        return {}


def looks_like_factory(fn: Callable[..., Any], op: str, known: Collection[str]) -> bool:
    """Whether fn looks like a factory of modules: it has no x, and its first parameter is that of a constructor."""
    try:
        parameters = list(inspect.signature(fn).parameters)
    except (TypeError, ValueError):
        return False
    if op in NOT_LAYERS or not parameters:
        return False
    meanings = [names.meaning(name, known, constructor=True) for name in parameters]
    return "x" not in meanings and meanings[0] in ("features", "normalized_shape", "groups")


def require_read(case: Case, read: Collection[str], title: str, differentiated: bool = False,
                 returned: Collection[str] = ()) -> None:
    """Declines a case with an input that the function does not receive, or with an option that has no default value.

    read             the names that the function receives
    differentiated   whether the framework computes the gradients, or none are judged: then the function need not
                     receive the incoming gradients
    returned         the outputs that the function has returned; () before the call. An option of one output counts then
    Throws NotOffered, which names the input or the option.
    """
    if EVERYTHING in read:
        return
    defaults = names.default_options(case.op)
    for name, value in case.options.items():
        if name in OPTIONS_OF_ONE_OUTPUT and OPTIONS_OF_ONE_OUTPUT[name] not in (*returned, *case.tensors):
            continue
        if name not in read and not (name in defaults and option_value(name, defaults[name]) == value):
            raise NotOffered(f"{title} takes no option {name}, which is {value:g} here" if isinstance(value, float)
                             else f"{title} takes no option {name}, which is {value} here")
    for name, stored in case.tensors.items():
        if name in read or name in ("x", "grad_y") or differentiated and name in OF_GRADIENTS:
            continue
        if name in NOT_NEEDED.get(case.op, ()):
            continue
        if name in ("x_scale_group", "y_scale_group") and int(stored.data[0]) >= case.tensors["x"].data.shape[-1]:
            continue  # one scale for each row
        if name == "valid" and (stored.data.all() or not names.reads_mask(case.op)):
            continue
        if name in names.state_names(case.op) and case.training and case.op in STATE_NOT_READ:
            continue
        raise NotOffered(f"{title} takes no {name}")


def find_buffer_parameter(fn: Callable[..., Any]) -> str | None:
    """Returns "out" or "inplace" if fn has a parameter of that name, which says where it writes; else None."""
    try:
        parameters: Sequence[str] = list(inspect.signature(fn).parameters)
    except (TypeError, ValueError):
        return None
    return next((name for name in ("out", "inplace") if name in parameters), None)
