"""What must hold between calls, whatever the right values are: where most public bugs of kernels are."""
import dataclasses
import itertools
import typing

import numpy as np

from normproof import names, variants
from normproof.corpus import Corpus
from normproof.errors import NotOffered, Unanswered, UsageError, in_one_line
from normproof.limits import one_process, time_limit
from normproof.operations import computes_by_row, computes_by_sample
from normproof.stored import Stored, same_bits

MOST_SPLITS = 16
# Outputs that have an axis of samples.
BY_SAMPLE = ("y", "sum", "grad_x", "grad_residual", "grad_gate", "grad_q", "grad_k", "grad_v")
# Why rows under other leading axes are no question that each right library answers alike.
_FIXED_AXES = {"attention": "q, k and v have an axis of samples and one of heads, which mean something",
               "rope": "x has an axis of tokens, each of which has angles of its own",
               "cross_entropy": "of logits of other ranks libraries have the classes in other places"}


OF_MEANS = ("cross_entropy",)  # of all rows: a part of them has a mean of its own


class NotApplicable(Exception):
    """The relation says nothing of this case or this candidate; the reason, in a few words."""


class Broken(Exception):
    """The relation does not hold; one sentence."""


@dataclasses.dataclass
class RelationResult:
    relation: str
    path: str
    outcome: str  # "held", "broken", "declined" or "not_applicable"
    sentence: str = ""
    issue: str = ""  # a public one that the relation would have found

    @property
    def broken(self):
        return self.outcome == "broken"

    def __str__(self):
        found = f" (such as {self.issue})" if self.issue else ""
        return f"{self.relation} {self.path}: {self.sentence}{found}"


class Asked:
    """One case, its candidate, and what it answered; judges variants on a handle of their own."""

    def __init__(self, judge, index, candidate, seconds):
        self.judge_handle, self.index, self.candidate, self.seconds = judge, index, candidate, seconds
        self.case = judge.select(index)
        self.base = self.answer()

    def answer(self, case=None, **variant):
        with one_process(), time_limit(self.seconds):
            return self.candidate.answer(case or self.case, **variant)

    def judge(self, outputs, only="", handle=None, index=None):
        """Throws Broken where the outputs are not within the bound of the case."""
        corpus = handle or self.judge_handle
        of_model = (self.case, outputs) if self.candidate.has_logits else ()  # with its logits, or without
        corpus.set("outputs", only or self.candidate.judged_outputs(*of_model))
        corpus.select(self.index if index is None else index)
        for name, stored in outputs.items():
            corpus.answer(name, stored)
        verdict = corpus.judge()
        if not verdict.passed:
            raise Broken(verdict.text)

    @property
    def by_row(self):
        """Each row, or each element, is computed alone."""
        return computes_by_row(self.case.op)

    @property
    def by_sample(self):
        """Each sample is computed alone."""
        inference = not self.case.training and bool(names.state_of(self.case.op))
        return not self.case.sequence and (computes_by_sample(self.case.op) or inference)

    @property
    def samples(self):
        """How many samples the case has. Throws NotApplicable where they are not computed each alone."""
        samples = variants.samples_in(self.case)
        if self.case.sequence:
            raise NotApplicable("the case is a sequence of steps, each with the state of the one before")
        if samples is None or not self.by_sample:
            raise NotApplicable(f"{self.case.op} does not compute each sample alone")
        return samples


def strides(asked):
    """Inputs and gradients transposed and sliced in memory, channels last, and grad_y expanded with stride 0."""
    framework = asked.candidate.framework
    if not hasattr(framework, "strided"):
        raise NotApplicable(f"{framework.NAME} has no strides")
    for layout in framework.STRIDED:
        def alter(name, tensor, layout=layout):
            return framework.strided(tensor, layout) if name in variants.LAID_OUT else tensor
        _within(asked, f"inputs that are {layout}", asked.answer(alter=alter))
    if "grad_y" in asked.case.tensors and asked.candidate.differentiates and hasattr(framework, "expanded") and \
            not asked.case.sequence:
        _expanded(asked, framework)


