"""Renders the results of verification/interop/false_alarms as a page of Markdown."""
import collections

import false_alarm_findings as findings

COLUMNS = ("questions", "passed", "declined", "refused", "not_verified", "failed")
TITLES = {"numpy": "NumPy", "torch": "PyTorch", "jax": "JAX"}


def false_alarms(result):
    """Returns the failures that are false alarms, and those without a known reason."""
    return [failure for failure in result["failures"] if findings.is_false_alarm(failure)]


def joined(first, later):
    """Returns two results of one implementation as one. If both have an operation, the later result counts."""
    repeated = {row["op"] for row in later["rows"]}
    fields = {field: [entry for entry in first[field] if entry["op"] not in repeated] + later[field]
              for field in ("rows", "failures")}
    for field in ("refused", "declined"):
        kept = {sentence: count for sentence, count in first[field].items() if sentence.partition(":")[0] not in repeated}
        fields[field] = {**kept, **later[field]}
    asked = {row["op"] for row in fields["rows"]}
    ops = [] if asked == set(later["offered"]) else sorted(asked)
    return {**later, **fields, "ops": ops}


def merge(results):
    """Joins the results that have the same implementation, version, seed and number of questions."""
    found = {}
    for result in results:
        key = tuple(result[name] for name in ("implementation", "version", "seed", "count", "normproof"))
        found[key] = joined(found[key], result) if key in found else result
    return list(found.values())


def table(columns, rows):
    """Returns the lines of a table. A bar in a cell is escaped."""
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    return lines + ["| " + " | ".join(str(cell).replace("|", "\\|") for cell in row) + " |" for row in rows]


def paragraph(text, width=100):
    """Returns the lines of a paragraph, wrapped at a width."""
    lines, line = [], ""
    for word in text.split():
        if line and len(line) + 1 + len(word) > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}".strip()
    return [*lines, line]


def facts(results):
    rows = [(TITLES[result["implementation"]], result["version"], result["python"], result["date"],
             f"`verification/interop/false_alarms {result['implementation']} --questions {result['count']} "
             f"--seed {result['seed']}" + "".join(f" --op {op}" for op in result.get("ops", ())) + "`") for result in results]
    first = results[0]
    return [*table(("implementation", "version", "Python", "date", "command"), rows), "",
            *paragraph(f"The processor is {first['machine']}. The version of normproof is {first['normproof']}.")]


def totals(results):
    rows = []
    for result in results:
        counts = collections.Counter()
        for row in result["rows"]:
            counts.update({name: row[name] for name in COLUMNS})
        wrong = len(false_alarms(result))
        rows.append((TITLES[result["implementation"]], *(f"{counts[name]:,}" for name in COLUMNS),
                     f"{len(result['failures']) - wrong:,}", f"{wrong:,}"))
    return table(("implementation", *(name.replace("_", " ") for name in COLUMNS), "of them true", "false alarms"), rows)


def reason_rows(results):
    """Returns one row per reason: how often, for which operations and dtypes, and a line that repeats one question."""
    grouped = collections.defaultdict(list)
    for result in results:
        for failure in result["failures"]:
            grouped[findings.find(failure)].append(failure)
    for reason in (None, *findings.REASONS):
        found = grouped.get(reason, [])
        if found:
            yield (reason.name if reason else "not known", reason.kind if reason else "possible false alarm",
                   reason.sentence if reason else "", len(found),
                   ", ".join(dict.fromkeys(TITLES[failure["implementation"]] for failure in found)),
                   ", ".join(sorted({failure["op"] for failure in found})),
                   ", ".join(sorted({failure["dtype"] for failure in found})), f"`{found[0]['repro']}`")


