"""normproof.check: an implementation held against every case of an operation."""
import collections
import difflib
import re

from normproof import folders, names
from normproof.arguments import require_arguments, said
from normproof.candidate import Candidate
from normproof.corpus import Corpus, ops
from normproof.dtypes import dtype_names
from normproof.errors import NotOffered, Unanswered, UsageError, in_one_line
from normproof.limits import one_process, time_limit
from normproof.relations import Holder, chosen
from normproof.report import CaseResult, Report
from normproof.repro import Call, differing
from normproof.variants import option_texts


def check(fn, op, *, dtype="float32", device="cpu", tier="quick", outputs=None, backward=None, arguments=None, only=None,
          framework=None, layout=None, relations=(), isolate=False, seconds=60, accumulation="", formula="", xfail=(),
          strict=False, flush_subnormals=False):
    """Holds fn against the certified cases of op.

    fn         a function of arrays or tensors, named as in docs/guide/python.md, or a class of modules of PyTorch
    dtype      one or several of "float64", "float32", "float16", "bfloat16", or of a framework's names of them
    device     of the framework: "cpu", "cuda", "cuda:1"
    tier       "quick", "standard" or "full"; the last two are made once, and kept
    outputs    what is judged and, of a function that returns several tensors, their order: "y", "y,grad_x"
    backward   a function of grad_y and of what fn takes (and y): grad_x, or a tuple, or a mapping
    arguments  what fn's arguments are, {"w": "gamma", "axis": -1}, where their names do not say it
    only       a glob, or several, of paths, or of what follows the operation in them
    relations  names of normproof.RELATIONS, or "all": asked of the call itself
    isolate    asks in a process of its own, which may crash and hang
    seconds    the time limit of a case; None: there is none
    flush_subnormals  whether fn may flush subnormal numbers to 0, as --flush-subnormals of `normproof golden check`

    Returns a Report. Throws UsageError for an argument that is not one of these, and where no case is left.
    """
    require_arguments(locals())
    call = Call(fn, op, {**differing(check, locals()), "dtype": dtype_names(dtype), "tier": tier}, without=("only", "xfail"))
    wanted = chosen(relations) if relations else ()
    corpus = open_corpus(op, tier)
    selected = select(corpus, op, dtype, only, tier)
    require_known(corpus, xfail)
    candidate = Candidate(fn, op, known_to(corpus, op), framework, device, arguments, outputs, backward, layout)
    require_dtypes(candidate, dtype)
    if not isolate:
        candidate.require_device()
    fullest = max(selected, key=lambda index: len(corpus.description(index)["inputs"]))
    candidate.look_inside(corpus.select(fullest))
    prepare(corpus, candidate, accumulation, formula, xfail, strict, flush_subnormals)
    corpus.set("repro", call.line(only="{path}"))
    report = Report(corpus, candidate.title, op, candidate.conventions(), call)
    report.expects_relations = bool(wanted)
    ask = asker(candidate, isolate, seconds)
    holder = Holder(wanted, folders.tier_folder(tier, op), f"{tier}/{op}/*", seconds,
                    {"accumulation": accumulation, "formula": formula}, offered_index) if wanted else None
    try:
        for index in selected:
            original = index
            index, left_out = offered_index(corpus, corpus.select(index), index, candidate.taken)
            report.left_out.update(left_out)
            result = judge_case(corpus, candidate, corpus.select(index), ask)
            if holder is not None:
                report.relations += holder.hold(original, candidate, result)
                result = fail_if_broken(corpus, index, report.relations, result)
            report.add(result)
    finally:
        getattr(ask, "close", lambda: None)()
    report.conventions = candidate.conventions()
    if others := dtypes_not_asked(corpus, op, dtype, only, tier):
        report.conventions.append(f"cases not asked for their dtype: {others}")
    for name in sorted(report.left_out):
        report.conventions.append(f"{candidate.title} takes no {name}: each case is certified again without it")
    return report


def offered_index(corpus, case, index, taken):
    """The case, or where fn takes no gamma or no beta, the same without them: certified on the spot as one of its own.

    Returns the index of it, and what was left out.
    """
    left_out = [name for name in ("gamma", "beta") if name in case.tensors and name not in taken and "*" not in taken]
    if not left_out:
        return index, left_out
    name = own_path(case.path).split("/")[2].rsplit("-", 2)[0]
    inputs = {key: stored for key, stored in case.tensors.items() if key not in left_out}
    try:
        return corpus.certify(name, case.op, case.training, option_texts(case), case.sequence, inputs, 1), left_out
    except UsageError:  # the operation has no such case: it is declined by its name
        return index, []


def own_path(path):
    """The path of a case that is certified again on the spot."""
    _, op, case = path.split("/")
    name, *rest = case.rsplit("-", 2)
    return f"own/{op}/{'-'.join([re.sub('[^a-z0-9_]', '_', name), *rest])}"


def fail_if_broken(corpus, index, relations, result):
    """A case whose call breaks a relation is one that fails, in every form of the report."""
    broken = [relation for relation in relations if relation.path == result.path and relation.broken]
    if not broken:
        return result
    corpus.select(index)
    corpus.fail("; ".join(f"relation {relation.relation}: {relation.sentence}"
                          + (f" (such as {relation.issue})" if relation.issue else "") for relation in broken))
    return CaseResult(result.path, corpus.judge())


