"""Asks normproof.judge the questions of verification/interop/false_alarms, and collects counts and failures."""
import collections
import datetime
import os
import platform
import sys
import warnings

import numpy as np

import normproof
from normproof import names
from normproof.errors import NormproofError, UsageError

import false_alarm_findings
import protocol
from false_alarm_implementations import framework_version, implementations
from false_alarm_questions import MODELS, draw_question
from false_alarm_values import range_traits

PASSED, DECLINED, REFUSED, NOT_VERIFIED, FAILED = OUTCOMES = ("passed", "declined", "refused", "not_verified", "failed")
# JAX compiles one question of this number, and runs the operations of the others one by one. A model takes it seconds.
COMPILED_EVERY, MODEL_COMPILED_EVERY = 25, 125
JAX_SHAPES = 3  # of float64, and of the other dtypes, because JAX compiles every operation again for each shape
MAX_TEXT = 600
STATE = protocol.names_in("state")
# The operations whose backward begins at a loss, with their outputs beside the gradients.
LOSS_GRADIENTS = {"cross_entropy": ("loss",), **dict.fromkeys(("encoder", "translator", "language_model"), ("logits", "loss"))}


class Answered:
    """The answer of normproof.judge to one question: an outcome, one sentence, and the failed outputs."""

    def __init__(self, outcome, text, failed=(), report=None):
        self.outcome, self.text, self.failed, self.report = outcome, text, tuple(failed), report


def classify(report):
    """Returns the answer in a report of one case."""
    result = report.results[0]
    if result.declined:
        return Answered(DECLINED, result.json.get("problem") or result.text, report=report)
    failed = [tensor for tensor in result.tensors if tensor["failures"] or tensor["problem"]]
    if result.failed and (failed or not result.tensors or result.json["problem"]):
        return Answered(FAILED, result.text, failed, report)
    if not report.passed or any(tensor["unjudged"] for tensor in result.tensors):
        return Answered(NOT_VERIFIED, result.text, report=report)
    return Answered(PASSED, "", report=report)


def outputs_of_a_loss(question):
    """Returns the names of the outputs of an operation whose backward begins at its loss, so that it takes no grad_y.

    Judge cannot know otherwise that a function returns the gradients, if its framework computes none.
    """
    if question.mode != "training" or not LOSS_GRADIENTS.get(question.op):
        return None
    state = [name for name in question.tensors if name.rpartition(".")[2] in STATE]
    floating = [name for name, value in question.tensors.items()
                if not np.issubdtype(value.dtype, np.integer) and value.dtype != bool and name not in (*state, "class_weights")]
    return [*LOSS_GRADIENTS[question.op], *("grad_" + name for name in floating), *state]


def ask(question, implementation, fn=None, **others):
    """Asks one question. An input that the operation does not take is refused."""
    if implementation.framework == "numpy" and (outputs := outputs_of_a_loss(question)):
        others["outputs"] = outputs
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", normproof.ConventionWarning)
            report = normproof.judge(
                fn or implementation.fn, question.op, framework=implementation.framework, layout=implementation.layout, threads=1,
                **question.arguments_for(implementation.framework), **others)
        ignored = [name for name, value in report.invocation.declared_options.items()
                   if value != names.default_option(question.op, name)]
        if ignored:
            return Answered(DECLINED, f"the implementation takes no option {ignored[0]}")
        # An implementation that passes by another convention failed by that of the question.
        return Answered(FAILED, report.followed) if report.followed else classify(report)
    except UsageError as error:
        return Answered(REFUSED, str(error))
    except NormproofError as error:  # no verdict
        return Answered(FAILED, f"{type(error).__name__}: {error}")


