"""normproof.judge: a function held against the truth on the caller's own tensors."""
import numpy as np

from normproof import frameworks, names, variants
from normproof.arguments import require_arguments, said
from normproof.candidate import Candidate
from normproof.checking import asker, judge_case, prepare, require_op
from normproof.corpus import Corpus
from normproof.errors import UsageError
from normproof.relations import computes_by_row
from normproof.report import Report
from normproof.repro import Call, differing
from normproof.returned import SHAPED_AS_X
from normproof.stored import Stored, same_bits

OPTION_KINDS = (bool, int, float, str)
# The dtype of a case is that of the first of these; those beside have it too, parameters and state may have another one.
LEADING = ("x", "q", "logits", "parameter")
AS_THE_CASE = ("grad_y", "residual", "gate", "grad_sum", "k", "v")
CLASSES, INTEGERS = ("targets",), ("int64", "int32", "uint8")
INFERENCE_ALONE = ("decoding",)
OF_ANY_DTYPE = ("iterations", "source", "tokens", "labels")


def judge(fn, op, *, mode=None, device=None, outputs=None, backward=None, arguments=None, framework=None, layout=None,
          isolate=False, seconds=60, accumulation="", formula="", strict=False, flush_subnormals=False, name="own", threads=0,
          repeat=1, **given):
    """Certifies what op is of the caller's own tensors, by two enclosures, and holds fn against it.

    given      the tensors by the operation's names of them, x=, grad_y=, gamma=, of attention q=, k=, v=, of cross_entropy
               logits=, targets=, or by others of docs/guide/python.md, weight=, query=; of NumPy or of the framework, all in one
               dtype but for the state; and the options, eps=1e-6, groups=4. What is absent has its default; without grad_y
               the forward alone is judged
    mode       "training" or "inference"; None: training, of decoding inference, which is its only one
    device     where fn gets its tensors; that of x if it is not given
    layout     "channels_first": x and grad_y are [B, D, ...]
    threads    that certify, 0: as many as there are processors
    repeat     how many times fn gets the rows, one after another: an index beyond 2^31 elements is reached with the expected
               values of few. Every copy that has other bits than the first is judged. Forward alone, of what computes each
               row alone
    The rest is as for normproof.check.

    Returns a Report of one case; its repro() writes the tensors to a file, and the lines that judge them again. Throws
    UsageError for a name, a shape, a dtype or an option that does not fit, and for a tensor that is missing.
    """
    require_arguments(locals())
    call = differing(judge, {**locals(), "threads": 0})
    if mode not in (None, "training", "inference"):
        raise UsageError(f"normproof: mode={mode!r}; expected 'training' or 'inference'")
    require_op(op)
    mode = mode or ("inference" if op in INFERENCE_ALONE else "training")
    given = {name: value.item() if isinstance(value, np.generic) and name in names.options_of(op) else value
             for name, value in names.by_canonical_name(op, given, "normproof.judge").items()}
    require_kinds(op, given)
    inputs, options, home = tensors_and_options(given)
    if repeat > 1:
        require_repeatable(op, inputs)
    conventions = dtypes_said(op, inputs)
    framework = framework or (home if home != "numpy" else None)
    if device is None:
        device = next((frameworks.framework(home).device_of(value) for value in given.values()
                       if home != "numpy" and frameworks.framework(home).is_tensor(value)), "cpu")
    forward_only = "grad_y" not in inputs and "grad_y" in names.tensors_of(op)[1]
    candidate = Candidate(fn, op, names.known_names(op), framework, device, arguments, outputs, backward, layout,
                          forward_only)
    if not isolate:
        candidate.require_device()
    call |= {**options_as_given(given), "framework": framework, "device": device if device != "cpu" else None}
    call = Call(fn, op, {name: value for name, value in call.items() if value is not None}, "judge")
    stored = inputs
    if "x" in inputs:
        candidate.layout.shape = (repeat * inputs["x"].shape[0], *inputs["x"].shape[1:]) if repeat > 1 else inputs["x"].shape
        stored = as_the_corpus_has_them(op, inputs, candidate.layout.channels_first)
    corpus = Corpus()
    index = corpus.certify(name, op, mode == "training", options, False, stored, threads)
    candidate.look_inside(corpus.select(index))
    prepare(corpus, candidate, accumulation, formula, (), strict, flush_subnormals)
    corpus.set("repro", f"# report.repro() writes the tensors of {{path}}, and the lines that hold {candidate.title} "
                        "against them again")
    report = Report(corpus, candidate.title, op, candidate.conventions(), call, inputs)
    ask = asker(candidate, isolate, seconds)
    try:
        result, copy = judge_copies(corpus, candidate, index, ask, repeat)
        report.add(result)
    finally:
        getattr(ask, "close", lambda: None)()
    if repeat > 1:
        conventions.append(f"the rows {repeat:,} times, {repeat * inputs['x'].data.size:,} elements: copy {copy + 1:,} is judged, "
                           f"from element {copy * inputs['x'].data.size:,} on")
    report.conventions = [*candidate.conventions(), *conventions]
    return report


def require_repeatable(op, inputs):
    """Throws UsageError where copies of the rows would not have the values of the rows."""
    if not computes_by_row(op):
        raise UsageError(f"normproof.judge: repeat= is given, but {op} does not compute each row alone; expected an operation "
                         "that does, as layer_norm")
    if "grad_y" in inputs:
        raise UsageError("normproof.judge: repeat= is of the forward alone; expected no grad_y")
    if len(inputs["x"].shape) < 2:
        raise UsageError(f"normproof.judge: x has shape {[*inputs['x'].shape]}; expected two axes or more, as repeat= is given")


