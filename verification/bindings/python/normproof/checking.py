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
from normproof.invocation import Invocation, prepare_invocation
from normproof.isolation import Runner, start_runner
from normproof.output_policy import parse_globs
from normproof.probing import probe
from normproof.recertify import recertified_path, without_missing_parameters
from normproof.relations import RelationChecker, RelationResult, parse_relations
from normproof.report import CaseResult, Report
from normproof.repro import Call, changed_arguments
from normproof.row_lengths import describe_longest_row
from normproof.signature import EVERYTHING
from normproof.stored import ML_DTYPES


CALLED_AGAIN = "new_numbers"  # the relation that every call of check has for one case
USUAL_CASES = ("random", "odd")  # the cases that are preferred for it
MAX_CALLED_AGAIN = 3  # cases that are tried if the relation does not apply


def check(fn: Callable[..., Any], op: str, *, dtype: Any = "float32", device: str = "cpu", tier: str = "quick",
          outputs: str | Sequence[str] | None = None, backward: Callable[..., Any] | None = None, arguments: Any = None,
          only: str | Sequence[str] | None = None, framework: str | None = None, layout: str | None = None,
          relations: str | Sequence[str] = (), isolate: bool = False, seconds: float | None = 60,
          accumulation: Any = "", formula: str = "", cast_order: str = "", loss_dtype: str = "", scale_rounding: str = "",
          xfail: str | Sequence[str] = (), strict: bool = False, flush_subnormals: bool = False,
          skip_diagnosis: bool = False, writes: Mapping[str, str] | None = None) -> Report:
    """Judges fn on the certified cases of op.

    fn         a function of arrays or tensors, with parameters named as in docs/guide/python.md, or a class of PyTorch modules
    dtype      one or several of "float64", "float32", "float16", "bfloat16", or of a framework's dtypes
    device     a device of the framework: "cpu", "cuda", "cuda:1"
    tier       "quick", "standard" or "full"; the last two are made once and kept
    outputs    the judged outputs, and their order if fn returns a tuple: "y", "y,grad_x", "y,_" if the second is not judged
    backward   a function of grad_y and of fn's parameters (and y) that returns grad_x, a tuple or a mapping
    arguments  the meaning of fn's parameters, {"w": "gamma", "axis": -1}, if their names do not tell it; also of the
               parameters that a module holds, with None for one that keeps its value
    only       one or several globs of paths, or of what follows the operation in a path
    relations  names of normproof.RELATIONS, or "all": relations between calls that are checked, too
    isolate    whether fn runs in a process of its own, where it may crash and hang
    seconds    the time limit of a case; None for no limit
    writes     the outputs that fn writes into its parameters, {"dst": "y", "residual": "sum"}, if it returns nothing. Inputs
               that fn overwrites are found without it
    cast_order  "before_gamma" if a norm in 16 bits may round x_hat before it multiplies by gamma, as Llama does
    loss_dtype  "logits" if the loss of cross_entropy has the dtype of its 16-bit logits, as in PyTorch
    scale_rounding  "up", "nearest", "even" or "ceil" if the scales of the blocks of an 8-bit y are not rounded down
    flush_subnormals  whether fn may flush subnormal numbers to 0, as --flush-subnormals of `normproof golden check`
    skip_diagnosis  whether the mistake of a case that fails is not searched for, which saves time

    Returns a Report. Throws UsageError for an argument that is not one of these, and if no case is selected.
    """
    accumulation = named_if_dtype(accumulation)
    require_arguments(locals())
    op = canonical_op(op)
    call = Call(fn, op, {**changed_arguments(check, locals()), "dtype": dtype_names(dtype), "tier": tier},
                without=("only", "xfail"))
    wanted = parse_relations(relations) if relations else ()
    corpus = open_corpus(op, tier)
    selected = select_cases(corpus, op, dtype, only, tier)
    require_known_globs(corpus, xfail)
    invocation, ask_again = prepare_checked(
        fn, op, corpus, corpus.select(fullest_case(corpus, selected)), dtype, framework=framework, device=device,
        arguments=arguments, outputs=outputs, backward=backward, layout=layout, accumulation=accumulation,
        formula=formula, cast_order=cast_order, loss_dtype=loss_dtype, scale_rounding=scale_rounding,
        xfail=parse_globs(xfail), strict=strict,
        flush_subnormals=flush_subnormals, skip_diagnosis=skip_diagnosis, writes=writes, isolate=isolate, seconds=seconds)
    invocation.require_needed()
    if "cos" in known_names(corpus, op):  # tables of another width are no error if there is one pair of features
        invocation = ask_again()
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
            index, left_out = without_missing_parameters(corpus, corpus.select(original), original, invocation.read_names)
            report.left_out.update(left_out)
            result = judge_case(corpus, invocation, corpus.select(index), runner, observed)
            if other := find_other_invocation(result, invocation, ask_again):
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


