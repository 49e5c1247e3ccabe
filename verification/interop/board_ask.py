"""Judges the entries of one row, in the environment of its library: board_ask.py PACKAGE MODULE LIBRARY OUT FLUSHED.

FLUSHED is a JSON list of [what, glob of paths]. Failing cases of these are repeated with flush_subnormals=True, and
"flushed" says whether they pass then.
Writes one JSON object per line to OUT, each at once: {"version", "corpus"}, then for each function and dtype
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

MAX_TEXT_LENGTH = 240
CASE_SECONDS = 600  # an interpreted kernel of a thousand rows takes minutes on a busy machine


def failure_of(result):
    """Returns a failing case with the known mistakes, or the formulas, that explain its error."""
    allowed = [sentence.split("no farther off than ")[1].split(" may be")[0] for sentence in result.json.get("diagnosis", ())
               if "no farther off than " in sentence]
    mistakes = result.mistakes or [f"within {name}" for name in allowed]
    return {"path": result.path, "ratio": number(result.ratio), "mistakes": mistakes, "text": result.text[:MAX_TEXT_LENGTH]}


def number(ratio):
    """Returns a ratio for JSON, which has no infinity and no NaN."""
    return ratio if math.isfinite(ratio) else "inf"


def passes_flushed(entry, dtype, options, path):
    """Whether a case passes if subnormal inputs and results may be 0."""
    flushing = {**options, "only": path.split("/")[2], "flush_subnormals": True}
    return bool(normproof.check(entry.fn, entry.op, dtype=dtype, **flushing))


def ask(entry, dtype, flushed):
    """Judges an entry in one dtype. Returns the JSON object with the result."""
    line = {"what": entry.what, "op": entry.op, "dtype": dtype, "cases": 0, "passed": 0, "failed": 0, "not_offered": 0,
            "worst": 0.0, "failures": [], "problem": ""}
    options = {"seconds": CASE_SECONDS, **entry.options}
    try:
        report = normproof.check(entry.fn, entry.op, dtype=dtype, **options)
        failures = [failure_of(result) for result in report.failures]
        for failure in failures:
            if any(what == entry.what and fnmatch.fnmatchcase(failure["path"], cases) for what, cases in flushed):
                failure["flushed"] = passes_flushed(entry, dtype, options, failure["path"])
    except Exception as error:  # this function and dtype fail, and no others
        return {**line, "problem": in_one_line(error)}
    judged = [result for result in report.results if not result.declined]
    ratios = [math.inf if math.isnan(result.ratio) else result.ratio for result in judged]
    return {**line, "cases": len(report.results), "passed": sum(result.passed for result in judged),
            "failed": len(report.failures), "not_offered": len(report.declined), "worst": number(max(ratios, default=0.0)),
            "failures": failures, "conventions": report.conventions,
            "declined": sorted({result.text for result in report.declined})[:6]}


def version_of(library, module):
    """Returns the version of the installed package, or of the module: Debian installs modules without a package."""
    try:
        return importlib.metadata.version(library)
    except importlib.metadata.PackageNotFoundError:
        return importlib.import_module(library).__version__


def main():
    package, module, library, out, flushed = sys.argv[1:]
    entries = importlib.import_module(f"{package}.{module}").entries()
    with open(out, "w", encoding="utf-8") as file:
        def write(line):
            file.write(json.dumps(line) + "\n")
            file.flush()
        with Corpus(folders.tier_folder("quick")) as corpus:
            write({"version": version_of(library, module), "corpus": corpus.version()})
        for entry in entries:
            for dtype in entry.dtypes:
                write(ask(entry, dtype, json.loads(flushed)))


if __name__ == "__main__":
    main()
