"""normproof.check: judges an implementation on every case of an operation."""
from __future__ import annotations

import collections
import difflib
import functools
import re
from typing import Any, Callable, Collection, Mapping, Sequence

from normproof import folders, names
from normproof.arguments import describe_value, require_arguments
from normproof.conventions import Observations, describe_conventions
from normproof.corpus import Case, Corpus, ops
from normproof.dtypes import EIGHT_BITS, dtype_names, has_eight_bits, named_if_dtype
from normproof.errors import NotOffered, Unanswered, UsageError, in_one_line, text_of_error
from normproof.found_conventions import (Convention, divide, follow_convention, has_loss_of_logits, has_numbers,
                                          max_unexplained, text_of, warn_of_found_options)
from normproof.invocation import Invocation, prepare_invocation
from normproof.isolation import Runner, start_runner
from normproof.output_policy import parse_globs
from normproof.own_options import require_certifiable, require_own_options
from normproof.probing import Prober
from normproof.recertify import fit_case, recertified_path
from normproof.relations import RelationChecker, RelationResult, parse_relations
from normproof.report import CaseResult, Report
from normproof.repro import Call, changed_arguments
from normproof.row_lengths import describe_longest_row
from normproof.signature import EVERYTHING
from normproof.stored import ML_DTYPES


CALLED_AGAIN = "new_numbers"  # the relation that every call of check has for one case
USUAL_CASES = ("random", "odd")  # the cases that are preferred for it
PREPARED_ARGUMENTS = ("framework", "device", "arguments", "outputs", "backward", "layout", "accumulation", "formula", "cast_order",
                      "loss_dtype", "scale_rounding", "strict", "flush_subnormals", "skip_diagnosis", "writes", "isolate", "seconds")
MAX_CALLED_AGAIN = 3  # cases that are tried if the relation does not apply


def check(fn: Callable[..., Any], op: str, *, dtype: Any = "float32", device: str = "cpu", tier: str = "quick",
          outputs: str | Sequence[str] | None = None, backward: Callable[..., Any] | None = None, arguments: Any = None,
          only: str | Sequence[str] | None = None, framework: str | None = None, layout: str | None = None,
          relations: str | Sequence[str] = (), isolate: bool = False, seconds: float | None = 60,
          accumulation: Any = "", formula: str = "", cast_order: str = "", loss_dtype: str = "", scale_rounding: str = "",
          xfail: str | Sequence[str] = (), strict: bool = False, flush_subnormals: bool = False,
          skip_diagnosis: bool = False, writes: Mapping[str, str] | None = None, **options: Any) -> Report:
    """Judges fn on the certified cases of op.

    fn         a function of arrays or tensors, with parameters named as in docs/guide/python.md, or a class of PyTorch modules
    dtype      one or several of "float64", "float32", "float16", "bfloat16", or of a framework's dtypes
    device     a device of the framework: "cpu", "cuda", "cuda:1"
    tier       "quick", "standard" or "full"; the last two are made once and kept
    outputs    the judged outputs, and their order if fn returns a tuple: "y", "y,grad_x", "y,_" if the second is not judged
    backward   a function of grad_y and of fn's parameters (and y) that returns grad_x, a tuple or a mapping
    arguments  the meaning of fn's parameters, {"w": "gamma", "axis": -1}, if their names do not tell it; also of the
               parameters that a module holds, with None for one that keeps its value
    layout     the axes of x, "channels_first" or "NCHW"; of a parameter that has both operands of swiglu: "halves", x first,
               "interleaved" for even and odd columns, "gate_first_halves" and "gate_first_interleaved"
    only       one or several globs of paths, or of what follows the operation in a path
    relations  names of normproof.RELATIONS, or "all": relations between calls that are checked, too
    isolate    whether fn runs in a process of its own, where it may crash and hang
    seconds    the time limit of a case; None for no limit
    writes     the outputs that fn writes into its parameters, {"dst": "y", "residual": "sum"}, if it returns nothing. Inputs
               that fn overwrites are found without it
    cast_order  "before_gamma" if a norm in 16 bits may round x_hat before it multiplies by gamma, as Llama does;
               "stored_statistics" if it may store the mean and rstd in 16 bits
    loss_dtype  "logits" if the loss of cross_entropy has the dtype of its 16-bit logits, as in PyTorch
    scale_rounding  "up", "nearest", "even" or "ceil" if the scales of the blocks of an 8-bit y are not rounded down
    flush_subnormals  whether fn may flush subnormal numbers to 0, as --flush-subnormals of `normproof golden check`
    skip_diagnosis  whether the mistake of a case that fails is not searched for, which saves time
    options    the options of op whose value fn has by itself, eps=1e-6, eps_placement="floor": each case is certified
               again with them

    If cases fail, and all pass by another convention of libraries (normproof.found_conventions), they are judged by this
    convention: the report says so, and a ConventionWarning is given. With strict=True, skip_diagnosis=True, or if the
    convention is among the arguments, no other is tried.

    Returns a Report. Throws UsageError for an argument that is not one of these, and if no case is selected.
    """
    accumulation = named_if_dtype(accumulation)
    given = {name: value for name, value in locals().items() if name not in ("fn", "op", "options")}
    require_arguments({"fn": fn, **given})
    op = canonical_op(op)
    options = require_own_options(op, options)
    report = check_once(fn, op, given, options)
    warn_of_found_options(report, options)
    if strict or skip_diagnosis or not has_numbers(report):
        return report
    failed = [result.path for result in report.failures]

    def judge_by(convention: Convention, **changed: Any) -> Report:
        declared, own = divide(convention, given)
        return check_once(fn, op, {**given, **declared, **changed}, {**options, **own}, max_failures=max_unexplained(report))
    return follow_convention(report, [*options, *(name for name, value in given.items() if value)],
                             lambda convention: judge_by(convention, only=failed, relations=()), judge_by)