def judge_copies(corpus, candidate, index, ask, repeat):
    """Judges the first copy of the rows, and those that have other bits, up to one that fails: its result and number."""
    case, answered = corpus.select(index), {}
    if repeat == 1:
        return judge_case(corpus, candidate, case, ask), 0

    def ask_all(case):
        outputs, wrote = ask(variants.repeated(case, repeat))
        answered.update(outputs)
        return variants.copy_of(case, outputs, 0, repeat), wrote
    result = judge_case(corpus, candidate, case, ask_all)
    first = variants.copy_of(case, answered, 0, repeat)
    for copy in range(1, repeat if result.passed and answered else 1):
        outputs = variants.copy_of(case, answered, copy, repeat)
        if all(same_bits(outputs[name], stored) for name, stored in first.items()):
            continue
        result = judge_case(corpus, candidate, corpus.select(index), lambda _, outputs=outputs: (outputs, ""))
        if not result.passed:
            return result, copy
    return result, 0


def require_kinds(op, given):
    """Throws UsageError where a tensor is a plain value, or an option a tensor."""
    for name, value in given.items():
        if isinstance(value, (list, tuple)):
            raise UsageError(f"normproof.judge: {name}={said(value)}; expected a tensor of NumPy or of a framework: a "
                             f"{type(value).__name__} has no dtype")
        plain = isinstance(value, OPTION_KINDS)
        if plain and name not in names.options_of(op):
            raise UsageError(f"normproof.judge: {name}={said(value)}; expected a tensor of NumPy or of a framework")
        if not plain and name in names.options_of(op):
            raise UsageError(f"normproof.judge: {name}={said(value)}; expected a plain value, as {name} is an option of {op}")


def is_mask(name):
    """Whether a tensor is one: booleans, or 0 and 1 of any dtype."""
    return name in ("valid", "memory_valid", "source_valid") or name.endswith(".keep")


def dtypes_said(op, inputs):
    """What a report says of dtypes: of each tensor whose dtype is not that of the case.

    Throws UsageError where one is no dtype of that tensor: classes are integers, all else but masks and counts is floating,
    and what an activation is combined with has its dtype.
    """
    leading = next((name for name in LEADING if name in inputs), None)
    if leading is None:
        require_floating(inputs)
        return []
    dtype, said_of = inputs[leading].dtype, []
    for name, stored in inputs.items():
        expected = None
        if name in CLASSES:
            if stored.dtype not in INTEGERS:
                expected = "classes as int64, int32 or uint8"
            elif stored.dtype != "int64":
                said_of.append(f"{name} have dtype {stored.dtype}")
        elif is_mask(name):
            continue
        elif name not in OF_ANY_DTYPE and not stored.dtype.startswith(("float", "bfloat")):
            expected = "a floating dtype"
        elif name in AS_THE_CASE and stored.dtype != dtype:
            expected = f"{dtype}, that of {leading}"
        elif name not in OF_ANY_DTYPE and stored.dtype != dtype:
            said_of.append(f"{name} has dtype {stored.dtype}")
        if expected:
            raise UsageError(f"normproof.judge: {name} has dtype {stored.dtype}; expected {expected}")
    return said_of


def require_floating(inputs):
    """Throws UsageError for integers in a whole model: whatever is no mask, count, token or class is floating."""
    for name, stored in inputs.items():
        if is_mask(name) or name in CLASSES or name.rpartition(".")[2] in OF_ANY_DTYPE:
            continue
        if not stored.dtype.startswith(("float", "bfloat")):
            raise UsageError(f"normproof.judge: {name} has dtype {stored.dtype}; expected a floating dtype")


def tensors_and_options(given):
    """The tensors of keyword arguments as they are stored, the options as texts, and the framework of the tensors."""
    inputs, options, homes = {}, {}, set()
    for name, value in given.items():
        if isinstance(value, OPTION_KINDS):
            options[name] = str(value).lower() if isinstance(value, bool) else str(value)
        elif isinstance(value, Stored):
            inputs[name] = value
        else:
            home = frameworks.of_value(value)
            try:
                inputs[name] = frameworks.framework(home).stored(value)
            except UsageError as error:
                raise UsageError(f"normproof.judge: {name} has {error}") from None
            except ValueError as error:
                raise UsageError(f"normproof.judge: {name}={said(value)}; expected a tensor: {error}") from None
            homes.add(home)
    others = sorted(homes - {"numpy"})
    if len(others) > 1:
        raise UsageError(f"normproof.judge: tensors of {' and '.join(others)}; expected those of one framework")
    return inputs, options, others[0] if others else "numpy"


def options_as_given(given):
    return {name: value for name, value in given.items() if isinstance(value, OPTION_KINDS)}


def as_the_corpus_has_them(op, inputs, channels_first):
    """x and its kin as [N, D], or [B, T, D] where a statistic or a mask is of samples or tokens; of a function as they are,
    but for a vector, which is one row."""
    shape = inputs["x"].shape
    first = channels_first and len(shape) > 2
    width = shape[1] if first else shape[-1] if shape else 1
    by_row = not names.over_rows(op)
    any_rank = len(shape) > 1 and names.is_function(op) and "residual" not in inputs
    if len(shape) == 2 or (len(shape) == 3 or any_rank) and not first:
        return inputs
    leading = (-1,) if len(shape) < 2 or by_row and not first else (shape[0], -1)

    def placed(name, stored):
        data = stored.data
        if name in SHAPED_AS_X and data.shape == shape:
            return stored.like(np.ascontiguousarray(np.moveaxis(data, 1, -1) if first else data).reshape(*leading, width))
        if name == "valid":
            return stored.like(data.reshape((*leading, width) if data.shape == shape else leading))
        return stored
    return {name: placed(name, stored) for name, stored in inputs.items()}
