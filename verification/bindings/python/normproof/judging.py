"""normproof.judge: computes certified outputs for user-supplied tensors, and judges an implementation by them."""
from __future__ import annotations

import dataclasses
import json
from typing import Any, Callable, Mapping, Sequence

import numpy as np

from normproof import frameworks, names, scales, variants
from normproof.arguments import describe_value, require_arguments
from normproof.checking import canonical_op, find_other_invocation, judge_case, suggest_options
from normproof.conventions import Observations, describe_conventions
from normproof.corpus import Case, Corpus
from normproof.derived_values import IGNORED_TARGET
from normproof.drawn_rows import DrawnRows, as_matrix, can_draw, require_drawable
from normproof.dtypes import named_if_dtype
from normproof.errors import UsageError, in_one_line
from normproof.found_conventions import Convention, divide, follow_convention, has_numbers
from normproof.given import with_names_of_corpus
from normproof.invocation import Answer, Invocation, prepare_invocation
from normproof.isolation import Runner, start_runner
from normproof.layout import Layout
from normproof.masks import broadcast_masks, full_mask_shape
from normproof.own_options import OPTION_TYPES, wrong_kind
from normproof.operations import computes_by_row, reduces_rows
from normproof.output_policy import is_gradient, parse_outputs
from normproof.probing import Prober
from normproof.progress import transient_bar
from normproof.report import CaseResult, Report
from normproof.repro import Call, changed_arguments
from normproof.returned import SHAPED_LIKE_X
from normproof.signature import EVERYTHING
from normproof.stored import Stored, same_bits
from normproof.titles import title_of
from normproof.trained import copies_of, describe_other_options, is_trained_module, trained_layer, trained_values

# The dtype of a case is that of the first of these tensors that it has.
LEADING_TENSORS = ("x", "q", "logits", "parameter", "o")
SAME_DTYPE_AS_LEADING = ("grad_y", "residual", "gate", "grad_sum", "k", "v")
CLASSES, INTEGERS = ("targets",), ("int64", "int32", "uint8")
ELEMENTWISE = ("relu", "gelu", "gelu_tanh", "silu", "swiglu", "geglu", "relu_squared", "sigmoid", "log_sigmoid", "softplus", "tanh",
               "mish")  # operations that take a scalar x
INFERENCE_ONLY = ("decoding",)
# Conventions are tried on FEW_ROWS rows of tensors that have more than MAX_TRIED elements.
FEW_ROWS, MAX_TRIED = 8, 1 << 16
ANY_DTYPE = ("iterations", "source", "tokens", "labels")


def judge(fn: Callable[..., Any], op: str, *unnamed: Any, mode: str | None = None, device: str | None = None,
          outputs: str | Sequence[str] | None = None, backward: Callable[..., Any] | None = None, arguments: Any = None,
          framework: str | None = None, layout: str | None = None, isolate: bool = False, seconds: float | None = 60,
          accumulation: Any = "", formula: str = "", cast_order: str = "", loss_dtype: str = "", scale_rounding: str = "",
          strict: bool = False,
          flush_subnormals: bool = False, skip_diagnosis: bool = False, name: str = "own", threads: int = 0, repeat: int = 1, rows: int | None = None,
          seed: int | None = None, writes: Mapping[str, str] | None = None, **given: Any) -> Report:
    """Certifies op on user-supplied tensors, by two enclosures, and judges fn on them.

    fn         a function or a class of modules, as for normproof.check; or a module, whose parameters, state, eps and mode
               are those of the case unless they are given
    given      the tensors by the operation's names, x=, grad_y=, gamma=, of attention q=, k=, v=, of cross_entropy
               logits=, targets=, or by the other names of docs/guide/python.md, weight=, query=. They belong to NumPy or to
               one framework, and have one dtype except for the state. Also the options, eps=1e-6, groups=4. What is
               absent has its default; without grad_y the forward alone is judged
    mode       "training" or "inference"; None for training, except that decoding has inference only
    device     where fn gets its tensors; by default the device of x
    layout     "channels_first": x and grad_y are [B, D, ...]; "interleaved" and the like: see normproof.check
    threads    the number of threads that certify; 0 for one per processor
    repeat     how many times fn gets the rows, one after another, to reach an index beyond 2^31 elements with the
               expected values of few. Each copy that has other bits than the first is judged. For the forward of
               operations that compute each row by itself
    rows       how many rows are certified, drawn after fn has returned; None for all. A row is all of x along the last axis.
               Sums over rows, grad_gamma and grad_beta, are judged for all rows. For operations that compute each row alone
    seed       draws the rows, as the report prints it; None for a new seed
    The other arguments are those of normproof.check. Another convention is tried as there, if it is not among the arguments.

    Returns a Report of one case. Its repro() writes the tensors to a file, and lines that judge them again. Throws
    UsageError for a name, shape, dtype or option that does not fit, and for a missing tensor.
    """
    if unnamed:
        raise UsageError(f"normproof.judge: {describe_value(unnamed[0])} has no name; expected tensors and options by name, as x=x, "
                         "gamma=weight, eps=1e-6")
    accumulation = named_if_dtype(accumulation)
    settings = {key: value for key, value in locals().items() if key not in ("fn", "op", "given", "unnamed")}
    require_arguments({"fn": fn, **settings})
    report = judge_once(fn, op, given, **settings)
    if strict or skip_diagnosis or not has_numbers(report):
        return report

    def judge_by(convention: Convention, **changed: Any) -> Report:
        declared, own = divide(convention, settings)
        return judge_once(fn, op, {**given, **own}, **{**settings, **declared, **changed})
    inputs = report.inputs
    is_large = rows is None and max(stored.data.size for stored in inputs.values()) > MAX_TRIED
    few = {"rows": FEW_ROWS, "seed": 0} if is_large and can_draw(report.op, inputs, repeat) else {}
    decided = names.with_canonical_names(
        report.op, with_names_of_corpus(report.op, given, "normproof.judge", settings["layout"]), "normproof.judge", complete=False)
    return follow_convention(report, [*decided, *(key for key, value in settings.items() if value)],
                             lambda convention: judge_by(convention, **few), judge_by)