def check_once(fn: Callable[..., Any], op: str, given: Mapping[str, Any], options: Mapping[str, Any],
               max_failures: int | None = None) -> Report:
    """Judges fn by one convention. `given` are the keyword arguments of check, and `options` the options that fn has.

    max_failures   if more cases fail, the following ones are left out; None if all cases are judged
    """
    dtype, tier, only, isolate, seconds = (given[name] for name in ("dtype", "tier", "only", "isolate", "seconds"))
    call = Call(fn, op, {**changed_arguments(check, given), "dtype": dtype_names(dtype), "tier": tier, **options},
                without=("only", "xfail"))
    wanted = parse_relations(given["relations"]) if given["relations"] else ()
    corpus = open_corpus(op, tier)
    selected = select_cases(corpus, op, dtype, only, tier)
    require_known_globs(corpus, given["xfail"])
    if options:
        require_certifiable(corpus, selected, options)
    prepared: dict[str, Any] = {name: given[name] for name in PREPARED_ARGUMENTS}
    invocation, ask_again = prepare_checked(
        fn, op, corpus, corpus.select(fullest_case(corpus, selected)), dtype, own_options=options,
        xfail=parse_globs(given["xfail"]), **prepared)
    invocation.require_needed()
    if "cos" in known_names(corpus, op):  # tables of another width are no error if there is one pair of features
        invocation = ask_again(invocation, corpus.select(fullest_case(corpus, selected)))
    invocation.policy.apply(corpus)
    corpus.set("repro", call.line(only="{path}"))
    observed = Observations()
    report = Report(corpus, invocation, op, describe_conventions(invocation, observed), call)
    report.expects_relations = bool(wanted)
    runner = start_runner(invocation, isolate, seconds)
    checker, judged = None, list[tuple[int, int]]()
    if wanted:
        checker = RelationChecker(wanted, Corpus(folders.tier_folder(tier, op), f"{tier}/{op}/*"), seconds,
                                  invocation.policy.tolerance_settings)
    try:
        for original in selected:
            index, left_out = fit_case(corpus, corpus.select(original), original, invocation.read_names, invocation.own_options)
            report.left_out.update(left_out)
            case = corpus.select(index)
            result = judge_case(corpus, invocation, case, runner, observed)
            if other := find_other_invocation(result, invocation, case, ask_again):
                invocation = other
                invocation.policy.apply(corpus)
                runner.close()
                runner = start_runner(invocation, isolate, seconds)
                result = judge_case(corpus, invocation, corpus.select(index), runner, observed)
                report.set_invocation(invocation)
            if checker is not None:
                report.relations += checker.check(original, invocation, result.path, result.passed)
                result = fail_if_broken(corpus, index, report.relations, result)
            report.add(result)
            judged.append((original, index))
            if max_failures is not None and len(report.failures) > max_failures:
                return report
        # A function that receives the case itself may look up the outputs of this case.
        if CALLED_AGAIN not in wanted and not isolate and EVERYTHING not in invocation.read_names:
            check_second_call(corpus, open_corpus(op, tier), invocation, judged, report, seconds)
    finally:
        runner.close()
    report.conventions = describe_conventions(invocation, observed)
    if others := count_other_dtypes(corpus, op, dtype, only, tier):
        report.conventions.append(f"cases not asked for their dtype: {others}")
    if only is None and (rows := describe_longest_row(map(corpus.description, selected), op, dtype_names(dtype), tier)):
        report.conventions.append(rows)
    report.suggestions = suggest_options(invocation, report)
    for name in sorted(report.left_out):
        report.conventions.append(f"{invocation.title} takes no {name}: each case is certified again without it")
    return report