def prepare_checked(fn: Callable[..., Any], op: str, corpus: Corpus, example: Case, dtype: Any, *, isolate: bool,
                    seconds: float | None, framework: str | None,
                    **given: Any) -> tuple[Invocation, Callable[[], Invocation]]:
    """Determines how to call fn on the cases of a corpus. `example` should have as many tensors as possible.

    `given` are arguments of prepare_invocation.
    Returns the invocation, and a function for the case that it has no answer: it calls fn, and returns the invocation
    with the tensors of another framework, or with the inputs that fn overwrites.
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
    return make(framework), functools.cache(lambda: probe(make, example, framework=framework, isolate=isolate, seconds=seconds))


NORMS_WITH_CASTS = ("layer_norm", "rms_norm", "add_layer_norm", "add_rms_norm")


def suggest_options(invocation: Invocation, report: Report) -> list[str]:
    """Returns the options under which failed cases may pass, one sentence each.

    They are cast_order, if cases of 16 bits failed and the norm may round x_hat before gamma; formula and flush_subnormals,
    if the errors are no larger than those of a less accurate form or arithmetic; loss_dtype, if a loss has the dtype of
    the 16 bits of its logits; scale_rounding, if the scales of blocks are rounded in another way; and the scale of x, if every
    case of 8 bits was declined for it.
    """
    suggestions = []
    narrow = [result for result in report.failures if result.path.endswith(("-float16", "-bfloat16")) and result.tensors]
    if invocation.op in NORMS_WITH_CASTS and not invocation.policy.cast_order and narrow:
        suggestions.append("if it rounds x_hat to 16 bits before it multiplies by gamma, as Llama does, pass "
                           "cast_order='before_gamma'")
    diagnoses = str([result.json.get("diagnosis", ()) for result in report.failures])
    if not invocation.policy.formula and "than the folded form" in diagnoses:
        suggestions.append("if it computes x r - m r in place of (x - m) r, pass formula='folded'")
    flushed = [result for result in report.failures if "flush_subnormals=True" in str(result.json.get("diagnosis"))]
    if flushed and 2 * len(flushed) >= len(report.failures):
        suggestions.append("if it flushes subnormal numbers to 0, as XLA does on a CPU, pass flush_subnormals=True")
    suggestions += suggest_scale_roundings(report)
    declined = [str(result.json.get("problem")) for result in report.declined]
    if report.is_of_user and (other := re.search(r" has (\w+) (\S+), and the case ", " ".join(declined))):
        suggestions.append(f"to judge it with its own option, pass {other[1]}={other[2]!r}")
    if declined and len(declined) == len(report.results) and any("x_scale" in problem for problem in declined):
        suggestions.append("in the cases of 8 bits x has 8 bits too: take x_scale, by which x is multiplied")
    if any(tensor.get("name") == "loss" and str(tensor.get("problem", "")).startswith("has dtype")
           for result in narrow for tensor in result.tensors):
        suggestions.append("if the loss should have the dtype of its 16-bit logits, pass loss_dtype='logits'")
    return suggestions


def suggest_scale_roundings(report: Report) -> list[str]:
    """Returns the rounding of the scales of blocks with which every failing case that names one is right, if there is one."""
    named = [re.findall(r"'(\w+)'", found[1]) for result in report.failures
             if (found := re.search(r"right for scale_rounding=((?:'\w+'(?: or )?)+)", str(result.json.get("diagnosis", ""))
                                    .replace("\\'", "'")))]
    common = [rounding for rounding in (named[0] if named else []) if all(rounding in one for one in named)]
    if not common:
        return []
    return [f"if the scales of blocks are rounded so on purpose, pass scale_rounding={' or '.join(map(repr, common))}"]


def has_no_answer(result: CaseResult) -> bool:
    """Whether a case failed because of an exception, or because nothing was returned that could be judged."""
    return result.failed and not result.tensors


def find_other_invocation(result: CaseResult, invocation: Invocation, ask_again: Callable[[], Invocation]) -> Invocation | None:
    """Returns another way to call the function, if the case has no answer and `ask_again` finds one that differs.

    Invocations differ in the framework of the tensors, in the inputs that the function overwrites, or in the tables of rope.
    """
    if not has_no_answer(result):
        return None
    other = ask_again()
    is_same = (other.framework is invocation.framework and other.writes == invocation.writes
               and other.doubled_tables == invocation.doubled_tables)
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
        if index is not None:
            read = {*invocation.read_names, *case.read}
            index, _ = without_missing_parameters(corpus, case, index, read)
            also_read = case.read
            case = corpus.select(index)
            invocation.require_offered(case, also_read)
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
        return corpus.fail(f"{invocation.title} raised {in_one_line(error)}; expected outputs")
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
