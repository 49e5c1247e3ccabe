"""The tables of `run` with one row per function and one column per compared library: norms,
activations, products."""
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys

from least_time import least_time

here = pathlib.Path(__file__).resolve().parent
# Settings for a malloc that keeps freed memory, on huge pages.
KEPT = dict(os.environ, MALLOC_TRIM_THRESHOLD_=str(1 << 40), MALLOC_MMAP_THRESHOLD_=str(1 << 25),
            GLIBC_TUNABLES="glibc.malloc.hugetlb=1")
TENSOR = 2048 * 512 * 8
# The number of tensors that a norm reads or writes: x and y, then grad_y, x and grad_x.
TENSORS_OF_A_NORM = 5
THREADS = (1, 2)


def said(command, environment=None):
    """Returns the JSON output of a program."""
    done = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, text=True, env=environment)
    if done.returncode:
        sys.exit(f"run: {command[1] if len(command) > 1 else command[0]} ended with status {done.returncode}")
    return times_in(done.stdout, command[1] if len(command) > 1 else command[0])


def times_in(text, program):
    """Parses the output of a program as JSON. Exits if it is not JSON."""
    try:
        return dict(json.loads(text))
    except (ValueError, TypeError):
        sys.exit(f"run: {program} prints no times; expected them as JSON")


def of_jax(python, *arguments):
    """Runs jax_peer.py with these arguments and returns its results without the version."""
    found = said([python, here / "jax_peer.py", *arguments])
    found.pop("version")
    return found


def versions(python, jax):
    """Returns the versions of the compared libraries."""
    def of(program, module):
        return subprocess.run([program, "-c", f"import {module}; print({module}.__version__)"], check=True,
                              capture_output=True, text=True).stdout.strip()
    return f"PyTorch {of(python, 'torch')}" + (f", JAX {of(jax, 'jax')}" if jax else "")


def ours(program, threads):
    found = said([program, f"--benchmark_filter=/{threads}/", "--benchmark_format=json", "--benchmark_repetitions=5",
                  least_time(program, 0.1)])
    return {entry["run_name"].split("/")[0]: entry["real_time"]
            for entry in found["benchmarks"] if entry.get("aggregate_name") == "median"}


def against(mine, theirs, digits=2):
    """Returns a library's median time, and the ratio of the rounds as median (minimum to
    maximum)."""
    ratios = [a / b for a, b in zip(mine, theirs)]
    return (f"| {statistics.median(theirs):.{digits}f} | {statistics.median(ratios):.2f} "
            f"({min(ratios):.2f} to {max(ratios):.2f}) ")


def share_of_copy(milliseconds, copies):
    """Returns the bytes per second of a norm relative to those of a copy, as the median of the
    rounds."""
    shares = [TENSORS_OF_A_NORM * TENSOR / (1e-3 * time) / copy for time, copy in zip(milliseconds, copies)]
    return f"{statistics.median(shares):.2f}"


def run(arguments, program, limits, script, repetitions, rows):
    """Prints the table of norms or activations."""
    columns = ["threads", "what", "normproof ms"] + (["of copy"] if limits else [])
    columns += ["PyTorch ms", "ratio", "PyTorch, memory kept, ms", "ratio"]
    columns += ["JAX ms", "ratio"] if arguments.jax else []
    lines, copied = [], {}
    for threads in THREADS:
        samples = {"ours": [], "plain": [], "kept": [], "jax": []}
        copied[threads] = []
        for _ in range(arguments.rounds):
            if limits:
                copied[threads].append(said([limits, 2 * TENSOR])["copy"][threads - 1])
            samples["ours"].append(ours(program, threads))
            for name, environment in (("plain", None), ("kept", KEPT)):
                samples[name].append(said([arguments.python, here / script, threads, repetitions], environment))
            if arguments.jax:
                samples["jax"].append(of_jax(arguments.jax, arguments.what, threads, repetitions))
        for row in rows:
            mine = [sample[row] for sample in samples["ours"]]
            cells = f"| {threads} | {row} | {statistics.median(mine):.2f} "
            if limits:
                cells += f"| {share_of_copy(mine, copied[threads])} "
            for name in ("plain", "kept", "jax")[:3 if arguments.jax else 2]:
                peer = samples[name]
                cells += against(mine, [sample[row] for sample in peer]) if row in peer[0] else "|  |  "
            lines.append(cells + "|")
    print(f"[2048,512] double, forward and backward, median of {arguments.rounds} alternating rounds, "
          f"{platform.processor() or platform.machine()}, {versions(arguments.python, arguments.jax)}")
    if limits:
        rates = ", ".join(f"{1e-9 * statistics.median(copied[threads]):.1f} GB/s on {threads}" for threads in THREADS)
        print(f"copy of 16 MiB, read and written: {rates}")
    print("\n" + "| " + " | ".join(columns) + " |\n|" + "---|" * len(columns))
    print("\n".join(lines))


def products(program, limits, rounds):
    """Prints the table of matmul_benchmark with its header, and the share of the peak after our
    rate."""
    peak = [1e-9 * rate for rate in said([limits])["fma"]]
    done = subprocess.run([program], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          env=dict(os.environ, ROUNDS=str(rounds)))
    if done.returncode:
        sys.exit(f"run: {program} ended with status {done.returncode}")
    above, _, table = done.stdout[done.stdout.index("OpenBLAS: "):].partition("\n\n|")
    print(f"{above}\npeak, fma alone: {peak[0]:.1f} GF/s on 1 thread, {peak[1]:.1f} on 2\n")
    head, rule, *rows = ("|" + table).splitlines()
    print(after_rate(head, " of peak "), after_rate(rule, "---"), sep="\n")
    shares = []
    for row in rows:
        cells = row.split("|")
        shares.append(float(cells[RATE]) / peak[int(cells[RATE - 1]) - 1])
        print(after_rate(row, f" {shares[-1]:.2f} "))
    if max(shares, default=0) > MOST_OF_PEAK:
        sys.exit(f"run: a product has {max(shares):.2f} of the peak; expected {MOST_OF_PEAK} at most, for {limits} measures what "
                 "the processor can do")


MOST_OF_PEAK = 1.1  # a higher share means that the peak is wrong; clocks may differ this much between measurements
RATE = 3  # the column of the rate in a row of matmul_benchmark, after rows x columns x depth and the threads


def after_rate(row, cell):
    """Adds a cell to a row of a table."""
    cells = row.split("|")
    return "|".join([*cells[:RATE + 1], cell, *cells[RATE + 1:]])