def places(results):
    """Returns the indices of the failed questions, by implementation, operation, dtype and reason."""
    grouped = collections.defaultdict(list)
    for result in results:
        for failure in result["failures"]:
            reason = findings.find(failure)
            key = TITLES[failure["implementation"]], failure["op"], failure["dtype"], reason.name if reason else "not known"
            grouped[key].append(failure["path"].rpartition("/")[2])
    return table(("implementation", "operation", "dtype", "reason", "failed", "indices"),
                 [(*key, len(found), " ".join(found)) for key, found in grouped.items()])


def sentences(results, field):
    counts = collections.Counter()
    for result in results:
        counts.update(result[field])  # a dictionary of numbers
    return [(count, sentence) for sentence, count in counts.most_common()]


def unknown_failures(results):
    return [(failure["implementation"], failure["path"], failure["text"], failure["evidence"])
            for result in results for failure in result["failures"] if findings.find(failure) is None]


INTRODUCTION = (
    "The command `verification/interop/false_alarms` calls `normproof.judge` with random questions about implementations that "
    "are right: functions of PyTorch and of JAX, and formulas in NumPy. A failure is therefore either a false alarm or a "
    "finding about the implementation. The commands in the table print the tables of this page.")
QUESTIONS = (
    "The dtypes alternate. Each question has a random shape, options, magnitude and regime. Some questions have infinities, "
    "NaN or signed zeros. The line `verification/interop/false_alarms IMPLEMENTATION --seed SEED --only "
    "OPERATION/DTYPE/INDEX` repeats one question. JAX runs most questions without `jax.jit`, and with few shapes per dtype, "
    "because it compiles each shape again.")
TWINS = (
    "The questions cover every operation except `none`, which computes nothing. Norms that a library lacks, and models, are "
    "formulas of its tensors with its derivatives. Models and optimizers of 16 bits are computed in float32 and rounded at the "
    "end. In JAX, models with `power_norm` are declined: its backward changes nu, which a function that `jax.vjp` "
    "differentiates cannot return.")
OUTCOMES = (
    "A question is *refused* if normproof says in one sentence that the operation does not take such inputs. It is *declined* "
    "if the implementation does not offer an option. It is *not verified* if nothing failed, but some elements have a bound "
    "that accepts any value.")
REPEATED = (
    "Each failed question was repeated where subnormal numbers may be flushed, where `x r - m r` is accepted for `(x - m) r`, "
    "in a wider dtype, and with NumPy in the same dtype. The entries of `verification/interop/false_alarm_findings.py` decide "
    "from these results.")


def section(title, text, rows):
    """Returns the lines of a section with a paragraph and a table, or none if the table has no rows."""
    return [f"## {title}", "", *paragraph(text), "", *rows, ""] if len(rows) > 2 else []


def render(results):
    """Returns the page."""
    reasons = table(("reason", "kind", "sentence", "failed", "implementations", "operations", "dtypes", "repeat one"),
                    reason_rows(results))
    lines = ["# False alarms", "", *paragraph(INTRODUCTION), "", *facts(results), "", *paragraph(QUESTIONS), "",
             *paragraph(TWINS), "", *section("Results", OUTCOMES, totals(results)),
             *section("Reasons of failures", REPEATED, reasons),
             *section("Failed questions", "`--only OPERATION/DTYPE/INDEX` repeats each of them.", places(results)),
             *section("Failures without a known reason", "No entry explains these failures.",
                      table(("implementation", "question", "verdict", "evidence"), unknown_failures(results)))]
    for field, title in (("refused", "Refused questions"), ("declined", "Declined questions")):
        lines += section(title, "In the sentences, # stands for a number.",
                         table(("questions", "sentence"), sentences(results, field)))
    rows = [(TITLES[result["implementation"]], row["op"], row["dtype"], *(row[name] for name in COLUMNS))
            for result in results for row in result["rows"]]
    columns = ("implementation", "operation", "dtype", *(name.replace("_", " ") for name in COLUMNS))
    lines += section("All operations", "Each row has the questions about one operation in one dtype.", table(columns, rows))
    return "\n".join(lines[:-1]) + "\n"
