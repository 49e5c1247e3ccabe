"""Checks relations between calls, such as "the same call gives the same bits".

A relation needs no exact values. Most publicly known bugs of kernels break one.
"""
from __future__ import annotations

import dataclasses
import itertools
from typing import Callable, Iterator, Mapping, NamedTuple, Sequence

import numpy as np

from normproof import names, variants
from normproof.corpus import Case, Corpus
from normproof.dtypes import EIGHT_BITS
from normproof.errors import NotOffered, Unanswered, UsageError, in_one_line, text_of_error
from normproof.frameworks.loaded_module import Tensor
from normproof.invocation import Answer, Invocation, Variation
from normproof.isolation import without_expected_warnings
from normproof.limits import one_process, time_limit
from normproof.output_policy import is_gradient
from normproof.recertify import fit_case
from normproof.signature import find_buffer_parameter
from normproof.operations import computes_by_row, computes_by_sample
from normproof.stored import Stored, same_bits

MEAN_OVER_ROWS = ("cross_entropy",)  # a part of the rows has another mean
MAX_SPLITS = 16
MAX_MASKED_GRADIENTS = 5
# Outputs that have an axis of samples.
SAMPLE_OUTPUTS = ("y", "sum", "grad_x", "grad_residual", "grad_gate", "grad_q", "grad_k", "grad_v")
# Why other leading axes are no question to which all correct libraries give the same answer.
_FIXED_AXES = {"attention": "q, k and v have an axis of samples and one of heads, which mean something",
               "rope": "x has an axis of tokens, each of which has angles of its own",
               "cross_entropy": "of logits of other ranks libraries have the classes in other places"}


class NotApplicable(Exception):
    """The relation does not apply to this case or this implementation. The text is the reason."""


def _require_no_scales(case: Case) -> None:
    """Throws NotApplicable for a case of 8 bits, whose scales belong to its rows."""
    if case.dtype in EIGHT_BITS or any(stored.dtype in EIGHT_BITS for stored in case.tensors.values()):
        raise NotApplicable("tensors of 8 bits have scales, which belong to their rows")


class RelationBroken(Exception):
    """The relation does not hold. The text is one sentence about it."""


@dataclasses.dataclass
class RelationResult:
    """The result of one relation on one case.

    outcome   "held", "broken", "declined" or "not_applicable"
    issue     a public issue that the relation would have found
    """
    relation: str
    path: str
    outcome: str
    sentence: str = ""
    issue: str = ""

    @property
    def broken(self) -> bool:
        return self.outcome == "broken"

    def __str__(self) -> str:
        example = f" (such as {self.issue})" if self.issue else ""
        return f"{self.relation} {self.path}: {self.sentence}{example}"


def _computes_by_sample(case: Case) -> bool:
    """Whether each sample of a case is computed independently of the others."""
    by_running_statistics = not case.training and bool(names.state_names(case.op))
    return not case.sequence and (computes_by_sample(case.op) or by_running_statistics)


