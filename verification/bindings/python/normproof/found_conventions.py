"""Finds the convention that a function follows if it fails under the default one.

Libraries differ in conventions: where eps is added, in which order a norm rounds. A function that follows another convention
than the default is not wrong, and its caller need not know the name of the convention before.
"""
from __future__ import annotations

import collections
import contextlib
import types
import warnings
from typing import Any, Callable, Collection, Iterable, Iterator, Mapping, Sequence

import numpy as np

from normproof import names
from normproof.errors import ConventionWarning, UsageError
from normproof.function_code import outer_variables
from normproof.report import CaseResult, Report
from normproof.signature import EVERYTHING
from normproof.sources import SourceWriter

Convention = Mapping[str, Any]
MAX_EPS = 1e-3  # a larger number in the code of a function is no eps
EPS_BY_DEFAULT = {"normalize": 1e-12}  # the default eps of library functions, by name
# Conventions of two options, of which the gate finds neither alone.
JOINT: Mapping[str, Sequence[Convention]] = {"attention": ({"causal": True, "mask_corner": "top_left"},)}
MAX_CHOICES = 3  # options of the gate that are tried, the most frequent ones
MAX_DEPTH = 3  # conventions that a function follows at once
MIN_JUDGED = 3  # cases that must be judged for a convention to be found, or all that were judged without it
ACCURACIES = ("flush_subnormals",)  # a less accurate arithmetic is no convention


def text_of(convention: Convention) -> str:
    """Returns a convention as the arguments of a call: "eps=1e-12, eps_placement='floor'"."""
    return ", ".join(f"{name}={SourceWriter().text(value, name)}" for name, value in sorted(convention.items()))


