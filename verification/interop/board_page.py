"""Makes the report of the board as plain JSON values, from which `normproof render` writes the documents."""
import collections
import json
import math
import pathlib
import subprocess

import board_record
import board_rows
from board_files import BoardError, TOP

FINDINGS = "verification/interop/findings"
COLUMNS = (("library", "left"), ("version", "left"), ("corpus", "left"), ("held", "left"), ("operation", "left"), ("cases", "right"),
           ("passed", "right"), ("failed", "right"), ("not offered", "right"), ("largest share", "right"),
           ("fails in", "left"), ("named mistake", "left"), ("why", "left"))


def share(value):
    """Returns an error over the bound, with three digits."""
    return "inf" if value == "inf" or not math.isfinite(float(value)) else f"{float(value):.3g}"


def merged(result):
    """Returns the results of a row by function; the dtypes of a function are merged."""
    lines = {}
    for held in result["held"]:
        lines.setdefault((held["what"], held["op"]), []).append(held)
    return lines


def reasons_of(row, what, failures, known):
    """Returns why the cases of a function fail, by expected.json: "finding torch_gelu", "convention: no eps"."""
    said = collections.Counter()
    for failure in failures:
        entry = board_record.find_entry(row, what, failure["path"], known)
        if entry is None:
            said["NEW"] += 1
        elif entry.get("finding"):
            said[f"{entry['class']} {entry['finding']}"] += 1
        else:
            said[f"{entry['class']}: {entry['reason']}"] += 1
    return "; ".join(said)


def table_row(result, what, op, helds, known):
    failures = [failure for held in helds for failure in held["failures"]]
    mistakes = collections.Counter(failure["mistakes"][0] for failure in failures if failure["mistakes"])
    total = {key: sum(held[key] for held in helds) for key in ("cases", "passed", "failed", "not_offered")}
    worst = max((math.inf if held["worst"] == "inf" else held["worst"] for held in helds), default=0.0)
    fails_in = ", ".join(f"{held['dtype']} {held['failed']} of {held['cases'] - held['not_offered']}" for held in helds
                         if held["failed"])
    named = "; ".join(f"{name} ({count})" for name, count in mistakes.most_common(2))
    why = reasons_of(result["row"], what, failures, known)
    dtypes = " ".join(held["dtype"].replace("float", "f") for held in helds)
    cells = [result["row"], result["version"], result["corpus"].partition("+")[0], f"{what} ({dtypes})", op, *(str(total[key]) for key in total), share(worst),
             fails_in, named, why]
    tone = "plain" if not failures else "bad" if "NEW" in why else "expected"
    notes = [f"{held['dtype']}: {held['problem']}" for held in helds if held["problem"]]
    return {"cells": cells, "tone": tone, "notes": notes}


def document(rows, results, known, differences):
    """Returns the report. `differences` are the sentences about what is not as recorded."""
    table = [table_row(result, what, op, helds, known) for result in results
             for (what, op), helds in merged(result).items()]
    not_run = [f"{result['row']}: {'not run' if not result['ran'] else 'not whole'}: {result['reason']}" for result in results
               if result["reason"]]
    absent = sorted({row["row"] for row in rows} - {result["row"] for result in results})
    not_run += [f"{name}: not run: it was not asked" for name in absent]
    failed = sum(held["failed"] for result in results for held in result["held"])
    judged = sum(held["cases"] - held["not_offered"] for result in results for held in result["held"])
    corpora = collections.Counter(result["corpus"] for result in results if result["corpus"])
    of = " and ".join(f"{name} ({count} rows)" if len(corpora) > 1 else name for name, count in sorted(corpora.items()))
    limits = sorted({row.get("seconds", board_rows.SECONDS) for row in rows})
    ran = sum(result["ran"] for result in results)
    parts = [{"heading": "Board", "level": 1},
             {"paragraph": f"Kernels of others held against the quick tier of corpus {of} by "
                           f"verification/interop/board: {ran} of {len(rows)} rows ran, {judged:,} answers were judged, "
                           f"{failed:,} failed. Shares are those of the bound; where it is above 1 a case fails. "
                           f"A row has {' or '.join(f'{limit:,}' for limit in limits)} seconds."},
             {"table": "", "columns": [{"name": name, "align": align} for name, align in COLUMNS], "rows": table}]
    parts += [{"heading": "Not run", "level": 2}, {"list": not_run}] if not_run else []
    parts += [{"heading": "Not as recorded", "level": 2}, {"list": differences}] if differences else []
    parts += explained(results, known)
    return {"title": "normproof: board", "parts": parts}


def first_lines(path):
    """Returns the first paragraph of a program's docstring."""
    text = path.read_text(encoding="utf-8").split('"""')[1]
    return " ".join(text.strip().split("\n\n")[0].split())


def explained(results, known):
    """Returns the parts that explain the failures: each finding with its program, and the other classes."""
    used, others = collections.Counter(), collections.Counter()
    for result in results:
        for held in result["held"]:
            for failure in held["failures"]:
                entry = board_record.find_entry(result["row"], held["what"], failure["path"], known)
                if entry and entry.get("finding"):
                    used[entry["finding"]] += 1
                elif entry:
                    others[f"{entry['class']}: {result['row']}, {held['what']}: {entry['reason']}"] += 1
    parts = [{"heading": "Findings", "level": 2}] if used else []
    for name, count in sorted(used.items()):
        path = TOP / FINDINGS / f"{name}.py"
        parts += [{"heading": name, "level": 3}, {"paragraph": f"{first_lines(path)} Failing answers: {count}."},
                  {"code": f"{FINDINGS}/{name}.py"}]
    if others:
        parts += [{"heading": "Conventions, and what is ours", "level": 2},
                  {"list": [f"{text} ({count})" for text, count in sorted(others.items())]}]
    return parts


def render(program, written, folder):
    """Returns the document as {"text", "markdown", "html"}. Throws BoardError if the program fails."""
    source = folder / "board.json"
    source.write_text(json.dumps(written), encoding="utf-8")
    markdown, html = folder / "board.md", folder / "board.html"
    done = subprocess.run([program, "render", "--document", source, "--markdown", markdown, "--html", html],
                          capture_output=True, text=True)
    if done.returncode != 0:
        raise BoardError(f"{pathlib.Path(program).name} render: {done.stderr.strip()}", 3)
    return {"text": done.stdout, "markdown": markdown.read_text(encoding="utf-8"),
            "html": html.read_text(encoding="utf-8")}