def judge_once(fn: Callable[..., Any], op: str, given: Mapping[str, Any], *, mode: str | None, device: str | None,
               outputs: str | Sequence[str] | None, backward: Callable[..., Any] | None, arguments: Any,
               framework: str | None, layout: str | None, isolate: bool, seconds: float | None,
               accumulation: str, formula: str, cast_order: str, loss_dtype: str, scale_rounding: str, strict: bool,
               flush_subnormals: bool, skip_diagnosis: bool, name: str, threads: int, repeat: int, rows: int | None,
               seed: int | None, writes: Mapping[str, str] | None) -> Report:
    """Judges fn by one convention. The arguments are those of judge, which are checked."""
    changed = changed_arguments(judge, {**locals(), "threads": 0})
    if mode not in (None, "training", "inference"):
        raise UsageError(f"normproof: mode={mode!r}; expected 'training' or 'inference'")
    op = canonical_op(op)
    given = with_names_of_corpus(op, given, "normproof.judge", layout)
    if cast_order and given.get("storage") is not None:  # then it is the option of rms_norm, whose result is rounded so
        given, cast_order = {**given, "cast_order": cast_order}, ""
    called, title, holds, kept = fn, title_of(fn), None, []
    if is_trained_module(fn):
        own_names = names.with_canonical_names(op, given, "normproof.judge", complete=False)
        kept = describe_other_options(fn, op, own_names)
        title = title_of(type(fn))
        layer = trained_layer(fn, op)
        own = trained_values(fn, op, names.with_canonical_names(op, given, "normproof.judge", complete=layer is None), arguments)
        given = {**own, **given}
        mode = mode or ("training" if getattr(fn, "training", True) else "inference")
        if layer is not None:
            called = layer
        else:
            holds = names.known_names(op) - {"x", "grad_y", "valid"}
            called, arguments = copies_of(fn), dict(arguments or {})
    mode = mode or ("inference" if op in INFERENCE_ONLY else "training")
    given = {key: value.item() if isinstance(value, np.generic) and key in names.option_names(op) else value
             for key, value in names.with_canonical_names(op, given, "normproof.judge").items()}
    of_y = scales.take_dtype_of_y(op, given)
    given = scales.with_tensors(given) if op in scales.OPERATIONS else given
    require_kinds(op, given)
    inputs, options, home = split_arguments(given)
    options |= of_y
    if repeat > 1:
        require_repeatable(op, inputs)
    if rows is not None:
        require_drawable(op, inputs, repeat)
    elif seed is not None:
        raise UsageError(f"normproof.judge: seed={seed!r} draws rows, and rows= is absent; expected rows=, the number of rows "
                         "that are drawn")
    has_scales = scales.are_used(inputs, options)
    scales.check_eight_bits(op, inputs)
    if has_scales and (rows is not None or repeat > 1):
        raise UsageError(f"normproof.judge: {'rows' if rows is not None else 'repeat'}= is given; expected neither with tensors of "
                         "8 bits, whose scales belong to their rows")
    dtype_notes = [] if has_scales else check_dtypes(op, inputs)
    require_axis(op, inputs)
    framework = framework or (home if home != "numpy" else None)
    if device is None:
        device = find_device(home, given)
    forward_only = "grad_y" not in inputs and "grad_y" in names.tensor_names(op)[1]
    if forward_only and (gradients := [name for name in parse_outputs(outputs) if is_gradient(name)]):
        raise UsageError(f"normproof.judge: outputs= names {gradients[0]}, and grad_y is absent; expected grad_y=, the gradient "
                         "that arrives at y")

    where: str = device

    def prepare(framework: str | None) -> Invocation:
        found = prepare_invocation(
            called, op, names.known_names(op) | {key for key in inputs if key in scales.SCALES}, framework=framework, device=where, arguments=arguments, outputs=outputs,
            backward=backward, layout=layout, forward_only=forward_only, accumulation=accumulation, formula=formula,
            cast_order=cast_order, loss_dtype=loss_dtype, scale_rounding=scale_rounding, strict=strict,
            flush_subnormals=flush_subnormals, skip_diagnosis=skip_diagnosis, writes=writes, title=title, holds=holds)
        if not isolate:
            found.require_device()
        return found if EVERYTHING in found.read_names else found.with_known_options(
            {key: given[key] for key in options if key in given and key not in found.read_names})
    invocation = prepare(framework)
    options = {**{key: variants.option_text(value) for key, value in invocation.own_options.items()}, **options}
    changed |= {**plain_options(given), **of_y, "framework": framework, "device": device if device != "cpu" else None}
    call = Call(fn, op, {key: value for key, value in changed.items() if value is not None}, "judge")
    channels_first = invocation.layout.channels_first
    broadcast, masks = broadcast_masks(op, inputs, channels_first)
    certified, ignores_targets = without_ignored_targets(broadcast)
    shape = inputs["x"].shape if "x" in inputs else None
    if shape is not None:
        certified = in_corpus_layout(op, broadcast, channels_first)
    corpus = Corpus()
    is_training = mode == "training"
    mask_shape = full_mask_shape(op, inputs, "valid", channels_first)

    def certify(corpus: Corpus, inputs: Mapping[str, Stored], rows: Sequence[int] | None = None) -> int:
        with corpus.watched(transient_bar(f"normproof: certifying {op}")):
            return corpus.certify(name, op, is_training, options, False, inputs, threads, rows)
    drawn = None
    index = 0
    if rows is None:
        index = certify(corpus, certified)
        case = corpus.select(index)
    else:
        drawn = DrawnRows(corpus, as_matrix(certified), rows, seed, certify)
        case = drawn.case
        call = Call(fn, op, {key: value for key, value in {**changed, "seed": drawn.seed}.items() if value is not None}, "judge")

    def prepare_for_case(framework: str | None) -> Invocation:
        found = prepare(framework)
        if ignores_targets:
            found = dataclasses.replace(found, ignores_targets=True)
        return (found if shape is None else found.with_shape(shape)).with_masks(masks, mask_shape).for_case(case)
    prober = Prober(prepare_for_case, framework=framework, isolate=isolate, seconds=seconds)
    invocation = prober.understand(prepare_for_case(framework), case, is_own=True)
    invocation.require_needed()
    if repeat > 1 and shape is not None:
        invocation = invocation.with_shape((repeat * shape[0], *shape[1:]))
    invocation.policy.apply(corpus)
    corpus.set("repro", f"# report.repro() writes the tensors of {{path}}, and the lines that hold {invocation.title} "
                        "against them again")
    observed = Observations()

    def run(invocation: Invocation) -> tuple[CaseResult, int]:
        """Returns the result, and the number of the copy of the rows that failed or 0."""
        runner = start_runner(invocation, isolate, seconds)
        try:
            with corpus.watched(transient_bar(f"normproof: judging {op}")):
                return (judge_copies(corpus, invocation, index, runner, observed, repeat) if drawn is None
                        else drawn.judge(invocation, runner, observed))
        finally:
            runner.close()
    result, copy = run(invocation)
    if repeat == 1 and (other := find_other_invocation(result, invocation, case, prober.look_again)):
        invocation = other
        invocation.policy.apply(corpus)
        result, copy = run(invocation)
    report = Report(corpus, invocation, op, [], call, inputs)
    report.add(result)
    notes = [*kept, *dtype_notes, *missing_tensors(invocation), *default_groups(invocation, given)]
    if ignores_targets:
        notes.append(f"rows whose target is {IGNORED_TARGET} take no part")
    if repeat > 1:
        size = inputs["x"].data.size
        notes.append(f"the rows {repeat:,} times, {repeat * size:,} elements: copy {copy + 1:,} is judged, "
                     f"from element {copy * size:,} on")
    chosen = None
    if drawn is not None and drawn.drawn is not None:
        notes.append(drawn.drawn.describe())
        chosen = drawn.drawn.chosen
    if shape is not None and repeat == 1:
        notes += describe_user_indices(case.tensors["x"].shape, invocation.layout, result, chosen)
    report.conventions = [*describe_conventions(invocation, observed), *notes]
    report.suggestions = suggest_options(invocation, report)
    return report