class RelationCase:
    """A case, an implementation and its outputs. Variants of the case are judged with a separate corpus handle."""

    def __init__(self, corpus: Corpus, index: int, invocation: Invocation, seconds: float | None) -> None:
        self.invocation, self.written = invocation, ""
        self._corpus, self._index, self._seconds = corpus, index, seconds
        self.case = corpus.select(index)
        self.memory: dict[str, Tensor] = {}  # the tensors of the first call
        outputs = self.answer(variation=Variation(memory=self.memory))
        self.outputs = {name: stored.like(stored.data.copy()) for name, stored in outputs.items()}

    def answer(self, case: Case | None = None, variation: Variation = Variation()) -> dict[str, Stored]:
        """Calls the implementation on a case (by default, this one) and returns its outputs. Also sets `written`."""
        self.written = ""
        with one_process(), without_expected_warnings(self.case), time_limit(self._seconds):
            answer: Answer = self.invocation.answer(case or self.case, variation)
        self.written = answer.written
        return answer.outputs

    def require_within(self, title: str, outputs: Mapping[str, Stored], only: str = "", corpus: Corpus | None = None,
                       index: int | None = None, case: Case | None = None) -> None:
        """Throws RelationBroken, with the title, if outputs are not within the bounds.

        The bounds are those of this case, or of a case of another handle. `only` are the outputs that are judged.
        """
        handle, policy, case = corpus or self._corpus, self.invocation.policy, case or self.case
        judged = policy.judged_outputs(case, outputs) if policy.depends_on_answer else policy.default_outputs
        handle.set("outputs", only or judged)
        handle.select(self._index if index is None else index)
        for name, stored in outputs.items():
            if policy.accepts(case, name):
                handle.answer(name, stored)
        verdict = handle.judge()
        if not verdict.passed:
            raise RelationBroken(f"{title}: {verdict.text}")

    def require_certified(self, title: str, case: Case, name: str, variation: Variation = Variation()) -> None:
        """Certifies a variant of this case under a name, and throws RelationBroken if its outputs are not within the bounds.

        Throws UsageError if the variant has no certified value.
        """
        with Corpus() as corpus:
            for setting, value in self.invocation.policy.tolerance_settings.items():
                corpus.set(setting, value)
            index = corpus.certify(name, case.op, case.training, variants.option_texts(case), case.sequence, case.tensors, 1)
            certified = case.replaced(case.tensors, outputs=corpus.select(index).outputs)
            self.require_within(title, self.answer(certified, variation), corpus=corpus, index=index, case=certified)

    def require_same_bits(self, outputs: Mapping[str, Stored], where: str) -> None:
        """Throws RelationBroken if the bits of an output differ from those that the original case gave."""
        for name, stored in self.outputs.items():
            if name not in outputs or not same_bits(stored, outputs[name]):
                raise RelationBroken(f"{name} has other bits {where}")

    @property
    def sample_count(self) -> int:
        """The number of samples. Throws NotApplicable if samples are not computed independently of each other."""
        _require_no_scales(self.case)
        samples = variants.sample_count(self.case)
        if self.case.sequence:
            raise NotApplicable("the case is a sequence of steps, each with the state of the one before")
        if samples is None or not _computes_by_sample(self.case):
            raise NotApplicable(f"{self.case.op} does not compute each sample alone")
        return samples


def check_strides(asked: RelationCase) -> None:
    """Checks that inputs and gradients may have any strides: transposed, sliced, channels last, or expanded."""
    framework = asked.invocation.framework
    if not framework.stride_layouts:
        raise NotApplicable(f"{framework.name} has no strides")
    for layout in framework.stride_layouts:
        def alter(name: str, tensor: Tensor, layout: str = layout) -> Tensor:
            return framework.strided(tensor, layout) if name in variants.LIKE_X else tensor
        asked.require_within(f"inputs that are {layout}", asked.answer(variation=Variation(alter=alter)))
    if "grad_y" in asked.case.tensors and asked.invocation.differentiates and not asked.case.sequence:
        _check_expanded_gradient(asked)


def _check_expanded_gradient(asked: RelationCase) -> None:
    """Checks that grad_y may be one number with stride 0, as for a plain sum. Certifies this case first."""
    framework = asked.invocation.framework
    grad_y = asked.case.tensors["grad_y"]
    constant = grad_y.like(np.full(grad_y.shape, grad_y.data.ravel()[0]))
    if not np.isfinite(np.asarray(constant.widened(), np.float64)).all():
        return
    case = asked.case.replaced({**asked.case.tensors, "grad_y": constant})

    def alter(name: str, tensor: Tensor) -> Tensor:
        return framework.expanded(tensor) if name == "grad_y" else tensor
    asked.require_certified("grad_y expanded with stride 0", case, "expanded", Variation(alter=alter))


def check_rank(asked: RelationCase) -> None:
    """Checks that x may have rank 2, 3 or 4."""
    case = asked.case
    _require_no_scales(case)
    if "x" not in case.tensors or not computes_by_row(case.op):
        raise NotApplicable(_FIXED_AXES.get(case.op, f"{case.op} has no x whose rows it computes each alone"))
    if case.sequence:
        raise NotApplicable("the case is a sequence of steps, which is one axis more")
    shape = case.tensors["x"].shape
    rows = int(np.prod(shape[:-1]))
    for leading in ((rows,), (1, rows), (rows, 1), (1, rows, 1)):
        if (*leading, shape[-1]) == shape:
            continue
        outputs = asked.answer(variants.reshaped(case, leading))
        asked.require_within(f"x of shape {[*leading, shape[-1]]}", variants.reshaped_back(case, outputs))