def _expanded(asked, framework):
    """A grad_y that is one number with stride 0, as that of a plain sum; certified on the spot."""
    grad_y = asked.case.tensors["grad_y"]
    constant = grad_y.like(np.full(grad_y.shape, grad_y.data.ravel()[0]))
    if not np.isfinite(np.asarray(constant.widened(), np.float64)).all():
        return
    case = asked.case.replaced({**asked.case.tensors, "grad_y": constant})
    with Corpus() as own:
        index = own.certify("expanded", case.op, case.training, variants.option_texts(case), False, case.tensors, 1)
        outputs = asked.answer(case, alter=lambda name, tensor: framework.expanded(tensor) if name == "grad_y" else tensor)
        try:
            asked.judge(outputs, handle=own, index=index)
        except Broken as error:
            raise Broken(f"grad_y expanded with stride 0: {error}") from None


def rank(asked):
    """The rows in an x of rank 2, 3 and 4."""
    if "x" not in asked.case.tensors or not asked.by_row:
        raise NotApplicable(_FIXED_AXES.get(asked.case.op, f"{asked.case.op} has no x whose rows it computes each alone"))
    if asked.case.sequence:
        raise NotApplicable("the case is a sequence of steps, which is one axis more")
    shape = asked.case.tensors["x"].shape
    rows = int(np.prod(shape[:-1]))
    for leading in ((rows,), (1, rows), (rows, 1), (1, rows, 1)):
        if (*leading, shape[-1]) == shape:
            continue
        outputs = asked.answer(variants.reshaped(asked.case, leading))
        _within(asked, f"x of shape {[*leading, shape[-1]]}", variants.reshaped_back(asked.case, outputs))


def grad_mask(asked):
    """Each subset of the gradients is asked for alone."""
    candidate = asked.candidate
    if not candidate.differentiates or candidate.backward is not None or "grad_y" in candidate.taken or asked.case.sequence:
        raise NotApplicable("the gradients are not taken by a framework, which can be asked for some of them")
    leaves = [name[len("grad_"):] for name in asked.base if name.startswith("grad_")]
    if len(leaves) > 5:
        raise NotApplicable(f"{len(leaves)} gradients have too many subsets")
    for count in range(1, len(leaves)):
        for wanted in itertools.combinations(leaves, count):
            outputs = asked.answer(wanted=wanted)
            unasked = [name for name in outputs if name.startswith("grad_") and name[len("grad_"):] not in wanted]
            title = f"gradients of {' and '.join(wanted)} alone"
            if unasked:
                raise Broken(f"{title}: {unasked[0]} is there too")
            _within(asked, title, outputs, ",".join(["y", *("grad_" + name for name in wanted)]))


def inputs_unchanged(asked):
    """No input is written to; normproof.check looks at that in every case."""
    if asked.candidate.wrote:
        raise Broken(asked.candidate.wrote)


def aliasing(asked):
    """out= and in place: the buffer of the answer is that of x."""
    _in_buffers(asked, {"a buffer of its own": lambda x: variants.empty_like(asked.candidate.framework, x),
                        "x itself": lambda x: x})


def outputs(asked):
    """out= that is not contiguous."""
    framework = asked.candidate.framework
    if not hasattr(framework, "strided"):
        raise NotApplicable(f"{framework.NAME} has no strides")
    _in_buffers(asked, {"a transposed buffer": lambda x: framework.strided(variants.empty_like(framework, x), "transposed")})


def _in_buffers(asked, buffers):
    candidate = asked.candidate
    switch = variants.buffer_argument(candidate)
    if switch is None or candidate.makes_module or asked.case.sequence:
        raise NotApplicable(f"{candidate.title} is not asked where it writes: it is a module, the case a sequence of steps, or "
                            "it has no argument out or inplace")
    for title, make in buffers.items():
        if switch != "out" and title != "x itself":
            continue
        outputs = asked.answer(buffer=make, forward_only=True)
        _within(asked, f"{switch}= {title}", outputs, "y")


