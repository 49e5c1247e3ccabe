"""Compares the results of a run with what is recorded of every row in implementations/expected.json.

expected.json has, for each row, a list of
  {"what": GLOB, "cases": GLOB of paths, "failed": N, "class": "finding"|"convention"|"ours", "finding": NAME, "reason": TEXT}
A failing case belongs to the first entry that matches it. "finding" names a program of verification/interop/findings
that shows the failure. "flushed": true says that the cases pass if subnormal numbers may be 0 (flush_subnormals of
normproof.check); every run verifies that. {"not_run": GLOB of the reason} records that a row does not run, or not wholly.
"corpus" has the version of the corpus that each row was recorded with.
"""
import collections
import fnmatch

from board_files import BoardError, read_json

CLASSES = ("finding", "convention", "ours")


def read_expected(folder):
    """Returns the recorded entries, by row. Throws BoardError for an invalid entry."""
    path = folder / "expected.json"
    known = read_json(path)
    known.pop("corpus", None)
    for row, entries in known.items():
        for place, entry in enumerate(entries):
            if "not_run" in entry:
                continue
            missing = {"what", "cases", "failed", "class", "reason"} - set(entry)
            if missing or entry["class"] not in CLASSES:
                raise BoardError(f"{path}: {row}[{place}] "
                                 + (f"has no {', '.join(sorted(missing))}" if missing else f"has class {entry['class']!r}")
                                 + f"; expected what, cases, failed, reason and a class of {', '.join(CLASSES)}", 3)
    return known


def other_corpus(folder, results):
    """Returns a sentence if expected.json was recorded with another corpus than these results, or ""."""
    recorded = read_json(folder / "expected.json").get("corpus", {})
    others = [f"{result['row']} is recorded on corpus {recorded[result['row']]}, run on {result['corpus']}" for result in results
              if result["corpus"] and recorded.get(result["row"], result["corpus"]) != result["corpus"]]
    return f"{'; '.join(others)}: numbers of cases may differ" if others else ""


def find_entry(row, what, path, known):
    """Returns the entry that a failing case belongs to, or None."""
    return next((entry for entry in known.get(row, ()) if "not_run" not in entry
                 and fnmatch.fnmatchcase(what, entry["what"]) and fnmatch.fnmatchcase(path, entry["cases"])), None)


def flushed(row, known):
    """Returns [what, glob of paths] for the cases that are recorded to pass if subnormal numbers may be 0."""
    return [[entry["what"], entry["cases"]] for entry in known.get(row, ()) if entry.get("flushed")]


def compare(row, result, known):
    """Returns a sentence for each difference: new failures, failures that are gone, rows that did not run."""
    differences, found = [], collections.Counter()
    entries = [entry for entry in known.get(row, ()) if "not_run" not in entry]
    excused = [entry["not_run"] for entry in known.get(row, ()) if "not_run" in entry]
    as_known = any(fnmatch.fnmatchcase(result["reason"], glob) for glob in excused)
    if result["reason"] and not as_known:
        differences.append(f"{row}: {result['reason']}")
    if not result["reason"] and excused:
        differences.append(f"{row}: it runs; recorded is {excused[0]!r}")
    for held in result["held"]:
        for failure in held["failures"]:
            entry = find_entry(row, held["what"], failure["path"], known)
            if entry is None:
                named = f", {failure['mistakes'][0]}" if failure["mistakes"] else ""
                differences.append(f"{row}: new: {held['what']} fails {failure['path']} ({failure['ratio']} of the bound{named}): "
                            f"{failure['text']}")
            else:
                found[entries.index(entry)] += 1
                if entry.get("flushed") and not failure.get("flushed", True):
                    differences.append(f"{row}: {held['what']} fails {failure['path']} with flush_subnormals=True too; recorded is that "
                                f"it passes ({entry['reason']})")
    for place, entry in enumerate(entries):
        if result["ran"] and found[place] != entry["failed"]:
            gone = "gone: " if found[place] == 0 else ""
            differences.append(f"{row}: {gone}{entry['what']}, {entry['cases']}: {found[place]} fail, {entry['failed']} are recorded "
                        f"({entry['reason']})")
    return differences