AskAgain = Callable[[Invocation, Case], Invocation]


def prepare_checked(fn: Callable[..., Any], op: str, corpus: Corpus, example: Case, dtype: Any, *, isolate: bool,
                    seconds: float | None, framework: str | None,
                    **given: Any) -> tuple[Invocation, AskAgain]:
    """Determines how to call fn on the cases of a corpus. `example` should have as many tensors as possible.

    `given` are arguments of prepare_invocation.
    Returns the invocation, and a function for a case that has no answer: it calls fn on the case, and returns the invocation
    with the tensors of another framework, other axes of x, or the inputs that fn overwrites.
    Throws UsageError if fn cannot be called.
    """
    known = known_names(corpus, op)

    def make(framework: str | None) -> Invocation:
        invocation = prepare_invocation(fn, op, known, framework=framework, **given,
                                        differentiates=not has_eight_bits(dtype_names(dtype)))
        require_dtypes(invocation, dtype)
        if not isolate:
            invocation.require_device()
        return invocation.for_case(example)
    prober = Prober(make, framework=framework, isolate=isolate, seconds=seconds)
    return prober.understand(make(framework), example), prober.look_again


def suggest_options(invocation: Invocation, report: Report) -> list[str]:
    """Returns the options under which failed cases may pass, one sentence each.

    They are the options for which the gate says that half of the failed cases are right; formula, if the errors are no larger
    than those of a less accurate form; and the scale of x, if every case of 8 bits was declined for it.
    """
    fitting = collections.Counter(option for result in report.failures for option in result.fitting_options)
    suggestions = [f"if this is intended, pass {text_of({name: value})}" for (name, value), count in fitting.most_common()
                   if 2 * count >= len(report.failures) and name != "flush_subnormals"]
    if ("flush_subnormals", True) in fitting and 2 * fitting["flush_subnormals", True] >= len(report.failures):
        suggestions.append("if it flushes subnormal numbers to 0, as XLA does on a CPU, pass flush_subnormals=True")
    if not invocation.policy.formula and any("than the folded form" in str(result.json.get("diagnosis"))
                                             for result in report.failures):
        suggestions.append("if it computes x r - m r in place of (x - m) r, pass formula='folded'")
    declined = [str(result.json.get("problem")) for result in report.declined]
    if declined and len(declined) == len(report.results) and any("x_scale" in problem for problem in declined):
        suggestions.append("in the cases of 8 bits x has 8 bits too: take x_scale, by which x is multiplied")
    if not invocation.policy.loss_dtype and any(map(has_loss_of_logits, report.failures)):
        suggestions.append("if the loss should have the dtype of its 16-bit logits, pass loss_dtype='logits'")
    return suggestions


def has_no_answer(result: CaseResult) -> bool:
    """Whether a case failed because of an exception, or because nothing was returned that could be judged."""
    return result.failed and not result.tensors


def find_other_invocation(result: CaseResult, invocation: Invocation, case: Case, ask_again: AskAgain) -> Invocation | None:
    """Returns another way to call the function, if the case has no answer and `ask_again` finds one that differs.

    Invocations differ in the framework of the tensors, in the axes of x, in the inputs that the function overwrites, or in the
    tables of rope.
    """
    if not has_no_answer(result):
        return None
    other = ask_again(invocation, case)
    is_same = (other.framework is invocation.framework and other.writes == invocation.writes
               and other.doubled_tables == invocation.doubled_tables and other.layout == invocation.layout)
    return None if is_same else other