def check_gradient_subsets(asked: RelationCase) -> None:
    """Checks that any subset of the gradients may be requested."""
    invocation = asked.invocation
    if (not invocation.differentiates or invocation.backward is not None or "grad_y" in invocation.read_names
            or asked.case.sequence):
        raise NotApplicable("the gradients are not taken by a framework, which can be asked for some of them")
    leaves = [name[len("grad_"):] for name in asked.outputs if is_gradient(name)]
    if len(leaves) > MAX_MASKED_GRADIENTS:
        raise NotApplicable(f"{len(leaves)} gradients have too many subsets")
    for count in range(1, len(leaves)):
        for wanted in itertools.combinations(leaves, count):
            outputs = asked.answer(variation=Variation(wanted=wanted))
            unwanted = [name for name in outputs if is_gradient(name) and name[len("grad_"):] not in wanted]
            title = f"gradients of {' and '.join(wanted)} alone"
            if unwanted:
                raise RelationBroken(f"{title}: {unwanted[0]} is there too")
            asked.require_within(title, outputs, ",".join(["y", *("grad_" + name for name in wanted)]))


def check_inputs_unchanged(asked: RelationCase) -> None:
    """Checks that the call does not write to its inputs. normproof.check also does this for every case."""
    if asked.written:
        raise RelationBroken(asked.written)


def check_aliasing(asked: RelationCase) -> None:
    """Checks that y may be written into a given buffer, and into x itself."""
    framework = asked.invocation.framework
    _check_buffers(asked, {"a buffer of its own": lambda x: variants.buffer_like(framework, x),
                           "x itself": lambda x: x})


def check_strided_output(asked: RelationCase) -> None:
    """Checks that the argument out= may be a buffer that is not contiguous."""
    framework = asked.invocation.framework
    if not framework.stride_layouts:
        raise NotApplicable(f"{framework.name} has no strides")
    _check_buffers(asked, {"a transposed buffer": lambda x: framework.strided(variants.buffer_like(framework, x),
                                                                              "transposed")})


def _check_buffers(asked: RelationCase, buffers: Mapping[str, Callable[[Tensor], Tensor]]) -> None:
    invocation = asked.invocation
    parameter = find_buffer_parameter(invocation.fn)
    if parameter is None or invocation.makes_module or asked.case.sequence:
        raise NotApplicable(f"{invocation.title} is not asked where it writes: it is a module, the case a sequence of steps, or "
                            "it has no argument out or inplace")
    for title, make in buffers.items():
        if parameter != "out" and title != "x itself":
            continue
        outputs = asked.answer(variation=Variation(buffer=make, forward_only=True))
        asked.require_within(f"{parameter}= {title}", outputs, "y")


def check_repeat(asked: RelationCase) -> None:
    """Checks that a call returns the same bits again after a call with other numbers."""
    asked.answer(variants.with_other_numbers(asked.case))
    asked.require_same_bits(asked.answer(), "when it is asked again")


def check_new_numbers(asked: RelationCase) -> None:
    """Checks that a call has the values of its own inputs after a call of the same shape with other numbers.

    The second call has the rows of the first in another order, but the same first row. It has the same tensors, which are
    overwritten in between if the framework allows that. Its exact values are certified on the spot.
    """
    case = asked.case
    _require_no_scales(case)
    if case.sequence:
        raise NotApplicable("the case is a sequence of steps, each of which is a call with other numbers")
    over_rows = names.has_statistics_over_rows(case.op)
    by_sample = over_rows and computes_by_sample(case.op)
    other = variants.with_rows_moved(case, by_sample, over_rows and not by_sample)
    if other is None:
        rows = "samples" if by_sample else "channels" if over_rows else "rows"
        raise NotApplicable(f"it has fewer than two {rows} that differ and have no mask")
    try:
        asked.require_certified("after a call of the same shape with other numbers", other, "new_numbers",
                                Variation(memory=asked.memory))
    except UsageError as reason:
        raise NotApplicable(f"the case with other numbers has no certified value: {reason}") from None