def missing_tensors(invocation: Invocation) -> list[str]:
    """Returns a remark about each tensor that the implementation received and that was not given."""
    words = {"gamma": "ones", "beta": "zeros", "alpha": "alpha0", "valid": "all are valid"}
    return [f"{name} was not given: {words[name]}" for name in invocation.neutral_names]


def default_groups(invocation: Invocation, given: Mapping[str, Any]) -> list[str]:
    """Returns a remark about the number of groups if it was not given. Other options have usual defaults."""
    default = names.default_options(invocation.op).get("groups")
    return [f"groups was not given: {default}"] if default is not None and "groups" not in given else []


def describe_user_indices(shape: tuple[int, ...], layout: Layout, result: CaseResult,
                          chosen: Sequence[int] | None) -> list[str]:
    """Returns a remark about each failed element whose index in the user's tensor differs from that in the verdict.

    `shape` is that of x in the case. `chosen` are the drawn rows, whose numbers the verdict counts, or None.
    """
    texts = []
    for tensor in result.tensors:
        where, name = json.loads(tensor.get("where") or "[]"), tensor["name"]
        if not tensor["failures"] or name not in SHAPED_LIKE_X or len(where) != len(shape) or layout.user_shape is None:
            continue
        counted = where if chosen is None else [chosen[where[0]], *where[1:]]
        index = layout.user_index(counted, shape)
        if index != where:
            texts.append(f"{name} at {where} is {name}{index} of your tensors, whose shape is {[*layout.user_shape]}")
    return texts


