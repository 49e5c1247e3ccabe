"""normproof.agree: compares two implementations with each other, and both with the exact values."""
from __future__ import annotations

import dataclasses
import os
from typing import Any, Callable, Mapping, Sequence

import numpy as np

from normproof import agreement_page
from normproof.arguments import describe_value, require_arguments
from normproof.checking import canonical_op, fullest_case, open_corpus, prepare_checked, select_cases
from normproof.corpus import Case, Corpus, ExpectedOutput
from normproof.dtypes import FLOATS, dtype_names, has_eight_bits
from normproof.errors import NotOffered, Unanswered, UsageError, in_one_line, text_of_error
from normproof.invocation import Invocation
from normproof.isolation import InProcess
from normproof.provenance import current_date, describe_run
from normproof.recertify import fit_case
from normproof.report import frame_page, write_form
from normproof.repro import Call, changed_arguments
from normproof.signature import EVERYTHING
from normproof.stored import Array, Stored, same_bits

MAX_LISTED = 8


@dataclasses.dataclass
class OutputAgreement:
    """The comparison of one output of one case. Errors are errors over the bound.

    differing           the number of elements that differ
    error_a, error_b    the largest error of each implementation
    mean_a, mean_b      the mean error
    """
    path: str
    output: str
    same_bits: bool
    differing: int
    elements: int
    error_a: float
    error_b: float
    mean_a: float
    mean_b: float

    @property
    def nearer(self) -> str:
        """ The implementation whose mean and largest error are both smaller, "a" or "b"; "" if there is none."""
        if self.same_bits or (self.error_a, self.mean_a) == (self.error_b, self.mean_b):
            return ""
        if self.error_a <= self.error_b and self.mean_a <= self.mean_b:
            return "a"
        if self.error_a >= self.error_b and self.mean_a >= self.mean_b:
            return "b"
        return ""

    def __str__(self) -> str:
        if self.same_bits:
            return f"{self.path} {self.output}: the same bits"
        return (f"{self.path} {self.output}: {self.differing:,} of {self.elements:,} elements differ; error over the "
                f"bound at most {self.error_a:.3g} and {self.error_b:.3g}, mean {self.mean_a:.3g} and {self.mean_b:.3g}")


class Agreement:
    """The comparison of two implementations. `bool(agreement)`: every output of every case has the same bits."""

    def __init__(self, a: str, b: str, op: str, facts: Mapping[str, str] | None = None) -> None:
        """`facts` are shown on the page: what was compared, where and when, and the command."""
        self.a, self.b, self.op, self.facts = a, b, op, dict(facts or {})
        self.outputs: list[OutputAgreement] = []
        self.unanswered: list[str] = []

    @property
    def same_bits(self) -> bool:
        return bool(self.outputs) and not self.unanswered and all(output.same_bits for output in self.outputs)

    def __bool__(self) -> bool:
        return self.same_bits

    @property
    def nearer(self) -> dict[str, int]:
        """For "a", "b" and "" (neither): the number of differing outputs in which it is more accurate."""
        counts = {"a": 0, "b": 0, "": 0}
        for output in self.outputs:
            if not output.same_bits:
                counts[output.nearer] += 1
        return counts

    def _sorted_outputs(self) -> list[OutputAgreement]:
        """Returns the outputs that differ, those with the largest error first, and then the outputs of equal bits."""
        return sorted(self.outputs, key=lambda output: (output.same_bits, -max(output.error_a, output.error_b)))

    def verdict(self) -> str:
        """Returns the last line of the text: whether all bits are the same, and which implementation is more accurate."""
        same, nearer = sum(output.same_bits for output in self.outputs), self.nearer
        errors = [max((getattr(output, name) for output in self.outputs), default=0.0) for name in ("error_a", "error_b")]
        return (f"{'SAME BITS' if self.same_bits else 'DIFFER'}: {same:,} of {len(self.outputs):,} outputs have the "
                f"same bits; nearer the truth: a in {nearer['a']:,}, b in {nearer['b']:,}, neither in "
                f"{nearer['']:,}; largest error over the bound: a {errors[0]:.3g}, b {errors[1]:.3g}")

    def __str__(self) -> str:
        lines = [f"a: {self.a}", f"b: {self.b}", f"op: {self.op}", *self.unanswered]
        differing = [output for output in self._sorted_outputs() if not output.same_bits]
        lines += [str(output) for output in differing[:MAX_LISTED]]
        if len(differing) > MAX_LISTED:
            lines.append(f"... {len(differing) - MAX_LISTED:,} more outputs differ, less far from the truth")
        return "\n".join([*lines, self.verdict()]) + "\n"

    def html(self, file: str | os.PathLike[str] | None = None) -> str:
        """Returns a self-contained page with a row for each output. Also writes it to a file if one is given."""
        return write_form(agreement_page.page(self.verdict(), self.facts, self.unanswered, self._sorted_outputs()), file)

    def markdown(self, file: str | os.PathLike[str] | None = None) -> str:
        """Returns the rows of the page as Markdown. Also writes it to a file if one is given."""
        return write_form(agreement_page.markdown(self.verdict(), self.facts, self.unanswered, self._sorted_outputs()), file)

    def _repr_html_(self) -> str:
        return frame_page(self.html())