def check_batch(asked: RelationCase) -> None:
    """Checks that samples may be split into two calls: y and the gradients of inputs must stay within their bounds.

    If the output is a mean over all rows, each part is judged by the bound of that part.
    """
    if asked.case.op in MEAN_OVER_ROWS:
        _check_parts(asked)
        return
    for at, outputs in _split_outputs(asked):
        asked.require_within(f"samples split at {at}", outputs, ",".join(outputs))


def _check_parts(asked: RelationCase) -> None:
    """Certifies and judges the two parts of every split. A part without a value, such as ignored rows, is left out."""
    case, any_certified = asked.case, False
    for at in _split_points(variants.sample_count(case) or 0):
        for rows, part in ((f"0 to {at - 1}", slice(0, at)), (f"{at} on", slice(at, None))):
            try:
                asked.require_certified(f"rows {rows} alone", variants.select_samples(case, part), "part")
            except UsageError:
                continue
            any_certified = True
    if not any_certified:
        raise NotApplicable("no part of its rows has a value")


def check_batch_bitwise(asked: RelationCase) -> None:
    """Checks that samples may be split into two calls: y and the gradients of inputs must keep their bits."""
    if asked.case.op in MEAN_OVER_ROWS:
        raise NotApplicable(f"{asked.case.op} is a mean over all rows: a part of them has other values")
    for at, outputs in _split_outputs(asked):
        for name, stored in outputs.items():
            if not same_bits(stored, asked.outputs[name]):
                where = variants.first_difference(stored, asked.outputs[name])
                raise RelationBroken(f"samples split at {at}: {name} at {where} has other bits")


def _split_outputs(asked: RelationCase) -> Iterator[tuple[int, dict[str, Stored]]]:
    """Yields each split point with the concatenated outputs of the two parts."""
    for at in _split_points(asked.sample_count):
        parts = [asked.answer(variants.select_samples(asked.case, part)) for part in (slice(0, at), slice(at, None))]
        yield at, {name: Stored(parts[0][name].dtype, np.concatenate([part[name].data for part in parts]))
                   for name in SAMPLE_OUTPUTS if name in asked.outputs}