def without_ignored_targets(inputs: Mapping[str, Stored]) -> tuple[Mapping[str, Stored], bool]:
    """Returns the tensors with a mask in place of targets that are IGNORED_TARGET, and whether there are such targets."""
    targets = inputs.get("targets")
    if targets is None or not np.any(targets.data == IGNORED_TARGET):
        return inputs, False
    taken = targets.data != IGNORED_TARGET
    valid = Stored("boolean", taken & inputs["valid"].data.astype(bool) if "valid" in inputs else taken)
    return {**inputs, "targets": targets.like(np.where(taken, targets.data, 0).astype(targets.data.dtype)), "valid": valid}, True


def find_device(home: str, given: Mapping[str, Any]) -> str:
    """Returns the device of the first tensor of a framework, or "cpu" if there is none."""
    if home != "numpy":
        framework = frameworks.framework(home)
        for value in given.values():
            if framework.is_tensor(value):
                return framework.device_of(value)
    return "cpu"


def require_repeatable(op: str, inputs: Mapping[str, Stored]) -> None:
    """Throws UsageError if copies of the rows would not have the values of the rows."""
    if not computes_by_row(op):
        raise UsageError(f"normproof.judge: repeat= is given, but {op} does not compute each row alone; expected an operation "
                         "that does, as layer_norm")
    if "grad_y" in inputs:
        raise UsageError("normproof.judge: repeat= is of the forward alone; expected no grad_y")
    if len(inputs["x"].shape) < 2:
        raise UsageError(f"normproof.judge: x has shape {[*inputs['x'].shape]}; expected two axes or more, as repeat= is given")


