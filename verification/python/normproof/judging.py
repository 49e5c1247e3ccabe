"""normproof.judge: a function held against the truth on the caller's own tensors."""
import numpy as np

from normproof import frameworks, names
from normproof.candidate import Candidate
from normproof.checking import asker, judge_case, prepare
from normproof.corpus import Corpus, layer_descriptions
from normproof.errors import UsageError
from normproof.report import Report
from normproof.rules import Layout


def judge(fn, op, *, mode="training", device=None, outputs=None, backward=None, arguments=None, framework=None, layout=None,
          isolate=False, seconds=60, accumulation="", formula="", strict=False, name="own", threads=0, **given):
    """Certifies what op is of the caller's own tensors, by two enclosures, and holds fn against it.

    given      the tensors by their names, x=, grad_y=, gamma=, ..., of NumPy or of the framework, all in one dtype but for
               the state; and the options, eps=1e-6, groups=4. What is absent has its default; without grad_y the forward
               alone is judged
    mode       "training" or "inference"
    device     where fn gets its tensors; that of x if it is not given
    layout     "channels_first": x and grad_y are [B, D, ...]
    threads    that certify, 0: as many as there are processors
    The rest is as for normproof.check.

    Returns a Report of one case. Throws UsageError for a shape, a dtype or an option that does not fit.
    """
    if mode not in ("training", "inference"):
        raise UsageError(f"normproof: mode={mode!r}; expected 'training' or 'inference'")
    x = given.get("x", given.get("parameter"))
    if x is None:
        raise UsageError(f"normproof.judge: {op} needs x=, the tensor that it is of")
    inputs, options, home = tensors_and_options(given)
    framework = framework or (home if home != "numpy" else None)
    if device is None:
        device = frameworks.framework(home).device_of(x) if home != "numpy" else "cpu"
    forward_only = "x" in inputs and "grad_y" not in inputs
    candidate = Candidate(fn, op, known_names(op, inputs), framework, device, arguments,
                          outputs or ("y" if forward_only else None), backward, layout)
    if "x" in inputs:
        candidate.layout = Layout(candidate.layout.channels_first, shape=inputs["x"].shape)
        inputs = as_the_corpus_has_them(op, inputs, candidate.layout.channels_first)
    if forward_only:
        inputs["grad_y"] = zeros_like(inputs["x"])
    corpus = Corpus()
    index = corpus.certify(name, op, mode == "training", options, False, inputs, threads)
    prepare(corpus, candidate, accumulation, formula, (), strict)
    corpus.set("repro", f"# normproof.judge({candidate.title}, \"{op}\", ...) on the tensors of {{path}}")
    report = Report(corpus, candidate.title, op, candidate.conventions(), fn)
    candidate.look_inside(corpus.select(index))
    ask = asker(candidate, isolate, seconds)
    try:
        report.add(judge_case(corpus, candidate, corpus.select(index), ask))
    finally:
        getattr(ask, "close", lambda: None)()
    report.conventions = candidate.conventions()
    return report


def tensors_and_options(given):
    """The tensors of keyword arguments as they are stored, the options as texts, and the framework of the tensors."""
    inputs, options, homes = {}, {}, set()
    for name, value in given.items():
        if isinstance(value, (bool, int, float, str)):
            options[name] = str(value).lower() if isinstance(value, bool) else str(value)
        elif value is not None:
            home = frameworks.of_value(value)
            try:
                inputs[name] = frameworks.framework(home).stored(value)
            except UsageError as error:
                raise UsageError(f"normproof.judge: {name} has {error}") from None
            homes.add(home)
    others = sorted(homes - {"numpy"})
    if len(others) > 1:
        raise UsageError(f"normproof.judge: tensors of {' and '.join(others)}; expected those of one framework")
    return inputs, options, others[0] if others else "numpy"


def known_names(op, inputs):
    layer = layer_descriptions().get(op, {})
    return {*inputs, *layer.get("options", {}), "x", "grad_y", *names.state_of(op),
            *(entry["name"] for entry in layer.get("parameters", []))}


def as_the_corpus_has_them(op, inputs, channels_first):
    """x and its kin as [N, D], or [B, T, D] where a statistic or a mask is of samples or tokens."""
    shape = inputs["x"].shape
    first = channels_first and len(shape) > 2
    width = shape[1] if first else shape[-1] if shape else 1
    by_row = not names.over_rows(op)
    if len(shape) == 2 or len(shape) == 3 and not first:
        return inputs
    leading = (-1,) if len(shape) < 2 or by_row and not first else (shape[0], -1)

    def placed(name, stored):
        data = stored.data
        if name in ("x", "grad_y", "gate") and data.shape == shape:
            return stored.like(np.ascontiguousarray(np.moveaxis(data, 1, -1) if first else data).reshape(*leading, width))
        if name == "valid":
            return stored.like(data.reshape(leading))
        return stored
    return {name: placed(name, stored) for name, stored in inputs.items()}


def zeros_like(stored):
    return stored.like(np.zeros(stored.shape, stored.data.dtype))
