"""Compares the GPU path with PyTorch and open kernel libraries: prints tables of alternating rounds
of device_benchmark, torch_device.py and torch_kernels.py."""
import json
import pathlib
import platform
import re
import statistics
import subprocess
import sys

from least_time import least_time

here = pathlib.Path(__file__).resolve().parent
# The targets of docs/measurements/performance.md: shares of the copy and of cublasDgemm, and times relative to PyTorch and to the
# fastest kernel.
COPY, OF_FORMAT, PEER, BEST = 0.85, 0.9, 1.0, 1.05
PRODUCTS = {"double": 0.95, "ordered": 0.5}
STEPS = {"double": 0.8, "ordered": 1.5}
MODES = {"ordered": "ordered_products", "double": "LibraryProducts, double"}


def machine(device):
    """Returns the name of the device and of the machine for the table's heading."""
    if device == "cuda":
        try:
            return subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"],
                                  check=True, capture_output=True, text=True).stdout.splitlines()[0]
        except (OSError, subprocess.CalledProcessError, IndexError):
            return "a GPU that nvidia-smi does not name"
    return f"the simulated device, {platform.processor() or platform.machine()}"


def complain(status, sentence):
    print(f"run: {sentence}", file=sys.stderr)
    sys.exit(status)


def entries_of(program, output):
    """Runs a program of Google Benchmark and returns its JSON output."""
    try:
        return json.loads(output)["benchmarks"]
    except (ValueError, KeyError, TypeError):
        complain(2, f"{program} prints no rows; expected device_benchmark")


def ours(program, device, only):
    """Returns Google Benchmark's entries by row name."""
    result = subprocess.run(
        [program, "--device", device,
         f"--benchmark_filter=^(copy|{re.escape(only)})" if only else "--benchmark_filter=.",
         "--benchmark_format=json", least_time(program, 0.2 if device == "cuda" else 0.001)],
        stdout=subprocess.PIPE, text=True)
    if result.returncode:
        # The JSON contains the reason if a row ended with an error.
        said = entries_of(program, result.stdout) if result.returncode == 1 and result.stdout else ()
        for entry in said:
            if entry.get("error_occurred"):
                print(f"run: {entry['name']}: {entry['error_message']}", file=sys.stderr)
        sys.exit(result.returncode)
    rows = {entry["name"].removesuffix("/real_time"): entry for entry in entries_of(program, result.stdout)}
    if not any(row.startswith(only) for row in rows):
        complain(2, f"--only {only} names no row; expected the beginning of one such as norm/layer_norm")
    return rows


def lacks(python, statement, what):
    """Returns the end of a sentence that says what a Python interpreter lacks to run a statement, or ""."""
    try:
        failed = subprocess.run([python, "-c", statement], capture_output=True).returncode
    except OSError as error:
        return f"cannot be started ({error.strerror})"
    return f"has no {what}" if failed else ""


def theirs(python, device, names, script="torch_device.py", library=()):
    """Returns the results of a script, and the reason if it failed."""
    command = [python, here / script, "cuda" if device == "cuda" else "cpu", "0.3" if device == "cuda" else "0",
               *library, *names]
    try:
        result = subprocess.run(command, capture_output=True, text=True)
        if not result.returncode:
            found = json.loads(result.stdout)
            sys.stderr.write(result.stderr)
            return found, ""
    except (OSError, ValueError) as error:
        return None, str(error)
    said = result.stderr.strip().splitlines()
    if result.returncode < 0 or not said:
        return None, f"signal {-result.returncode}" if result.returncode < 0 else f"status {result.returncode}"
    return None, said[-1].removeprefix(f"{script}: ")


# The norms that torch_device.py times; norms with a format only if its PyTorch release supports them.
PEERS = {"layer_norm", "batch_norm", "layer_norm_float32", "layer_norm_bfloat16", "layer_norm_float16",
         "rms_norm_float32", "rms_norm_bfloat16", "rms_norm_float16"}
FORMATS = ("_float32", "_bfloat16", "_float16")
# The norms of each library that torch_kernels.py times, in each of these formats.
KERNELS = {"quack": {"layer_norm", "rms_norm", "add_rms_norm"}, "Liger": {"layer_norm", "rms_norm", "add_rms_norm"},
           "Apex": {"layer_norm", "rms_norm"}, "FastLayerNorm": {"layer_norm"}}


def peer_of(row):
    """Returns the name that a row of device_benchmark has in torch_device.py, or None if it has none there."""
    kind, *parts = row.split("/")
    if kind == "norm" and parts[0] in PEERS:
        return row
    return row.rpartition("/")[0] if kind == "step" else None


def has_kernel(library, row):
    kind, name, *_ = row.split("/") + [""]
    return kind == "norm" and name.endswith(FORMATS) and name.rpartition("_")[0] in KERNELS[library]


def spread(values, form):
    return f"{form(statistics.median(values))} ({form(min(values))} to {form(max(values))})"


def percent(value):
    return f"{100 * value:.3g} %"


def ratio(value):
    return f"{value:.2f}"


def times_of(samples, name):
    """Returns the milliseconds of a row in each round, or nothing if they are missing in a round."""
    return [sample[name] for sample in samples] if all(name in sample for sample in samples) else []


