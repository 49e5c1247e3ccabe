"""normproof.cases: one test a case under pytest; and one case by its path."""
import functools
import os
import shlex

from normproof import folders
from normproof.arguments import require_arguments
from normproof.candidate import Candidate
from normproof.checking import (answer, asker, fail_if_broken, known_to, offered_index, open_corpus, prepare,
                                require_dtypes, select)
from normproof.corpus import Corpus
from normproof.dtypes import dtype_names
from normproof.errors import Mismatch, UsageError
from normproof.relations import Holder, chosen
from normproof.report import CaseResult, Report
from normproof.repro import Call, differing


def cases(op, *, dtype="float32", tier=None, only=None):
    """Makes a test of one case a test of each: its argument is `case`, its id the case's path.

    dtype   one or several; tier: "quick" where it is None, or what --normproof-tier says
    only    a glob, or several, as for normproof.check

        @normproof.cases("rms_norm", dtype="bfloat16")
        def test_rms_norm(case):
            case.check(lambda x, gamma: my_kernels.rms_norm(x, gamma, case.eps))
    """
    import pytest
    dtypes = dtype_names(dtype)
    if tier not in (None, *folders.TIERS):
        raise UsageError(f"normproof: tier={tier!r}; expected one of {', '.join(folders.TIERS)}")
    return pytest.mark.normproof(op=op, dtype=dtypes, tier=tier, only=only)


def case(path):
    """The case of that path, "quick/layer_norm/odd-13x17-float32".

    Throws UsageError where there is none.
    """
    parts = str(path).split("/")
    if len(parts) != 3:
        raise UsageError(f"normproof.case: {path!r}; expected <tier>/<op>/<case>, as quick/layer_norm/odd-13x17-float32")
    corpus = _opened(parts[0], parts[1])
    if path not in corpus.paths():
        raise UsageError(f"normproof.case: there is no {path}; expected one of {parts[0]}/{parts[1]}")
    return corpus.select(corpus.paths().index(path), check_case)


@functools.lru_cache(maxsize=None)
def _opened(tier, op):
    """A handle that lends cases, and judges none."""
    return open_corpus(op, tier)


def selected_cases(op, dtype, tier, only):
    """Paths of cases for a parametrised test, in ascending order."""
    corpus = _opened(tier, op)
    paths = corpus.paths()
    return [paths[index] for index in select(corpus, op, dtype, only, tier)]


def check_case(asked, fn, *, device="cpu", outputs=None, backward=None, arguments=None, framework=None, layout=None,
               relations=(), isolate=False, seconds=60, accumulation="", formula="", strict=False,
               flush_subnormals=False):
    """case.check. What the function reads of the case by itself, as case.eps, counts as heeded."""
    require_arguments(locals())
    call = differing(check_case, locals())
    asked.read.clear()
    tier, op = asked.path.split("/")[:2]
    call = Call(fn, op, {**call, "dtype": asked.dtype, "tier": tier})
    corpus, index = Corpus(folders.tier_folder(tier, op), asked.path), 0
    candidate = Candidate(fn, op, known_to(corpus, op), framework, device, arguments, outputs, backward, layout)
    require_dtypes(candidate, asked.dtype)
    if not isolate:
        candidate.require_device()
    fresh = corpus.select(index)
    fresh.read, fresh.index = asked.read, index
    candidate.look_inside(fresh)
    prepare(corpus, candidate, accumulation, formula, (), strict, flush_subnormals)
    corpus.set("repro", call.line(only="{path}"))
    ask = asker(candidate, isolate, seconds)
    try:
        answer(corpus, candidate, fresh, ask, heeded=asked.read)
    finally:
        getattr(ask, "close", lambda: None)()
    report = Report(corpus, candidate.title, op, candidate.conventions(), call)
    result = CaseResult(asked.path, corpus.judge())
    if relations:
        holder = Holder(chosen(relations), folders.tier_folder(tier, op), asked.path, seconds,
                        {"accumulation": accumulation, "formula": formula}, offered_index)
        report.relations += holder.hold(index, candidate, result)
        result = fail_if_broken(corpus, index, report.relations, result)
    report.add(result)
    for listener in listeners:
        listener(result)
    if result.declined:
        _skip(result.text)
    if result.failed:
        raise Mismatch(f"{result.path}: {result.text}\n{_shown_again(report, call, result.path)}")
    return report


def _shown_again(report, call, path):
    """Lines that show the case again: of a function that cannot be imported, the test that pytest is in."""
    test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" (")[0]
    return f"python3 -m pytest {shlex.quote(test)}" if call.undefined and test else report.repro(path)


listeners = []  # functions of each CaseResult; the plug-in of pytest has one


def _skip(reason):
    import sys
    if "pytest" in sys.modules:
        sys.modules["pytest"].skip(reason)
