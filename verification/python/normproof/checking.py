"""normproof.check: an implementation held against every case of an operation."""
import difflib
import json
import re

from normproof import folders
from normproof.candidate import Candidate, title_of
from normproof.corpus import Corpus, layer_descriptions
from normproof.errors import NotOffered, Unanswered, UsageError, in_one_line
from normproof.limits import one_process, time_limit
from normproof.relations import Holder, chosen
from normproof.report import CaseResult, Report
from normproof.stored import HELD_AS
from normproof.variants import option_texts


def check(fn, op, *, dtype="float32", device="cpu", tier="quick", outputs=None, backward=None, arguments=None, only=None,
          framework=None, layout=None, relations=(), isolate=False, seconds=60, accumulation="", formula="", xfail=(),
          strict=False):
    """Holds fn against the certified cases of op.

    fn         a function of arrays or tensors, named as in docs/python.md, or a class of modules of PyTorch
    dtype      one or several of "float64", "float32", "float16", "bfloat16"
    device     of the framework: "cpu", "cuda", "cuda:1"
    tier       "quick", "standard" or "full"; the last two are made once, and kept
    outputs    what is judged and, of a function that returns several tensors, their order: "y", "y,grad_x"
    backward   a function of grad_y and of what fn takes (and y): grad_x, or a tuple, or a mapping
    arguments  what fn's arguments are, {"w": "gamma", "axis": -1}, where their names do not say it
    only       a glob, or several, of paths, or of what follows the operation in them
    relations  names of normproof.RELATIONS, or "all": asked of the call itself
    isolate    asks in a process of its own, which may crash and hang
    seconds    the time limit of a case

    Returns a Report. Throws UsageError for an argument that is not one of these, and where no case is left.
    """
    wanted = chosen(relations) if relations else ()
    corpus = open_corpus(op, tier)
    selected = select(corpus, op, dtype, only, tier)
    known = {name for index in range(len(corpus)) for key in ("inputs", "options")
             for name in corpus.description(index)[key]}
    candidate = Candidate(fn, op, known, framework, device, arguments, outputs, backward, layout)
    require_dtypes(candidate, dtype)
    fullest = max(selected, key=lambda index: len(corpus.description(index)["inputs"]))
    candidate.look_inside(corpus.select(fullest))
    prepare(corpus, candidate, accumulation, formula, xfail, strict)
    call = {"dtype": dtype, "tier": tier}
    corpus.set("repro", repro_of(fn, op, call))
    report = Report(corpus, candidate.title, op, candidate.conventions(), fn)
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
    for name in sorted(report.left_out):
        report.conventions.append(f"{candidate.title} takes no {name}: each case is certified again without it")
    return report


def offered_index(corpus, case, index, taken):
    """The case, or where fn takes no gamma or no beta, the same without them: certified on the spot as one of its own.

    Returns the index of it, and what was left out.
    """
    parameters = [entry["name"] for entry in layer_descriptions().get(case.op, {}).get("parameters", ())]
    left_out = [name for name in ("gamma", "beta") if name in parameters and name in case.tensors and name not in taken
                and "*" not in taken]
    if not left_out:
        return index, left_out
    name = re.sub("[^a-z0-9_]", "_", case.path.split("/")[2].rsplit("-", 2)[0])
    inputs = {key: stored for key, stored in case.tensors.items() if key not in left_out}
    try:
        return corpus.certify(name, case.op, case.training, option_texts(case), case.sequence, inputs, 1), left_out
    except UsageError:  # the operation has no such case: it is declined by its name
        return index, []


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
    from normproof.corpus import ops
    known = ops()
    if op not in known:
        near = difflib.get_close_matches(str(op), known, 1)
        raise UsageError(f"normproof: op={op!r} is unknown; expected "
                         + (f"{near[0]!r}" if near else f"one of {', '.join(known)}"))
    return Corpus(folders.tier_folder(tier, op), f"{tier}/{op}/*")


def dtypes_of(dtype):
    wanted = [dtype] if isinstance(dtype, str) else list(dtype)
    floats = [name for name in HELD_AS if "float" in name]
    for name in wanted:
        if name not in floats:
            raise UsageError(f"normproof: dtype={name!r}; expected one or several of {', '.join(floats)}")
    return wanted


def require_dtypes(candidate, dtype):
    for name in dtypes_of(dtype):
        if name not in candidate.framework.DTYPES:
            hint = ": install ml_dtypes" if name == "bfloat16" and candidate.framework_name == "numpy" else ""
            raise UsageError(f"normproof: {candidate.framework.NAME} has no {name} here{hint}")


def select(corpus, op, dtype, only, tier):
    """Indices of the cases with one of the dtypes that match one of the globs. Throws UsageError where none does."""
    wanted, globs = dtypes_of(dtype), [only] if isinstance(only, str) else list(only or ())
    globs = [f"{tier}/" + glob[len("own/"):].replace("_", "?") if glob.startswith("own/") else glob for glob in globs]
    globs = [glob if "/" in glob or glob.startswith("*") else f"{tier}/{op}/{glob}" for glob in globs]
    paths = corpus.paths()
    found = [index for index in folders.matching(paths, globs) if corpus.description(index)["dtype"] in wanted]
    if not found:
        raise UsageError(f"normproof: no case of {op} in {', '.join(wanted)}, tier {tier}"
                         + (f", matches {', '.join(globs)}" if globs else ""))
    return found


def prepare(corpus, candidate, accumulation, formula, xfail, strict):
    corpus.set("outputs", candidate.judged_outputs())
    corpus.set("accumulation", accumulation)
    corpus.set("formula", formula)
    corpus.set("xfail", "\n".join([xfail] if isinstance(xfail, str) else xfail))
    corpus.set("strict", "1" if strict else "")


def repro_of(fn, op, call):
    """One line of Python that asks a failing case again; {path} stands for its path."""
    module, name = getattr(fn, "__module__", None), getattr(fn, "__qualname__", "")
    keywords = "".join(f", {key}={json.dumps(value)}" for key, value in call.items())
    if module in (None, "__main__", "builtins") or not name or "<" in name:
        name = title_of(fn) if title_of(fn).isidentifier() else "fn"
        return f'print(normproof.check({name}, "{op}"{keywords}, only="{{path}}"))'
    top = title_of(fn).rpartition(".")[0]
    return (f'python3 -c \'import normproof, {top}; print(normproof.check({title_of(fn)}, "{op}"{keywords}, '
            f'only="{{path}}"))\'')


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
    for name, stored in outputs.items():
        try:
            if not (name.startswith("grad_") and name[len("grad_"):] in ("gamma", "beta")
                    and name[len("grad_"):] not in case.tensors):
                corpus.answer(name, stored)
        except UsageError as error:
            return corpus.fail(str(error))
    return None