def repeat(asked):
    """The same question again, after another one: the same bits."""
    other = variants.with_other_numbers(asked.case)
    asked.answer(other)
    again = asked.answer()
    for name, stored in asked.base.items():
        if name not in again or not same_bits(stored, again[name]):
            raise Broken(f"{name} has other bits when it is asked again")


def batch(asked):
    """Every split of the samples: y, and the gradients of inputs, within the bound. Of a mean over all rows: the answer to
    each part within its own."""
    if asked.case.op in OF_MEANS:
        return _parts_alone(asked)
    for at, outputs in _splits(asked):
        _within(asked, f"samples split at {at}", outputs, ",".join(outputs))
    return None


def _parts_alone(asked):
    """Both parts of every split, each certified on the spot; one that has no value, as of ignored rows alone, is not asked."""
    case, asked_one = asked.case, False
    for at in _every_split(variants.samples_in(case)):
        for rows, part in ((f"0 to {at - 1}", slice(0, at)), (f"{at} on", slice(at, None))):
            alone = variants.samples_of(case, part)
            with Corpus() as own:
                try:
                    index = own.certify("part", case.op, case.training, variants.option_texts(case), False, alone.tensors, 1)
                except UsageError:
                    continue
                asked_one = True
                alone.outputs = own.select(index).outputs
                try:
                    asked.judge(asked.answer(alone), handle=own, index=index)
                except Broken as error:
                    raise Broken(f"rows {rows} alone: {error}") from None
    if not asked_one:
        raise NotApplicable("no part of its rows has a value")


def batch_bitwise(asked):
    """Every split of the samples: the same bits of y, and of the gradients of inputs."""
    if asked.case.op in OF_MEANS:
        raise NotApplicable(f"{asked.case.op} is a mean over all rows: a part of them has other values")
    for at, outputs in _splits(asked):
        for name, stored in outputs.items():
            if not same_bits(stored, asked.base[name]):
                where = variants.first_difference(stored, asked.base[name])
                raise Broken(f"samples split at {at}: {name} at {where} has other bits")


def _splits(asked):
    for at in _every_split(asked.samples):
        parts = [asked.answer(variants.samples_of(asked.case, part)) for part in (slice(0, at), slice(at, None))]
        yield at, {name: Stored(parts[0][name].dtype, np.concatenate([part[name].data for part in parts]))
                   for name in BY_SAMPLE if name in asked.base}