class _Copies:
    """Runs a case with its rows repeated, and returns the outputs for the first copy. Keeps those of all copies."""

    def __init__(self, runner: Runner, times: int) -> None:
        self._runner, self._times = runner, times
        self.members = runner.members
        self.outputs: dict[str, Stored] = {}

    def __call__(self, case: Case) -> Answer:
        answer = self._runner(variants.repeated(case, self._times))
        self.outputs = answer.outputs
        return answer._replace(outputs=variants.select_copy(case, answer.outputs, 0, self._times))

    def close(self) -> None:
        """Does nothing, because the runner belongs to the caller."""


class _Known:
    """A runner that returns outputs which were computed before."""

    def __init__(self, outputs: dict[str, Stored]) -> None:
        self._outputs = outputs
        self.members: dict[str, str] = {}

    def __call__(self, case: Case) -> Answer:
        return Answer(self._outputs)

    def close(self) -> None:
        """Does nothing, because nothing was started."""


def judge_copies(corpus: Corpus, invocation: Invocation, index: int, runner: Runner, observed: Observations,
                 repeat: int) -> tuple[CaseResult, int]:
    """Judges the first copy of the rows, then each copy whose bits differ from it, until one fails.

    Returns the result, and the number of the copy that failed or 0.
    """
    case = corpus.select(index)
    if repeat == 1:
        return judge_case(corpus, invocation, case, runner, observed), 0
    copies = _Copies(runner, repeat)
    result = judge_case(corpus, invocation, case, copies, observed)
    first = variants.select_copy(case, copies.outputs, 0, repeat)
    for copy in range(1, repeat if result.passed and copies.outputs else 1):
        outputs = variants.select_copy(case, copies.outputs, copy, repeat)
        if all(same_bits(outputs[key], stored) for key, stored in first.items()):
            continue
        result = judge_case(corpus, invocation, corpus.select(index), _Known(outputs), Observations())
        if not result.passed:
            return result, copy
    return result, 0


def require_kinds(op: str, given: Mapping[str, Any]) -> None:
    """Throws UsageError if a tensor is a plain value, or an option a tensor."""
    for name, value in given.items():
        if isinstance(value, (list, tuple)):
            raise UsageError(f"normproof.judge: {name}={describe_value(value)}; expected a tensor of NumPy or of a framework: a "
                             f"{type(value).__name__} has no dtype")
        plain = isinstance(value, OPTION_TYPES)
        if plain and name not in names.option_names(op):
            raise UsageError(f"normproof.judge: {name}={describe_value(value)}; expected a tensor of NumPy or of a framework")
        if plain and (expected := wrong_kind(op, name, value)):
            raise UsageError(f"normproof.judge: {name}={describe_value(value)}; expected {expected}")
        if not plain and name in names.option_names(op):
            raise UsageError(f"normproof.judge: {name}={describe_value(value)}; expected a plain value, as {name} is an option "
                             f"of {op}")


def is_mask(name: str) -> bool:
    """Whether a tensor is a mask: booleans, or 0 and 1 of any dtype."""
    return name in ("valid", "memory_valid", "source_valid") or name.endswith(".keep")


def is_floating(stored: Stored) -> bool:
    return stored.dtype.startswith(("float", "bfloat"))


def check_dtypes(op: str, inputs: Mapping[str, Stored]) -> list[str]:
    """Returns a remark for the report about each tensor whose dtype differs from the dtype of the case.

    Throws UsageError for a dtype that a tensor cannot have: classes are integers, everything but masks and counts is
    floating, and what is combined with an activation has its dtype.
    """
    leading = next((name for name in LEADING_TENSORS if name in inputs), None)
    if leading is None:
        require_floating(inputs)
        return []
    dtype, notes = inputs[leading].dtype, []
    for name, stored in inputs.items():
        expected = None
        if name in CLASSES:
            if stored.dtype not in INTEGERS:
                expected = "classes as int64, int32 or uint8"
            elif stored.dtype != "int64":
                notes.append(f"{name} have dtype {stored.dtype}")
        elif is_mask(name):
            continue
        elif name.rpartition(".")[2] not in ANY_DTYPE and not is_floating(stored):
            expected = "a floating dtype"
        elif name in SAME_DTYPE_AS_LEADING and stored.dtype != dtype:
            expected = f"{dtype}, that of {leading}"
        elif name not in ANY_DTYPE and stored.dtype != dtype:
            notes.append(f"{name} has dtype {stored.dtype}")
        if expected:
            raise UsageError(f"normproof.judge: {name} has dtype {stored.dtype}; expected {expected}")
    return notes