class Study:
    """The questions about one implementation. Throws ImportError if its framework is not installed."""

    def __init__(self, name, seed, offered=None):
        self.name, self.seed = name, seed
        self.offered = implementations(name) if offered is None else offered

    def question(self, op, index):
        dtypes = self.offered[op].dtypes
        return self.draw(op, dtypes[index % len(dtypes)], index)

    def draw(self, op, dtype, index):
        return draw_question(op, dtype, self.seed, index, JAX_SHAPES if self.name == "jax" else None)

    def compile_or_not(self, question):
        """Lets JAX compile some of the questions, because each takes it a quarter of a second and more."""
        if self.name == "jax":
            import jax
            every = MODEL_COMPILED_EVERY if question.op in MODELS else COMPILED_EVERY
            compiles = question.index % every == 0 and question.dtype not in self.offered[question.op].uncompiled
            jax.config.update("jax_disable_jit", not compiles)

    def explain(self, question, answered):
        """Returns what is known about a failure. Other answers to the same question are evidence.

        false_alarm_findings.py describes them.
        """
        implementation = self.offered[question.op]
        evidence = {"flushed": ask(question, implementation, flush_subnormals=True).outcome,
                    "folded": ask(question, implementation, formula="folded").outcome}
        if self.name == "numpy" or question.dtype != "float64":
            wider = implementation.widened(implementation.fn, question.dtype)
            evidence["wider"] = ask(question, implementation, wider).outcome
            evidence["wider_folded"] = ask(question, implementation, wider, formula="folded").outcome
            evidence["wider_flushed"] = ask(question, implementation, wider, flush_subnormals=True).outcome
        if self.name != "numpy":
            twin = self.twins().get(question.op)
            evidence["numpy"] = ask(question, twin).outcome if twin else "absent"
        tensors = [{key: str(tensor[key]) for key in ("name", "problem", "where", "got", "exact", "bound", "ratio")}
                   for tensor in answered.failed]
        return {"implementation": self.name, "version": framework_version(self.name), "op": question.op,
                "dtype": question.dtype, "path": question.path,
                "traits": [*question.traits, *range_traits(question.tensors, question.dtype, question.options)],
                "options": question.options, "text": answered.text[:MAX_TEXT], "tensors": tensors, "evidence": evidence,
                "repro": self.repro(question)}

    def twins(self):
        if not hasattr(self, "_twins"):
            self._twins = implementations("numpy")
        return self._twins

    def repro(self, question):
        return f"verification/interop/false_alarms {self.name} --seed {self.seed} --only {question.path}"

    def run(self, count, ops=(), save=None):
        """Asks `count` questions of each operation. Returns counts and failures, which json can write.

        After each operation, save(result) receives what is known so far.
        """
        result = {"implementation": self.name, "version": framework_version(self.name), "seed": self.seed, "count": count,
                  "ops": list(ops), "offered": list(self.offered),
                  "python": platform.python_version(), "machine": machine(),
                  "normproof": f"{normproof.__version__}, corpus {normproof.corpus_version}",
                  "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"),
                  "rows": [], "failures": [], REFUSED: collections.Counter(), DECLINED: collections.Counter()}
        for op in ops or self.offered:
            if op not in self.offered:
                continue
            counts = collections.defaultdict(collections.Counter)
            for index in range(count):
                question = self.question(op, index)
                self.compile_or_not(question)
                answered = ask(question, self.offered[op])
                counts[question.dtype][answered.outcome] += 1
                if answered.outcome == FAILED:
                    result["failures"].append(self.explain(question, answered))
                elif answered.outcome in (REFUSED, DECLINED):
                    result[answered.outcome][f"{op}: {false_alarm_findings.without_numbers(answered.text)}"] += 1
            result["rows"] += [{"op": op, "dtype": dtype, "questions": sum(found.values()),
                                **{name: found[name] for name in OUTCOMES}} for dtype, found in counts.items()]
            print(f"{self.name} {op}: {count} questions, {sum(found[FAILED] for found in counts.values())} failed",
                  file=sys.stderr, flush=True)
            if save:
                save(result)
        return result

    def show(self, path):
        """Prints the report of one question. Throws ValueError for a path that is not of a question."""
        op, _, rest = path.partition("/")
        dtype, _, index = rest.partition("/")
        if op not in self.offered or dtype not in self.offered[op].dtypes or not index.isdecimal():
            raise ValueError(f"--only {path}: expected OP/DTYPE/INDEX, with an operation and a dtype that {self.name} has")
        question = self.draw(op, dtype, int(index))
        self.compile_or_not(question)
        print(f"{question.path}: mode {question.mode}, {question.options}, {', '.join(question.traits)}")
        for name, value in question.tensors.items():
            print(f"  {name}: {value.dtype} {list(value.shape)}")
        answered = ask(question, self.offered[op])
        print(answered.report if answered.report is not None else answered.text)
        if answered.outcome == FAILED:
            failure = self.explain(question, answered)
            reason = false_alarm_findings.find(failure)
            print(f"reason: {reason.sentence if reason else 'not known'} evidence: {failure['evidence']}")
            return int(false_alarm_findings.is_false_alarm(failure))
        return 0


def machine():
    names = [line.partition(":")[2].strip() for line in open("/proc/cpuinfo", encoding="utf-8")
             if line.startswith("model name")] if os.path.exists("/proc/cpuinfo") else []
    return names[0] if names else platform.machine()
