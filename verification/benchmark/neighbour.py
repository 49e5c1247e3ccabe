"""Times norms, products, training steps, a training run, a part of the golden corpus and four cells
of the study on one thread and on two, alone and next to busy processes ("neighbours"), and
PyTorch's norms and steps in the same rounds. Used by `run --what neighbour`.

A neighbour is a shell in an endless loop. There is one for each processor except one, so that two
threads do not have two processors to themselves.
"""
import contextlib
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

from least_time import least_time

here = pathlib.Path(__file__).resolve().parent
NORMS = ("layer_norm", "batch_norm")
PRODUCTS = ("512x512x512", "2048x64x256")
STEPS = ("1x64-relu", "1x256-relu")
# Whole commands: the arguments of the program, except for the output and the number of threads.
COMMANDS = {
    "normproof train": (("train",), "--threads"),
    "golden make": (("golden", "make", "--tier", "standard", "--only", "standard/layer_norm/*"), "--jobs"),
    "study run": (("study", "run", "--tables", "1", "--figures", "none", "--no-initialization", "--rates", "0.1",
                   "--quick"), "--jobs")}
THREADS = (1, 2)


@contextlib.contextmanager
def neighbours(count):
    """Runs this many busy shells, which are stopped at the end of the block in any case."""
    shells = [subprocess.Popen(["sh", "-c", "while :; do :; done"], stdin=subprocess.DEVNULL) for _ in range(count)]
    try:
        yield
    finally:
        for shell in shells:
            shell.kill()
            shell.wait()


def milliseconds(program, names, threads):
    """Returns the wall-clock time of each row of a benchmark."""
    pattern = "|".join(names)
    said = subprocess.run([program, f"--benchmark_filter=^({pattern})/{threads}/", "--benchmark_format=json",
                           least_time(program, 0.3)], check=True, capture_output=True, text=True).stdout
    times = {entry["name"].split("/")[0]: entry["real_time"] for entry in json.loads(said)["benchmarks"]}
    if set(times) != set(names):
        sys.exit(f"run: {program} has rows {sorted(times)}; expected {sorted(names)}")
    return times


def products(program, threads):
    """Returns the time of one product of each shape in ms, as measured by matmul_benchmark."""
    pattern = "|".join(PRODUCTS)
    said = subprocess.run([program, f"--benchmark_filter=^({pattern}), {threads} threads", "--benchmark_format=json"],
                          check=True, capture_output=True, text=True, env=dict(os.environ, ROUNDS="20")).stdout
    found = json.loads(said[:said.rindex("\n}\n") + 2])  # its own table follows
    times = {entry["name"].split(",")[0]: 1e-3 * entry["real_time"] for entry in found["benchmarks"]}
    if set(times) != set(PRODUCTS):
        sys.exit(f"run: {program} has rows {sorted(times)}; expected {sorted(PRODUCTS)}")
    return times


def whole_command(program, arguments, option, threads):
    """Returns the time of a whole command in ms."""
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        done = subprocess.run([program, *arguments, "--out", pathlib.Path(folder) / "run", option, str(threads)],
                              capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"run: {' '.join(arguments)} ended with status {done.returncode}: {done.stderr.strip()}")
        return 1e3 * (time.perf_counter() - started)


def peer(python, threads):
    """Returns PyTorch's times of the same rows."""
    environment = dict(os.environ, OPENBLAS_NUM_THREADS=str(threads))
    times = {}
    for command in (["torch_norms.py", str(threads), "20"], *(["torch_training.py", str(threads), "1", name]
                                                               for name in STEPS)):
        said = subprocess.run([python, here / command[0], *command[1:]], check=True, capture_output=True, text=True,
                              env=environment).stdout
        times |= {f"PyTorch's {name}": value for name, value in json.loads(said).items()}
    return times


def measure(programs, python, threads):
    """Returns the times of the benchmarks, the program and PyTorch on this many threads."""
    norms, matmul, steps, normproof = programs
    return (milliseconds(norms, NORMS, threads) | products(matmul, threads) | milliseconds(steps, STEPS, threads)
            | {name: whole_command(normproof, *command, threads) for name, command in COMMANDS.items()}
            | (peer(python, threads) if python else {}))


def run(programs, python, rounds):
    """Prints the table. The last column is the cost of using two threads next to a neighbour."""
    count = max(len(os.sched_getaffinity(0)) - 1, 1)
    samples = {(busy, threads): [] for busy in (0, count) for threads in THREADS}
    for _ in range(rounds):
        for (busy, threads), found in samples.items():
            with neighbours(busy):
                found.append(measure(programs, python, threads))
    print(f"{len(os.sched_getaffinity(0))} processors, {count} busy; ms, median of {rounds} alternating rounds\n\n"
          "| what | 1 thread | 2 threads | 1 thread, neighbour | 2 threads, neighbour | 2 over 1, neighbour |\n"
          "|---|---|---|---|---|---|")
    for name in samples[0, 1][0]:
        columns = [[sample[name] for sample in found] for found in samples.values()]
        ratios = [two / one for one, two in zip(columns[2], columns[3])]
        cells = " | ".join(f"{statistics.median(column):.2f}" for column in columns)
        print(f"| {name} | {cells} | {statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f}) |")