def agree(engine_a: Callable[..., Any], engine_b: Callable[..., Any], op: str, *, dtype: Any = "float32",
          device: Any = "cpu", tier: str = "quick", outputs: str | Sequence[str] | None = None, backward: Any = None,
          arguments: Any = None, only: str | Sequence[str] | None = None, framework: Any = None, layout: Any = None,
          seconds: float | None = 60) -> Agreement:
    """Runs two implementations on the same cases: do they return the same bits, and which is more accurate?

    device, backward, arguments, framework and layout are one value for both, or a tuple of two. The other arguments
    are those of normproof.check. A gamma or beta that one of them does not receive is left out for both. `outputs`
    are the compared outputs, which both must return if a case has them; None for what both returned.

    Returns an Agreement. Throws UsageError as normproof.check does, and if both are offered no case.
    """
    changed = changed_arguments(agree, locals())
    _require_pairs(device=device, backward=backward, arguments=arguments, framework=framework, layout=layout)
    for i in range(2):
        require_arguments({**locals(), "backward": _select(backward, i), "arguments": _select(arguments, i)})
    if has_eight_bits(dtype_names(dtype)):
        raise UsageError(f"normproof.agree: dtype={dtype!r}; expected one or several of {', '.join(FLOATS)}")
    op = canonical_op(op)
    corpus = open_corpus(op, tier)
    selected = select_cases(corpus, op, dtype, only, tier)
    example = corpus.select(fullest_case(corpus, selected))
    invocations = []
    for i, fn in enumerate((engine_a, engine_b)):
        invocation, ask_again = prepare_checked(
            fn, op, corpus, example, dtype, framework=_select(framework, i), device=_select(device, i),
            arguments=_select(arguments, i), outputs=outputs, backward=_select(backward, i), layout=_select(layout, i),
            isolate=False, seconds=seconds)
        invocations.append(ask_again(invocation, example))
        invocations[-1].require_needed()
    read = _shared_names(*(invocation.read_names for invocation in invocations))
    corpus.set("outputs", invocations[0].policy.default_outputs if outputs else "")
    call = Call(engine_a, op, {**changed, "dtype": dtype_names(dtype), "tier": tier}, "agree", others=(engine_b,))
    agreement = Agreement(invocations[0].title, invocations[1].title, op, _describe_pair(invocations, call))
    own_options = {name: value for invocation in invocations for name, value in invocation.own_options.items()}
    declined: list[str] = []
    for index in selected:
        index, _ = fit_case(corpus, corpus.select(index), index, read, own_options)
        case = corpus.select(index)
        answers = _answer_both(agreement, case, invocations, seconds, declined)
        if len(answers) == 2:
            _compare(agreement, corpus, case, invocations, answers)
    if not agreement.outputs and not agreement.unanswered:
        policy = invocations[0].policy
        raise UsageError(f"normproof.agree: no case of {op} is offered by both {agreement.a} and {agreement.b}: "
                         + (declined[0] if declined else f"none has {', '.join(policy.named or [policy.main])}"))
    return agreement