def _every_split(samples):
    if samples < 2:
        raise NotApplicable("one sample has no parts")
    return range(1, samples) if samples <= MOST_SPLITS else sorted({1, 2, samples // 3, samples // 2, samples - 1})


def compiled(asked):
    """torch.compile and the like; of JAX, which is compiled anyway, the operations one by one."""
    framework = asked.candidate.framework
    if hasattr(framework, "uncompiled"):
        with framework.uncompiled():
            _within(asked, "without compilation", asked.answer())
        return
    function = None if asked.candidate.makes_module else framework.compiled(asked.candidate.fn)
    if function is None:
        raise NotApplicable(f"{framework.NAME} compiles no function here")
    _within(asked, "compiled", asked.answer(function=function))


def empty(asked):
    """No samples: an empty y, and parameters with gradients of 0."""
    if asked.case.op in OF_MEANS:
        raise NotApplicable(f"{asked.case.op} is a mean over all rows: that of none is 0/0, which libraries answer otherwise")
    asked.samples  # or not applicable
    answered = asked.answer(variants.samples_of(asked.case, slice(0, 0)))
    for name in BY_SAMPLE:
        if name in answered and name in asked.base:
            expected = (0, *asked.base[name].shape[1:])
            if answered[name].shape != expected:
                raise Broken(f"no samples: {name} is {list(answered[name].shape)}; expected {list(expected)}")
    for name in ("grad_gamma", "grad_beta"):
        if name in answered and np.any(answered[name].widened() != 0):
            raise Broken(f"no samples: {name} is not 0")


def streams(asked):
    """On a stream that is not the default one: the same bits."""
    side = getattr(asked.candidate.framework, "side_stream", lambda device: None)(asked.candidate.device)
    if side is None:
        raise NotApplicable(f"{asked.candidate.device} has one stream alone")
    with side:
        again = asked.answer()
    for name, stored in asked.base.items():
        if not same_bits(stored, again[name]):
            raise Broken(f"{name} has other bits on another stream")


def _within(asked, title, outputs, only=""):
    try:
        asked.judge(outputs, only)
    except Broken as error:
        raise Broken(f"{title}: {error}") from None


class Relation(typing.NamedTuple):
    hold: object
    issue: str


# Each with a public issue or pull request that it would have found.
RELATIONS = {
    "strides": Relation(strides, "unslothai/unsloth#10675, flagos-ai/FlagGems#1068, Dao-AILab/quack#88"),
    "rank": Relation(rank, "flagos-ai/FlagGems#5392"),
    "grad_mask": Relation(grad_mask, "pytorch/pytorch#183825"),
    "inputs_unchanged": Relation(inputs_unchanged, "unslothai/unsloth#4550"),
    "aliasing": Relation(aliasing, "ggml-org/ggml#1519"),
    "outputs": Relation(outputs, "pytorch/pytorch#84762"),
    "repeat": Relation(repeat, "Dao-AILab/flash-attention#781"),
    "batch": Relation(batch, "flagos-ai/FlagGems#59"),
    "batch_bitwise": Relation(batch_bitwise, "vllm-project/vllm#48391"),
    "compiled": Relation(compiled, "pytorch/pytorch#186577"),
    "empty": Relation(empty, "tensorflow/tensorflow#46366"),
    "streams": Relation(streams, "pytorch/pytorch#22470, NVIDIA/cudnn-frontend#483"),
}
PROMISED = ("batch_bitwise",)  # asked for by name alone: not every right library promises it


def chosen(relations):
    """The names of relations, from "all", one name or several.

    Throws UsageError for an unknown one.
    """
    if relations == "all":
        return tuple(name for name in RELATIONS if name not in PROMISED)
    wanted = [name.strip() for name in relations.split(",")] if isinstance(relations, str) else list(relations)
    for name in wanted:
        if name not in RELATIONS:
            raise UsageError(f"normproof: relation {name!r}; expected one of {', '.join(RELATIONS)}, or 'all'")
    return tuple(wanted)


class Holder:
    """Holds the relations of a case that passed; its judgements leave the report of the cases as it is."""

    def __init__(self, wanted, folder, glob, seconds, settings, offered_index):
        self.offered_index = offered_index
        self.wanted, self.seconds, self.judge = wanted, seconds, Corpus(folder, glob)
        for name, value in settings.items():
            self.judge.set(name, value)

    def hold(self, index, candidate, result):
        """A RelationResult of each relation."""
        if not result.passed:
            return [self._result(name, result.path, "declined") for name in self.wanted]
        index, _ = self.offered_index(self.judge, self.judge.select(index), index, candidate.taken)
        asked = Asked(self.judge, index, candidate, self.seconds)
        return [self._one(name, asked) for name in self.wanted]

    def _one(self, name, asked):
        try:
            RELATIONS[name].hold(asked)
        except NotApplicable as reason:
            return self._result(name, asked.case.path, "not_applicable", str(reason))
        except NotOffered as reason:
            return self._result(name, asked.case.path, "declined", str(reason))
        except (Broken, Unanswered) as reason:
            return self._result(name, asked.case.path, "broken", str(reason))
        except Exception as error:  # one relation fails, nothing else
            return self._result(name, asked.case.path, "broken",
                                f"{asked.candidate.title} raised {in_one_line(error)}; expected outputs")
        return self._result(name, asked.case.path, "held")

    @staticmethod
    def _result(name, path, outcome, sentence=""):
        return RelationResult(name, path, outcome, sentence, RELATIONS[name].issue)
