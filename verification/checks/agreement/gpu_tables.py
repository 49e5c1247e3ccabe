"""Formats the results of on_a_gpu as the Markdown tables of docs/guide/gpu.md and docs/measurements/performance.md."""
import re

import gpu_lines


def table(title, columns, rows):
    """Returns a table with its title, or "" if there are no rows."""
    if not rows:
        return ""
    lines = [f"### {title}", "", f"| {' | '.join(columns)} |", "|" + "---|" * len(columns)]
    lines += ["| " + " | ".join(" ".join(str(cell).splitlines()).replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n\n"


def commands_of(results, prefix):
    """Yields (line, command) for the lines whose names begin with the prefix, in the order of the
    list."""
    for line in gpu_lines.lines():
        if line.name.startswith(prefix) and line.name in results:
            for command in results[line.name]["commands"]:
                yield line.name, command


def last_line(text):
    return (text.strip().splitlines() or [""])[-1]


def why(result):
    """Returns the reason why a line failed."""
    failed = next(command for command in result["commands"] if command.get("failed"))
    return f"`{failed['command']}`: status {failed['status']}: {last_line(failed['err']) or last_line(failed['out'])}"


def states(results):
    rows = []
    first = {line.name: line for line in gpu_lines.lines()}
    for name, line in first.items():
        if name not in results:
            simulated = next(iter(results.values()))["device"] == "simulated"
            rows.append((name, line.what, "not run", "", f"{line.seconds:.0f}", line.needs_gpu if simulated else ""))
            continue
        result = results[name]
        said = why(result) if result["state"] == "failed" else ""
        rows.append((name, line.what, result["state"], f"{result['seconds']:.1f}", f"{line.seconds:.0f}", said))
    return table("The list", ("line", "what", "state", "s", "estimated", "says"), rows)


def agreement(results):
    rows = []
    for name, command in commands_of(results, "agree-"):
        for row in (command.get("rows") or {}).get("operations", ()):
            rows.append((row["operation"], "standard" if name == "agree-standard" else "quick", row["cases"],
                         row["elements"], row["refused"], row["difference"] or "same bits"))
    return table("Agreement, every bit against ref", ("operation", "tier", "cases", "elements", "refused", "verdict"),
                 rows)


def library(results):
    rows = []
    for _, command in commands_of(results, "library-"):
        found = command.get("rows") or {}
        for row in found.get("operations", ()):
            rows.append((found["precision"], row["operation"], row["cases"], row["elements"], row["not_judged"],
                         *(f"{float(row[share]):.3g}" for share in ("of_bound", "of_sums")),
                         row["difference"] or "within"))
    return table("Products of cuBLAS, within their bounds",
                 ("precision", "operation", "cases", "elements", "not judged", "of bound", "of sums", "verdict"), rows)


def trajectories(results):
    rows = []
    for _, command in commands_of(results, "trajectory"):
        hashes = re.findall(r"^sha256 ([0-9a-f]{64}) ", command["out"], re.M)
        verdict = re.search(r"by ref: ((?:the same|another) trajectory)", command["out"])
        rows.append((command["out"].split("\n", 1)[0], hashes[0] if hashes else "",
                     verdict[1] if verdict else f"status {command['status']}"))
    return table("Trajectories", ("what", "sha256 on the device", "beside ref"), rows)


def orders(results):
    rows = []
    for _, command in commands_of(results, "order-"):
        said = command["out"].splitlines()
        tree = said[1].split(": ", 1)[-1] if len(said) > 1 else ""
        rows.append((f"`{command['command']}`", tree if len(tree) <= 80 else tree[:77] + "...",
                     "; ".join(said[2:]) or f"status {command['status']}: {last_line(command['err'])}"))
    return table("Orders of addition", ("command", "order", "says"), rows)


def sanitizer(results):
    rows = []
    for tool in gpu_lines.TOOLS:
        for _, command in commands_of(results, tool):
            verb = command["command"].split(" normproof ", 1)[-1]
            summary = re.findall(r"^=+ (ERROR SUMMARY|RACECHECK SUMMARY): (.*)$", command["out"] + command["err"], re.M)
            said = summary[-1][1] if summary else f"status {command['status']}"
            rows.append((tool, f"`{verb}`", "clean" if command["status"] == 0 else "reported", said))
    return table("compute-sanitizer", ("tool", "command", "verdict", "says"), rows)


def speed(results):
    """Returns the tables of verification/benchmark/run as it printed them."""
    parts = []
    for name, command in commands_of(results, "speed-"):
        parts.append(f"`{command['command']}` ({results[name]['began'][:10]}):\n\n{command['out'].strip()}\n")
    return "## For docs/measurements/performance.md\n\n" + "\n".join(parts) + "\n" if parts else ""


def sentences(results):
    """Returns the last lines of the outputs that end with a sentence."""
    return "".join(f"{name}: {last_line(command['out'])} (`{command['command']}`).\n\n"
                   for line in ("golden", "study") for name, command in commands_of(results, line))


def head(results):
    """Returns all machines, dates and programs of the results."""
    machines = sorted({result["machine"] for result in results.values()})
    dates = sorted({result["began"][:10] for result in results.values()})
    programs = {}
    for name, result in results.items():
        programs.setdefault(result["program"][:12], []).append(name)
    said = next(iter(programs)) if len(programs) == 1 else "; ".join(
        f"{program}: {', '.join(names)}" for program, names in programs.items())
    days = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"
    note = "" if next(iter(results.values()))["device"] == "cuda" else \
        "A rehearsal on the simulated device: nothing here was run on a GPU, and no time says anything of one.\n\n"
    return (f"## {'; '.join(machines)}, {days}\n\n{note}`verification/checks/agreement/on_a_gpu`, program {said} "
            "(first digits of its SHA-256).\n\n")


def report(results):
    return (head(results) + states(results) + agreement(results) + trajectories(results) + library(results) +
            orders(results) + sanitizer(results) + sentences(results) + speed(results)).rstrip("\n") + "\n"
