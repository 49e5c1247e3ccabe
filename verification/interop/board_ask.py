"""Asks what one row holds, in the environment of its library: board_ask.py PACKAGE MODULE LIBRARY OUT FLUSHED.

FLUSHED is a JSON list of [what, glob of paths]: failing cases of these are asked again with flush_subnormals=True, and
say by "flushed" whether they pass then.
OUT gets an object a line, each at once: {"version", "framework", "corpus"}, then for every function and dtype
{"what", "op", "dtype", "cases", "passed", "failed", "not_offered", "worst", "failures": [...], "problem"}.
"""
import fnmatch
import importlib
import importlib.metadata
import json
import math
import sys

import normproof
from normproof.corpus import Corpus
from normproof import folders
from normproof.errors import in_one_line

MOST_TEXT = 240
CASE_SECONDS = 600  # an interpreted kernel of a thousand rows takes minutes on a busy machine


def failure_of(result):
    """One failing case; its mistakes: those it agrees with, else what it is no farther off than."""
    allowed = [sentence.split("no farther off than ")[1].split(" may be")[0] for sentence in result.json.get("diagnosis", ())
               if "no farther off than " in sentence]
    mistakes = result.mistakes or [f"within {name}" for name in allowed]
    return {"path": result.path, "ratio": number(result.ratio), "mistakes": mistakes, "text": result.text[:MOST_TEXT]}


def number(ratio):
    """JSON has no infinity and no NaN."""
    return ratio if math.isfinite(ratio) else "inf"


def passes_flushed(held, dtype, options, path):
    """Whether a case passes where results and inputs that are subnormal may be 0."""
    return bool(normproof.check(held.fn, held.op, dtype=dtype, **{**options, "only": path.split("/")[2], "flush_subnormals": True}))


def ask(held, dtype, flushed):
    line = {"what": held.what, "op": held.op, "dtype": dtype, "cases": 0, "passed": 0, "failed": 0, "not_offered": 0,
            "worst": 0.0, "failures": [], "problem": ""}
    options = {"seconds": CASE_SECONDS, **held.options}
    try:
        report = normproof.check(held.fn, held.op, dtype=dtype, **options)
        failures = [failure_of(result) for result in report.failures]
        for failure in failures:
            if any(what == held.what and fnmatch.fnmatchcase(failure["path"], cases) for what, cases in flushed):
                failure["flushed"] = passes_flushed(held, dtype, options, failure["path"])
    except Exception as error:  # of this function and dtype alone
        return {**line, "problem": in_one_line(error)}
    judged = [result for result in report.results if not result.declined]
    ratios = [math.inf if math.isnan(result.ratio) else result.ratio for result in judged]
    return {**line, "cases": len(report.results), "passed": sum(result.passed for result in judged),
            "failed": len(report.failures), "not_offered": len(report.declined), "worst": number(max(ratios, default=0.0)),
            "failures": failures, "conventions": report.conventions,
            "declined": sorted({result.text for result in report.declined})[:6]}


def version_of(library, module):
    """Of the installed package; Debian's Python has modules without one."""
    try:
        return importlib.metadata.version(library)
    except importlib.metadata.PackageNotFoundError:
        return importlib.import_module(library).__version__


def main():
    package, module, library, out, flushed = sys.argv[1:]
    held = importlib.import_module(f"{package}.{module}").held()
    with open(out, "w", encoding="utf-8") as file:
        def write(line):
            file.write(json.dumps(line) + "\n")
            file.flush()
        with Corpus(folders.tier_folder("quick")) as corpus:
            write({"version": version_of(library, module), "corpus": corpus.version()})
        for one in held:
            for dtype in one.dtypes:
                write(ask(one, dtype, json.loads(flushed)))


if __name__ == "__main__":
    main()
