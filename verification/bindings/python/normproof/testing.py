"""normproof.cases makes one test per case under pytest; normproof.case returns one case by its path."""
from __future__ import annotations

import functools
import os
import shlex
import sys
from typing import Any, Callable, Mapping, Sequence

from normproof import folders
from normproof.arguments import require_arguments
from normproof.checking import (canonical_op, fail_if_broken, find_other_invocation, give_answer, open_corpus,
                                prepare_checked, select_cases)
from normproof.conventions import Observations, describe_conventions
from normproof.corpus import Case, Corpus
from normproof.dtypes import dtype_names
from normproof.errors import Mismatch, UsageError
from normproof.invocation import Invocation
from normproof.isolation import start_runner
from normproof.own_options import require_certifiable, require_own_options
from normproof.relations import RelationChecker, parse_relations
from normproof.report import CaseResult, Report
from normproof.repro import Call, changed_arguments


def cases(op: str, *, dtype: Any = "float32", tier: str | None = None, only: str | Sequence[str] | None = None) -> Any:
    """Returns a mark of pytest that repeats a test for each case. The test has a parameter `case`.

    The id of each test is the path of its case.

    dtype   one or several
    tier    "quick", "standard" or "full"; None for what --normproof-tier says
    only    one or several globs, as for normproof.check

        @normproof.cases("rms_norm", dtype="bfloat16")
        def test_rms_norm(case):
            case.check(lambda x, gamma: my_kernels.rms_norm(x, gamma, case.eps))
    """
    import pytest
    op = canonical_op(op)
    dtypes = dtype_names(dtype)
    if tier not in (None, *folders.TIERS):
        raise UsageError(f"normproof: tier={tier!r}; expected one of {', '.join(folders.TIERS)}")
    return pytest.mark.normproof(op=op, dtype=dtypes, tier=tier, only=only)


def case(path: str) -> Case:
    """Returns the case of a path, such as "quick/layer_norm/odd-13x17-float32".

    Throws UsageError if there is none.
    """
    parts = str(path).split("/")
    if len(parts) != 3:
        raise UsageError(f"normproof.case: {path!r}; expected <tier>/<op>/<case>, as quick/layer_norm/odd-13x17-float32")
    corpus = _open_once(parts[0], parts[1])
    if path not in corpus.paths():
        raise UsageError(f"normproof.case: there is no {path}; expected one of {parts[0]}/{parts[1]}")
    return corpus.select(corpus.paths().index(path), check_case)


@functools.lru_cache(maxsize=None)
def _open_once(tier: str, op: str) -> Corpus:
    """Returns an open corpus from which cases are only read; no case is judged with it."""
    return open_corpus(op, tier)


def selected_paths(op: str, dtype: Any, tier: str, only: str | Sequence[str] | None) -> list[str]:
    """Returns the paths of the cases of a parametrized test, in ascending order."""
    corpus = _open_once(tier, op)
    paths = corpus.paths()
    return [paths[index] for index in select_cases(corpus, op, dtype, only, tier)]


def check_case(asked: Case, fn: Callable[..., Any], *, device: str = "cpu", outputs: str | Sequence[str] | None = None,
               backward: Callable[..., Any] | None = None, arguments: Any = None, framework: str | None = None,
               layout: str | None = None, relations: str | Sequence[str] = (), isolate: bool = False,
               seconds: float | None = 60, accumulation: str = "", formula: str = "", cast_order: str = "", loss_dtype: str = "",
               scale_rounding: str = "",
               strict: bool = False, flush_subnormals: bool = False, skip_diagnosis: bool = False,
               writes: Mapping[str, str] | None = None, **options: Any) -> Report:
    """Implements case.check. What the function reads of the case by itself, such as case.eps, counts as received."""
    require_arguments(locals())
    changed = changed_arguments(check_case, locals())
    asked.read.clear()
    tier, op = asked.path.split("/")[:2]
    options = require_own_options(op, options)
    call = Call(fn, op, {**changed, "dtype": asked.dtype, "tier": tier, **options})
    corpus, index = Corpus(folders.tier_folder(tier, op), asked.path), 0
    if options:
        require_certifiable(corpus, (index,), options)
    fresh = corpus.select(index)
    fresh.read = asked.read
    invocation, ask_again = prepare_checked(
        fn, op, corpus, fresh, asked.dtype, framework=framework, device=device, arguments=arguments, outputs=outputs,
        backward=backward, layout=layout, accumulation=accumulation, formula=formula, cast_order=cast_order, loss_dtype=loss_dtype,
        scale_rounding=scale_rounding,
        strict=strict, flush_subnormals=flush_subnormals, skip_diagnosis=skip_diagnosis, writes=writes, isolate=isolate,
        seconds=seconds, own_options=options)
    invocation.policy.apply(corpus)
    corpus.set("repro", call.line(only="{path}"))
    observed = Observations()
    result = _run_case(corpus, invocation, fresh, observed, index, isolate, seconds)
    if other := find_other_invocation(result, invocation, fresh, ask_again):
        invocation = other
        invocation.policy.apply(corpus)
        fresh = corpus.select(index)
        fresh.read = asked.read
        result = _run_case(corpus, invocation, fresh, observed, index, isolate, seconds)
    report = Report(corpus, invocation, op, describe_conventions(invocation, observed), call)
    if relations:
        checker = RelationChecker(parse_relations(relations), Corpus(folders.tier_folder(tier, op), asked.path), seconds,
                                  invocation.policy.tolerance_settings)
        report.relations += checker.check(index, invocation, result.path, result.passed)
        result = fail_if_broken(corpus, index, report.relations, result)
    report.add(result)
    for listener in listeners:
        listener(result)
    if result.declined:
        _skip(result.text)
    if result.failed:
        raise Mismatch(f"{result.path}: {result.text}", *_repeating_lines(report, call, result.path).split("\n"))
    return report


def _run_case(corpus: Corpus, invocation: Invocation, case: Case, observed: Observations, index: int, isolate: bool,
              seconds: float | None) -> CaseResult:
    """Calls the implementation on the selected case and judges its outputs."""
    runner = start_runner(invocation, isolate, seconds)
    try:
        give_answer(corpus, invocation, case, runner, observed, index)
    finally:
        runner.close()
    return CaseResult(case.path, corpus.judge())


def _repeating_lines(report: Report, call: Call, path: str) -> str:
    """Returns lines that repeat the case. If the function cannot be imported, they run the current test of pytest."""
    test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" (")[0]
    return f"python3 -m pytest {shlex.quote(test)}" if not call.is_importable and test else report.repro(path)


listeners: list[Callable[[CaseResult], Any]] = []  # called with each result; the plug-in of pytest adds one


def _skip(reason: str) -> None:
    if "pytest" in sys.modules:
        sys.modules["pytest"].skip(reason)