def _describe_pair(invocations: Sequence[Invocation], call: Call) -> dict[str, str]:
    """Returns the facts of a comparison by name: a, b, operation, date and command."""
    facts = {name: f"{run['candidate']}, {run['framework']} {run.get('version', '')} on {run['device']}".replace("  ", " ")
             for name, run in zip("ab", (describe_run(invocation, "") for invocation in invocations))}
    return {**facts, "operation": invocations[0].op, "date": current_date(), "command": call.command()}


def _shared_names(one: frozenset[str], other: frozenset[str]) -> frozenset[str]:
    """Returns the names of tensors and options that both implementations receive. EVERYTHING stands for all names."""
    return other if EVERYTHING in one else one if EVERYTHING in other else one & other


def _require_pairs(**given: Any) -> None:
    for name, value in given.items():
        if isinstance(value, tuple) and len(value) != 2:
            raise UsageError(f"normproof: {name}={describe_value(value)}; expected one for both, or a tuple of two")


def _select(value: Any, index: int) -> Any:
    """Returns element `index` of a pair, or the value itself if it is not a pair."""
    return value[index] if isinstance(value, tuple) else value


def _answer_both(agreement: Agreement, case: Case, invocations: Sequence[Invocation], seconds: float | None,
                 declined: list[str]) -> list[dict[str, Stored]]:
    """Returns the outputs of both, or fewer if one declines the case or fails; the reason is noted."""
    answers: list[dict[str, Stored]] = []
    for invocation in invocations:
        try:
            invocation.require_offered(case)
            answers.append(InProcess(invocation, seconds)(case).outputs)
        except NotOffered as reason:
            declined.append(text_of_error(reason))
            break
        except Unanswered as reason:
            agreement.unanswered.append(f"{case.path}: {invocation.title}: {reason}")
            break
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            agreement.unanswered.append(f"{case.path}: {invocation.title} raised {in_one_line(error)}")
            break
    return answers


def _compare(agreement: Agreement, corpus: Corpus, case: Case, invocations: Sequence[Invocation],
             answers: Sequence[Mapping[str, Stored]]) -> None:
    """Compares the outputs of the two implementations.

    Each must return every output that `outputs=` names and the case has.
    """
    expected, policy = corpus.expect(), invocations[0].policy
    a, b = answers
    wanted = [name for name in policy.named or sorted(set(a) & set(b)) if name in expected]
    required = wanted if policy.named else wanted or [policy.main]
    for invocation, outputs in zip(invocations, answers):
        missing = [name for name in required if name not in outputs]
        if missing:
            agreement.unanswered.append(f"{case.path}: {invocation.title} returned no {missing[0]}; expected "
                                        f"{', '.join(required)}")
            return
    for name in wanted:
        if a[name].shape != b[name].shape or a[name].shape != expected[name].shape:
            agreement.unanswered.append(f"{case.path}: {name} is {list(a[name].shape)} and {list(b[name].shape)}; "
                                        f"expected {list(expected[name].shape)}")
            continue
        shares = [_shares(stored, expected[name]) for stored in (a[name], b[name])]
        one, other = a[name].widened(), b[name].widened()
        differing = int(np.sum((one != other) & ~((one != one) & (other != other))))
        same = same_bits(a[name], b[name])
        largest = [float(share.max(initial=0.0)) for share in shares]
        mean = [float(share.mean()) if share.size else 0.0 for share in shares]
        agreement.outputs.append(OutputAgreement(case.path, name, same, differing if differing or same else one.size,
                                                 one.size, *largest, *mean))


def _shares(stored: Stored, expected: ExpectedOutput) -> Array:
    """Returns the ratio of error to bound of each element.

    It is 0 if the output and the exact value are NaN, or both -infinity, and infinite if only one of them is.
    """
    with np.errstate(all="ignore"):
        got = np.asarray(stored.widened(), np.longdouble)
        error = np.abs((got - expected.value) - expected.remainder).astype(np.float64)
        share = np.where(error == 0, 0.0, error / expected.bound)
    undefined, infinite = np.isnan(expected.value), np.isinf(expected.value)
    share = np.where(undefined, np.where(np.isfinite(got), np.inf, 0.0), share)
    share = np.where(infinite, np.where(got == expected.value, 0.0, np.inf), share)
    return np.where(np.isnan(share), np.inf, share)