def require_floating(inputs: Mapping[str, Stored]) -> None:
    """Throws UsageError for integers in a whole model, except for masks, counts, tokens and classes."""
    for name, stored in inputs.items():
        if is_mask(name) or name in CLASSES or name.rpartition(".")[2] in ANY_DTYPE:
            continue
        if not is_floating(stored):
            raise UsageError(f"normproof.judge: {name} has dtype {stored.dtype}; expected a floating dtype")


def split_arguments(given: Mapping[str, Any]) -> tuple[dict[str, Stored], dict[str, str], str]:
    """Returns the tensors of keyword arguments as they are stored, the options as texts, and the tensors' framework."""
    inputs: dict[str, Stored] = {}
    options: dict[str, str] = {}
    homes: set[str] = set()
    for name, value in given.items():
        if isinstance(value, OPTION_TYPES):
            options[name] = variants.option_text(value)
        elif isinstance(value, Stored):
            inputs[name] = value
        else:
            home = frameworks.name_by_value(value)
            try:
                inputs[name] = frameworks.framework(home).stored(value)
            except UsageError as error:
                raise UsageError(f"normproof.judge: {name} has {describe_dtype(name, str(error))}") from None
            except ValueError as error:
                raise UsageError(f"normproof.judge: {name}={describe_value(value)}; expected a tensor: {error}") from None
            except (TypeError, NotImplementedError, RuntimeError) as error:
                raise UsageError(f"normproof.judge: {name} cannot be read: {in_one_line(error)}; expected a dense tensor with "
                                 "values") from None
            homes.add(home)
    others = sorted(homes - {"numpy"})
    if len(others) > 1:
        raise UsageError(f"normproof.judge: tensors of {' and '.join(others)}; expected those of one framework")
    return inputs, options, others[0] if others else "numpy"


def describe_dtype(name: str, problem: str) -> str:
    """Returns the sentence about a dtype that no tensor has, "a dtype int16; expected ...", with those that this tensor has."""
    kind = problem.partition(";")[0].removeprefix("a ")
    if not problem.startswith("a dtype ") or is_mask(name) or name in ANY_DTYPE:
        return problem
    return f"{kind}; expected " + ("classes as int64, int32 or uint8" if name in CLASSES else "a floating dtype")


def require_axis(op: str, inputs: Mapping[str, Stored]) -> None:
    """Throws UsageError for a scalar x of an operation that computes along an axis."""
    if "x" in inputs and not inputs["x"].shape and op not in ELEMENTWISE:
        raise UsageError(f"normproof.judge: x has shape []; expected one axis or more, as {op} is along the last axis")


def plain_options(given: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the options among keyword arguments, with the values that were given."""
    return {name: value for name, value in given.items() if isinstance(value, OPTION_TYPES)}


def in_corpus_layout(op: str, inputs: Mapping[str, Stored], channels_first: bool) -> Mapping[str, Stored]:
    """Returns the tensors with x and everything of its shape as [N, D], or as [B, T, D].

    The latter if a statistic or a mask runs over samples or tokens. The tensors of a function stay as they are,
    except that a vector becomes one row.
    """
    shape = inputs["x"].shape
    first = channels_first and len(shape) > 2
    width = shape[1] if first else shape[-1] if shape else 1
    by_row = not names.has_statistics_over_rows(op)
    any_rank = len(shape) > 1 and names.is_function(op) and "residual" not in inputs
    if len(shape) == 2 or (len(shape) == 3 or any_rank) and not first:
        return inputs
    leading = (-1,) if len(shape) < 2 or by_row and not first else (shape[0], -1)

    def arrange(name: str, stored: Stored) -> Stored:
        data = stored.data
        if name == "grad_y" and reduces_rows(op):
            return stored.like(data.reshape(data.shape or (1,)))
        if name in SHAPED_LIKE_X and data.shape == shape:
            return stored.like(np.ascontiguousarray(np.moveaxis(data, 1, -1) if first else data).reshape(*leading, width))
        if name == "valid":
            return stored.like(data.reshape((*leading, width) if data.shape == shape else leading))
        return stored
    return {name: arrange(name, stored) for name, stored in inputs.items()}