def open_corpus(op, tier):
    """The cases of an operation. Throws UsageError with the nearest name where there is none of that name."""
    require_op(op)
    return Corpus(folders.tier_folder(tier, op), f"{tier}/{op}/*")


def require_op(op):
    """Throws UsageError with the nearest name where there is no operation of that name."""
    known = ops()
    if not isinstance(op, str) or op not in known:
        near = difflib.get_close_matches(str(op), known, 1)
        raise UsageError(f"normproof: op={said(op)} is unknown; expected "
                         + (f"{near[0]!r}" if near else f"one of {', '.join(known)}"))


def known_to(corpus, op):
    """The names of all tensors and options of op: those of its description, and of its cases."""
    return names.known_names(op) | {name for index in range(len(corpus)) for key in ("inputs", "options")
                                    for name in corpus.description(index)[key]}


def require_dtypes(candidate, dtype):
    for name in dtype_names(dtype):
        if name not in candidate.framework.DTYPES:
            hint = ": install ml_dtypes" if name == "bfloat16" and candidate.framework_name == "numpy" else ""
            raise UsageError(f"normproof: {candidate.framework.NAME} has no {name} here{hint}")


def select(corpus, op, dtype, only, tier):
    """Indices of the cases with one of the dtypes that match one of the globs; without globs, all.

    Throws UsageError where none is left.
    """
    wanted, globs = dtype_names(dtype), globs_of(op, only, tier)
    paths = corpus.paths()
    found = [index for index in folders.matching(paths, globs) if corpus.description(index)["dtype"] in wanted]
    if not found:
        raise UsageError(f"normproof: no case of {op} in {', '.join(wanted)}, tier {tier}"
                         + (f", matches {', '.join(globs)}" if globs else ""))
    return found


def dtypes_not_asked(corpus, op, dtype, only, tier):
    """The cases that select leaves out for their dtype, in words, "3 of float64"; "" where there are none."""
    others = collections.Counter(corpus.description(index)["dtype"]
                                 for index in folders.matching(corpus.paths(), globs_of(op, only, tier)))
    return ", ".join(f"{count} of {name}" for name, count in others.items() if name not in dtype_names(dtype))


def globs_of(op, only, tier):
    globs = [only] if isinstance(only, str) else list(only or ())
    if only is not None and not (globs and all(globs)):
        raise UsageError(f"normproof: only={only!r} chooses no case; expected a glob or several, or None for all of them")
    globs = [f"{tier}/" + glob[len("own/"):].replace("_", "?") if glob.startswith("own/") else glob for glob in globs]
    return [glob if "/" in glob or glob.startswith("*") else f"{tier}/{op}/{glob}" for glob in globs]


def require_known(corpus, xfail):
    """Throws UsageError for the first glob of xfail that matches no case of the operation, nor one that is certified again
    without a gamma or beta."""
    paths = corpus.paths()
    paths += [own_path(path) for path in paths]
    for line in "\n".join([xfail] if isinstance(xfail, str) else xfail).splitlines():
        glob = line.split("#")[0].strip()
        if glob and not folders.matching(paths, [glob]):
            raise UsageError(f"normproof: xfail: {said(glob)} matches no case; expected a path, such as {paths[0]}, or a glob")


def prepare(corpus, candidate, accumulation, formula, xfail, strict, flush_subnormals):
    corpus.set("outputs", candidate.judged_outputs())
    corpus.set("accumulation", accumulation)
    corpus.set("formula", formula)
    corpus.set("xfail", "\n".join([xfail] if isinstance(xfail, str) else xfail))
    corpus.set("strict", "1" if strict else "")
    corpus.set("flush_subnormals", "1" if flush_subnormals else "")


def asker(candidate, isolate, seconds):
    """A function of a case: its outputs, and what was written that should not be."""
    if isolate:
        from normproof.isolation import Isolated
        return Isolated(candidate, seconds)

    def ask(case):
        with one_process(), time_limit(seconds):
            return candidate.answer(case), candidate.wrote
    return ask


def judge_case(corpus, candidate, case, ask):
    """Asks the selected case and judges the answer, whatever happens."""
    answer(corpus, candidate, case, ask)
    verdict = corpus.judge()
    return CaseResult(case.path, verdict)


def answer(corpus, candidate, case, ask, heeded=None):
    """The answer to the selected case, or why there is none, given to the corpus.

    heeded: what the function reads of the case by itself, which is known when it has been asked; None: nothing.
    """
    if not candidate.judges_the_same:
        corpus.set("outputs", candidate.judged_outputs())  # those of the case before may be none of this one
    try:
        if heeded is None:
            candidate.require_offered(case)
        outputs, wrote = ask(case)
        if heeded is not None:
            taken = {*candidate.taken, *heeded}
            index, _ = offered_index(corpus, case, case.index, taken)
            case = corpus.select(index)
            candidate.require_offered(case, heeded)
    except NotOffered as reason:
        return corpus.decline(str(reason))
    except Unanswered as reason:
        return corpus.fail(str(reason))
    except (Exception, SystemExit) as error:  # one case fails, nothing else
        return corpus.fail(f"{candidate.title} raised {in_one_line(error)}; expected outputs")
    if wrote:
        return corpus.fail(wrote)
    if not candidate.judges_the_same:
        corpus.set("outputs", candidate.judged_outputs(case, outputs))
    for name, stored in outputs.items():
        try:
            if candidate.is_answer(case, name):
                corpus.answer(name, stored)
        except UsageError as error:
            return corpus.fail(str(error))
    return None