def _split_points(samples: int) -> Sequence[int]:
    if samples < 2:
        raise NotApplicable("one sample has no parts")
    return range(1, samples) if samples <= MAX_SPLITS else sorted({1, 2, samples // 3, samples // 2, samples - 1})


def check_compiled(asked: RelationCase) -> None:
    """Checks that the function may be compiled. In JAX, which always compiles, runs operations one by one instead."""
    framework = asked.invocation.framework
    uncompiled = framework.uncompiled()
    if uncompiled is not None:
        with uncompiled:
            asked.require_within("without compilation", asked.answer())
        return
    function = framework.compiled(asked.invocation.fn)
    if function is None:
        raise NotApplicable(f"{framework.name} compiles no function here")
    variation = Variation(compiles=True) if asked.invocation.makes_module else Variation(function=function)
    asked.require_within("compiled", asked.answer(variation=variation))


def check_empty(asked: RelationCase) -> None:
    """Checks that for an empty batch y is empty and the gradients of parameters are 0."""
    if asked.case.op in MEAN_OVER_ROWS:
        raise NotApplicable(f"{asked.case.op} is a mean over all rows: that of none is 0/0, which libraries answer otherwise")
    asked.sample_count  # throws NotApplicable
    outputs = asked.answer(variants.select_samples(asked.case, slice(0, 0)))
    for name in SAMPLE_OUTPUTS:
        if name in outputs and name in asked.outputs:
            expected = (0, *asked.outputs[name].shape[1:])
            if outputs[name].shape != expected:
                raise RelationBroken(f"no samples: {name} is {list(outputs[name].shape)}; expected {list(expected)}")
    for name in ("grad_gamma", "grad_beta"):
        if name in outputs and np.any(outputs[name].widened() != 0):
            raise RelationBroken(f"no samples: {name} is not 0")


def check_streams(asked: RelationCase) -> None:
    """Checks that the outputs have the same bits on a stream other than the default one."""
    side = asked.invocation.framework.side_stream(asked.invocation.device)
    if side is None:
        raise NotApplicable(f"{asked.invocation.device} has one stream alone")
    with side:
        again = asked.answer()
    asked.require_same_bits(again, "on another stream")


class Relation(NamedTuple):
    """A relation: a function that throws RelationBroken, and public issues that it would have found."""
    hold: Callable[[RelationCase], None]
    issue: str


RELATIONS = {
    "strides": Relation(check_strides, "unslothai/unsloth#10675, flagos-ai/FlagGems#1068, Dao-AILab/quack#88"),
    "rank": Relation(check_rank, "flagos-ai/FlagGems#5392"),
    "grad_mask": Relation(check_gradient_subsets, "pytorch/pytorch#183825"),
    "inputs_unchanged": Relation(check_inputs_unchanged, "unslothai/unsloth#4550"),
    "aliasing": Relation(check_aliasing, "ggml-org/ggml#1519"),
    "outputs": Relation(check_strided_output, "pytorch/pytorch#84762"),
    "repeat": Relation(check_repeat, "Dao-AILab/flash-attention#781"),
    "new_numbers": Relation(check_new_numbers, "ooples/AiDotNet.Tensors#304"),
    "batch": Relation(check_batch, "flagos-ai/FlagGems#59"),
    "batch_bitwise": Relation(check_batch_bitwise, "vllm-project/vllm#48391"),
    "compiled": Relation(check_compiled, "pytorch/pytorch#186577"),
    "empty": Relation(check_empty, "tensorflow/tensorflow#46366"),
    "streams": Relation(check_streams, "pytorch/pytorch#22470, NVIDIA/cudnn-frontend#483"),
}
BY_NAME_ONLY = ("batch_bitwise",)  # not part of "all", because not every correct library promises it


def parse_relations(relations: str | Sequence[str]) -> tuple[str, ...]:
    """Returns the names of relations in "all", in a text separated by commas, or in a list.

    Throws UsageError for an unknown name.
    """
    if relations == "all":
        return tuple(name for name in RELATIONS if name not in BY_NAME_ONLY)
    wanted = [name.strip() for name in relations.split(",")] if isinstance(relations, str) else list(relations)
    for name in wanted:
        if name not in RELATIONS:
            raise UsageError(f"normproof: relation {name!r}; expected one of {', '.join(RELATIONS)}, or 'all'")
    return tuple(wanted)


class RelationChecker:
    """Checks relations on cases that passed. Its own corpus handle leaves the report of the cases unchanged."""

    def __init__(self, wanted: Sequence[str], corpus: Corpus, seconds: float | None, settings: Mapping[str, str]) -> None:
        self._wanted, self._seconds, self._corpus = wanted, seconds, corpus
        for name, value in settings.items():
            corpus.set(name, value)

    def check(self, index: int, invocation: Invocation, path: str, passed: bool) -> list[RelationResult]:
        """Returns the result of each relation on the case with this index. `passed`: whether the case passed."""
        if not passed:
            return [self._result(name, path, "declined") for name in self._wanted]
        invocation = dataclasses.replace(invocation, declines_shapes=False)  # it takes the shape of a case that passed
        index, _ = fit_case(self._corpus, self._corpus.select(index), index, invocation.read_names, invocation.own_options)
        try:
            asked = RelationCase(self._corpus, index, invocation, self._seconds)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # the case passed, but the same call fails now
            reason = str(error) if isinstance(error, Unanswered) else f"{invocation.title} raised {in_one_line(error)}"
            return [self._result(name, path, "broken", f"the case again: {reason}") for name in self._wanted]
        return [self._check_one(name, asked) for name in self._wanted]

    def _check_one(self, name: str, asked: RelationCase) -> RelationResult:
        try:
            RELATIONS[name].hold(asked)
        except NotApplicable as reason:
            return self._result(name, asked.case.path, "not_applicable", str(reason))
        except NotOffered as reason:
            return self._result(name, asked.case.path, "declined", text_of_error(reason))
        except (RelationBroken, Unanswered) as reason:
            return self._result(name, asked.case.path, "broken", str(reason))
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # one relation fails, and no other
            return self._result(name, asked.case.path, "broken",
                                f"{asked.invocation.title} raised {in_one_line(error)}")
        return self._result(name, asked.case.path, "held")

    @staticmethod
    def _result(name: str, path: str, outcome: str, sentence: str = "") -> RelationResult:
        return RelationResult(name, path, outcome, sentence, RELATIONS[name].issue)