def fail_if_broken(corpus: Corpus, index: int, relations: Sequence[RelationResult], result: CaseResult) -> CaseResult:
    """Marks a case as failed if a relation is broken, so that every form of the report shows it as failed."""
    broken = [relation for relation in relations if relation.path == result.path and relation.broken]
    if not broken:
        return result
    corpus.select(index)
    corpus.fail("; ".join(f"relation {relation.relation}: {relation.sentence}"
                          + (f" (such as {relation.issue})" if relation.issue else "") for relation in broken))
    return CaseResult(result.path, corpus.judge())


def check_second_call(corpus: Corpus, other: Corpus, invocation: Invocation, judged: Sequence[tuple[int, int]], report: Report,
                      seconds: float | None) -> None:
    """Checks the relation CALLED_AGAIN on one case that passed, so that a result of an earlier call is found.

    judged   the indices of each result of the report: in `other`, a fresh handle of the tier, and in `corpus`
    Marks the case as failed if the relation is broken. Other outcomes leave the report as it is.
    """
    checker = RelationChecker((CALLED_AGAIN,), other, seconds, invocation.policy.tolerance_settings)
    passed = [place for place, result in enumerate(report.results) if result.outcome == "passed"]
    passed.sort(key=lambda place: not _case_name(report.results[place]).startswith(USUAL_CASES))
    for place in passed[:MAX_CALLED_AGAIN]:
        result, (original, index) = report.results[place], judged[place]
        found = checker.check(original, invocation, result.path, True)
        report.results[place] = fail_if_broken(corpus, index, found, result)
        if found[0].outcome in ("held", "broken"):
            return


def _case_name(result: CaseResult) -> str:
    return result.path.rpartition("/")[2]


def open_corpus(op: str, tier: str) -> Corpus:
    """Opens the cases of an operation. Throws UsageError with the nearest name if there is no such operation."""
    op = canonical_op(op)
    return Corpus(folders.tier_folder(tier, op), f"{tier}/{op}/*")


def canonical_op(op: Any) -> str:
    """Returns the operation that a name or an alias stands for: "layer_norm" for "LayerNorm".

    Throws UsageError with the nearest name if there is none.
    """
    known = ops()
    name = names.operation_name(op, known) if isinstance(op, str) else None
    if name is None:
        near = difflib.get_close_matches(str(op), known, 1)
        raise UsageError(f"normproof: op={describe_value(op)} is unknown; expected "
                         + (f"{near[0]!r}" if near else f"one of {', '.join(known)}"))
    return name


def known_names(corpus: Corpus, op: str) -> set[str]:
    """Returns the names of all tensors and options of op, from its description and from its cases."""
    return names.known_names(op) | {name for index in range(len(corpus)) for key in ("inputs", "options")
                                    for name in corpus.description(index)[key]}


def fullest_case(corpus: Corpus, selected: Sequence[int]) -> int:
    """Returns the index of the first case with the largest number of tensors."""
    return max(selected, key=lambda index: len(corpus.description(index)["inputs"]))


def require_dtypes(invocation: Invocation, dtype: Any) -> None:
    """Throws UsageError if the framework lacks one of the dtypes."""
    for name in dtype_names(dtype):
        if name not in invocation.framework.dtypes:
            hint = ": install ml_dtypes" if name in ML_DTYPES and invocation.framework.dtypes_from_ml_dtypes else ""
            raise UsageError(f"normproof: {invocation.framework.name} has no {name} here{hint}")


def select_cases(corpus: Corpus, op: str, dtype: Any, only: str | Sequence[str] | None, tier: str) -> list[int]:
    """Returns the indices of the cases of these dtypes that match one of the globs, or of all if only is None.

    Throws UsageError if there are none.
    """
    wanted, globs = dtype_names(dtype), full_globs(op, only, tier)
    paths = corpus.paths()
    found = [index for index in folders.matching(paths, globs) if corpus.description(index)["dtype"] in wanted]
    if not found:
        scaled = f"; expected one of {', '.join(ops_with_eight_bits())}, which have cases of 8 bits" if has_eight_bits(wanted) else ""
        raise UsageError(f"normproof: no case of {op} in {', '.join(wanted)}, tier {tier}"
                         + (f", matches {', '.join(globs)}" if globs else scaled))
    return found


@functools.cache
def ops_with_eight_bits() -> tuple[str, ...]:
    """Returns the operations that have cases with a y of 8 bits."""
    with Corpus(folders.tier_folder("quick")) as corpus:
        return tuple(sorted({path.split("/")[1] for path in corpus.paths() if path.endswith(EIGHT_BITS)}))