def divide(convention: Convention, arguments: Collection[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Divides a convention into those of these arguments of check or judge, and the options of the operation."""
    return ({name: value for name, value in convention.items() if name in arguments},
            {name: value for name, value in convention.items() if name not in arguments})


def list_conventions(report: Report, given: Collection[str]) -> list[Convention]:
    """Returns the conventions under which the failed cases of a report may pass, the likeliest first.

    They are the options for which the gate says that an answer is right, the dtype of a loss, for a function that receives
    no eps, the numbers in its code, and for statistics over rows, an x that is a matrix.
    given   the names that the caller said something about, which stay as they are
    """
    invocation = report.invocation
    decided = {*given, *invocation.read_names}
    choices = [*fitting_choices(report, decided), *(one for one in JOINT.get(invocation.op, ()) if not decided & set(one))]
    if names.has_statistics_over_rows(invocation.op) and "layout" not in decided:
        choices.append({"layout": "NC"})
    if "eps" not in names.option_names(invocation.op) or {"eps", EVERYTHING} & decided:
        return choices
    default: Convention = {}
    eps = list(dict.fromkeys(small_numbers(invocation.fn)))
    found_by_eps: list[Convention] = [{**choice, "eps": one} for one in eps for choice in (default, *choices)]
    return [*choices, *found_by_eps]


def fitting_choices(report: Report, decided: Collection[str]) -> list[Convention]:
    """Returns the options for which failed cases are right, the most frequent first, except for what is decided."""
    found: collections.Counter[tuple[str, Any]] = collections.Counter()
    for result in report.failures:
        for option in result.fitting_options:
            found[option] += option[0] not in decided and option[0] not in ACCURACIES
        if "loss_dtype" not in decided and has_loss_of_logits(result):
            found["loss_dtype", "logits"] += 1
    return [{name: value} for (name, value), count in found.most_common(MAX_CHOICES) if count]


def has_loss_of_logits(result: CaseResult) -> bool:
    """Whether a case of 16 bits failed because the loss has the dtype of its logits."""
    return result.path.endswith(("-float16", "-bfloat16")) and any(
        tensor.get("name") == "loss" and str(tensor.get("problem", "")).startswith("has dtype") for tensor in result.tensors)


def small_numbers(fn: Any) -> list[float]:
    """Returns the numbers above 0 and up to MAX_EPS that the code of a function names, or of the methods of a class.

    They are constants, defaults of parameters, variables that the function closes over, and the eps of library functions.
    """
    functions = [getattr(fn, "__func__", fn)]
    if isinstance(fn, type):
        functions = [member for member in vars(fn).values() if isinstance(member, types.FunctionType)]
    found: list[float] = []
    for function in functions:
        if not isinstance(function, types.FunctionType):
            continue
        found += _small([*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()])
        outside = outer_variables(function)
        codes = [function.__code__]
        for code in codes:  # grows while it is read
            codes += [constant for constant in code.co_consts if isinstance(constant, types.CodeType)]
            read = (*code.co_names, *code.co_freevars)
            found += _small([*code.co_consts, *(outside.get(name) for name in read), *map(EPS_BY_DEFAULT.get, read)])
    return found


def _small(values: Iterable[Any]) -> list[float]:
    return [float(value) for value in values if isinstance(value, (float, np.floating)) and 0 < value <= MAX_EPS]


def follow_convention(report: Report, given: Collection[str], judge_failed: Callable[[Convention], Report],
                      judge_all: Callable[[Convention], Report]) -> Report:
    """Returns the report under the convention that the function follows, or `report` if none explains its failures.

    The function follows a convention if at most max_unexplained cases fail with it.
    Then the report says so, and a ConventionWarning is given.
    given          the names that the caller said something about
    judge_failed   judges the failed cases under a convention, until more than max_unexplained fail
    judge_all      judges all cases under a convention
    """
    waiting = list_conventions(report, given)
    tried: list[Convention] = []
    while waiting:
        convention = waiting.pop(0)
        tried.append(convention)
        with _silence():
            try:
                found = judge_failed(convention)
                if not explains(found, report, 1):  # a second convention may be at work
                    more = [{**convention, **choice} for choice in fitting_choices(found, {*given, *convention})]
                    waiting = [*(one for one in more if one not in tried and len(one) <= MAX_DEPTH), *waiting]
                    continue
                other = judge_all(convention)
            except UsageError:  # the operation has no such case
                continue
        if not explains(other, report):
            continue
        other.followed = describe_followed(convention, report, other)
        warnings.warn(other.followed, ConventionWarning, stacklevel=3)
        return other
    return report


def warn_of_found_options(report: Report, options: Collection[str]) -> None:
    """Says in a report which options a function has, as calls of it showed, and gives a ConventionWarning.

    options   the options that the caller says
    """
    found = {name: value for name, value in report.invocation.declared_options.items() if name not in options}
    if found:
        text = text_of(found)
        report.followed = f"{report.title} follows {text}, as calls of it show. Pass {text} if this is intended"
        warnings.warn(report.followed, ConventionWarning, stacklevel=3)


def max_unexplained(report: Report) -> int:
    """Returns how many failed cases of a report may fail under a convention, too: one in ten, for another reason."""
    return len(report.failures) // 10


def explains(found: Report, report: Report, min_judged: int = MIN_JUDGED) -> bool:
    """Whether the convention of the report `found`, which has some of the cases, explains the failures of another report."""
    return (len(found.failures) <= max_unexplained(report) and not any(relation.broken for relation in found.relations)
            and _count_judged(found.results) >= min(min_judged, _count_judged(report.results)))


def describe_followed(convention: Convention, report: Report, other: Report) -> str:
    """Returns the sentence about a convention that was found. `report` is that of the default convention."""
    text = text_of(convention)
    cases = _count_judged(report.results)
    failed = "the case fails" if cases == 1 else f"{len(report.failures):,} of {cases:,} cases fail"
    left = f"{len(other.failures):,}" if other.failures else "none"
    return (f"{other.title} follows {text}: by default {failed}, and with it {left}. Pass {text} if this is intended, or "
            "strict=True to judge the default")


def _count_judged(results: Sequence[CaseResult]) -> int:
    return sum(not result.declined for result in results)


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """Ignores the warnings of calls that only try a convention."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def has_numbers(report: Report) -> bool:
    """Whether cases failed, and by their numbers rather than by exceptions, so that a convention may explain them."""
    without = sum(not result.tensors for result in report.failures)
    return bool(report.failures) and without <= max_unexplained(report)