class Rounds:
    """The measurements of all rounds: our entries, and the milliseconds of PyTorch and of each
    library if available, by their names of a row."""

    def __init__(self):
        self.mine, self.theirs = [], []
        self.kernels = {library: [] for library in KERNELS}

    def without_peers(self):
        alone = Rounds()
        alone.mine = self.mine
        return alone

    def rows(self, kind):
        return [row for row in self.mine[0] if row.startswith(kind + "/")]

    def ms(self, row):
        return f"{statistics.median(sample[row]['real_time'] for sample in self.mine):.4g}"

    def rate(self, row, counter, unit):
        return f"{statistics.median(sample[row][counter] for sample in self.mine) / unit:.4g}"

    def beside(self, row, other, counter):
        """Returns, for each round, the ratio of a row's rate to that of another row, or "" if there is no such row."""
        if other not in self.mine[0]:
            return ""
        return spread([sample[row][counter] / sample[other][counter] for sample in self.mine], percent)

    def against(self, row):
        """Returns, for each round, PyTorch's milliseconds and the ratio of our time to them."""
        return self.beside_times(row, times_of(self.theirs, peer_of(row)))

    def against_kernels(self, row):
        """Returns milliseconds and ratios for each library, then the ratio to the fastest one (or
        PyTorch), and its target."""
        each = [times_of(self.kernels[library], row) for library in KERNELS]
        cells = [cell for times in each for cell in self.beside_times(row, times)]
        if not any(has_kernel(library, row) for library in KERNELS):
            return *cells, "", ""
        there = [times for times in (*each, times_of(self.theirs, peer_of(row))) if times]
        best = [min(times) for times in zip(*there)]
        return *cells, self.beside_times(row, best)[1], f"≤ {BEST:g}"

    def beside_times(self, row, times):
        if not times:
            return "", ""
        ratios = [mine[row]["real_time"] / time for mine, time in zip(self.mine, times)]
        return f"{statistics.median(times):.4g}", spread(ratios, ratio)


def line(*cells):
    print("| " + " | ".join(cells) + " |", flush=True)


def header(*cells):
    print()
    line(*cells)
    print("|" + "---|" * len(cells))


def tables(rounds):
    copy, = rounds.rows("copy")
    print(f"\nA copy of {int(copy.split('/')[1]):,} bytes: {rounds.rate(copy, 'bytes_per_second', 1e9)} GB/s, "
          "read and written.")
    if rounds.rows("norm"):
        header("norm", "direction", "rows x width", "normproof ms", "GB/s", "of the copy", "aim", "PyTorch ms",
               "ratio", "aim", *(cell for library in KERNELS for cell in (f"{library} ms", "ratio")), "of the best", "aim")
    for row in rounds.rows("norm"):
        _, name, direction, size = row.split("/")
        theirs, beside = rounds.against(row)
        line(name, direction, size, rounds.ms(row), rounds.rate(row, "bytes_per_second", 1e9),
             rounds.beside(row, copy, "bytes_per_second"), "" if name == "none" else f"≥ {percent(OF_FORMAT if name.endswith(FORMATS) else COPY)}",
             theirs, beside, "" if peer_of(row) is None else f"< {PEER:g}", *rounds.against_kernels(row))
    if rounds.rows("product"):
        header("matrices, rows x columns x depth", "form", "by", "ms", "GFLOP/s", "of cublasDgemm", "aim")
    for row in rounds.rows("product"):
        _, size, form, who = row.split("/")
        bare = "/".join(("product", size, form, "cublasDgemm"))
        line(size.replace("@", " of "), form, who, rounds.ms(row), rounds.rate(row, "items_per_second", 1e9),
             "" if who == "cublasDgemm" else rounds.beside(row, bare, "items_per_second"),
             f"≥ {percent(PRODUCTS[who])}" if who in PRODUCTS else "")
    if rounds.rows("step"):
        header("layers x d_model", "batch x length", "vocabulary", "products", "normproof ms", "PyTorch ms",
               "ratio", "aim")
    for row in rounds.rows("step"):
        _, size, batch, vocabulary, mode = row.split("/")
        line(size, batch, vocabulary, MODES[mode], rounds.ms(row), *rounds.against(row), f"≤ {STEPS[mode]:g}")


def kernels_of(rounds, python, device, versions):
    """Adds a round of each library that has not failed. A library that fails gets empty columns and
    a reason."""
    for library in list(versions):
        names = [row for row in rounds.mine[-1] if has_kernel(library, row)]
        if not names:
            continue
        found, why = theirs(python, device, names, "torch_kernels.py", (library,))
        if found is None:
            print(f"run: {library}: its columns are empty ({why.removeprefix(library + ': ')})", file=sys.stderr)
            rounds.kernels[library] = []
            del versions[library]
        else:
            rounds.kernels[library].append(found["ms"])
            versions[library] = found["version"]


def run(program, python, device, number, only):
    probe = "import torch; assert torch.cuda.is_available()" if device == "cuda" else "import torch"
    lack = lacks(python, probe, "torch that sees a GPU" if device == "cuda" else "torch")
    if lack:
        print(f"{python} {lack}: its columns are empty.\n", flush=True)
    rounds, version, with_peer, versions = Rounds(), "", not lack, dict.fromkeys(KERNELS)
    for _ in range(number):
        rounds.mine.append(ours(program, device, only))
        if not with_peer:
            continue
        names = list(dict.fromkeys(filter(None, map(peer_of, rounds.mine[-1]))))
        found, why = theirs(python, device, names) if names else ({}, "")
        if found is None:
            print(f"torch_device.py failed in round {len(rounds.mine)}: its columns are empty ({why}).\n", flush=True)
            rounds, version, with_peer = rounds.without_peers(), "", False
            versions.clear()
            continue
        if names:
            rounds.theirs.append(found["ms"])
            version = f", PyTorch {found['torch']} on {found['device']}"
        kernels_of(rounds, python, device, versions)
    print(f"double where no format is named, median of {number} alternating rounds (least to largest), {machine(device)}{version}"
          + "".join(f", {library} {found}" for library, found in versions.items() if found))
    if device == "simulated":
        print("\nTiny sizes on a simulated device: these are no speeds.")
    tables(rounds)