def count_other_dtypes(corpus: Corpus, op: str, dtype: Any, only: str | Sequence[str] | None, tier: str) -> str:
    """Returns how many cases select_cases leaves out because of their dtype, such as "3 of float64", or ""."""
    others = collections.Counter(corpus.description(index)["dtype"]
                                 for index in folders.matching(corpus.paths(), full_globs(op, only, tier)))
    return ", ".join(f"{count} of {name}" for name, count in others.items() if name not in dtype_names(dtype))


def full_globs(op: str, only: str | Sequence[str] | None, tier: str) -> list[str]:
    """Returns globs that match whole paths. A glob without a slash matches the part of a path after the operation."""
    globs = [only] if isinstance(only, str) else list(only or ())
    if only is not None and not (globs and all(globs)):
        raise UsageError(f"normproof: only={only!r} chooses no case; expected a glob or several, or None for all of them")
    globs = [f"{tier}/" + glob[len("own/"):].replace("_", "?") if glob.startswith("own/") else glob for glob in globs]
    return [glob if "/" in glob or glob.startswith("*") else f"{tier}/{op}/{glob}" for glob in globs]


def require_known_globs(corpus: Corpus, xfail: str | Collection[str]) -> None:
    """Throws UsageError for the first glob of xfail that matches no case of the operation.

    A case that is certified again without a gamma or beta counts, too.
    """
    paths = corpus.paths()
    paths += [recertified_path(path) for path in paths]
    for line in parse_globs(xfail).splitlines():
        glob = line.split("#")[0].strip()
        if glob and not folders.matching(paths, [glob]):
            raise UsageError(f"normproof: xfail: {describe_value(glob)} matches no case; expected a path, such as {paths[0]}, "
                             "or a glob")


def judge_case(corpus: Corpus, invocation: Invocation, case: Case, runner: Runner, observed: Observations) -> CaseResult:
    """Calls the implementation on the selected case and judges its outputs. An exception counts as a failed case."""
    give_answer(corpus, invocation, case, runner, observed)
    return CaseResult(case.path, corpus.judge())


def has_mixed_dtypes(case: Case) -> bool:
    """Whether a floating tensor of a case has another dtype than the case."""
    return any(stored.dtype != case.dtype for stored in case.tensors.values() if stored.dtype.startswith(("float", "bfloat")))


def give_answer(corpus: Corpus, invocation: Invocation, case: Case, runner: Runner, observed: Observations,
                index: int | None = None) -> None:
    """Passes the outputs for the selected case to the corpus, or the reason why there are none.

    With an index, which is that of the case, the tensors and options that the function read by itself, in
    `case.read`, count as received. They are known after the call only.
    """
    policy = invocation.policy
    if policy.depends_on_answer:
        corpus.set("outputs", policy.default_outputs)  # the setting is that of the case before
    try:
        if index is None:
            invocation.require_offered(case)
        answer = runner(case)
        observed.add(invocation, answer)
        if index is None:
            invocation.require_offered(case, returned=answer.outputs)
        else:
            read = {*invocation.read_names, *case.read}
            index, _ = fit_case(corpus, case, index, read, invocation.own_options)
            also_read = case.read
            case = corpus.select(index)
            invocation.require_offered(case, also_read, answer.outputs)
    except NotOffered as reason:
        return corpus.decline(text_of_error(reason))
    except Unanswered as reason:
        return corpus.fail(str(reason))
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # this case fails, and no other
        text = text_of_error(error)
        if has_mixed_dtypes(case) and isinstance(error, Exception) and re.search(r"d?type|scalar", text):
            return corpus.decline(f"{invocation.title} refuses inputs of several dtypes: {in_one_line(error)}")
        return corpus.fail(f"{invocation.title} raised {in_one_line(error)}")
    finally:
        observed.members = runner.members
    if answer.written:
        return corpus.fail(answer.written)
    judged = policy.judged_outputs(case, answer.outputs)
    if policy.depends_on_answer:
        corpus.set("outputs", judged)
    state = names.state_names(case.op)
    if case.training and state and not policy.named and judged and not set(state) & set(judged.split(",")):
        observed.no_state = True
    for name, stored in answer.outputs.items():
        try:
            if policy.accepts(case, name):
                corpus.answer(name, stored)
        except UsageError as error:
            return corpus.fail(str(error).removeprefix("normproof: "))
    return None
