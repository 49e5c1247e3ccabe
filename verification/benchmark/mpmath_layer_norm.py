"""Certifies LayerNorm, forward and backward, of float64 with the intervals of mpmath.

usage: mpmath_layer_norm.py CORPUS GLOB

The precision starts at 192 bits and is doubled until both ends of each enclosure round to the same
double, and so do both ends of the remainder. Every value must equal that of the corpus. Prints one
JSON object: the number of elements, and the seconds of all cases, the best of three.
"""
import fnmatch
import json
import math
import pathlib
import sys
import time

import numpy
from mpmath import iv, libmp

FIRST_BITS = 192


def read(file):
    """Returns the float64 tensors of a .safetensors file as lists of rows; omits others."""
    data = file.read_bytes()
    begin = 8 + int.from_bytes(data[:8], "little")
    tensors = {}
    for name, entry in json.loads(data[8:begin]).items():
        if name == "__metadata__" or entry["dtype"] != "F64":
            continue
        first, last = entry["data_offsets"]
        values = numpy.frombuffer(data[begin + first:begin + last], "<f8").reshape(entry["shape"])
        rows = name in ("x", "grad_y")
        tensors[name] = values.reshape(-1, values.shape[-1] if rows else 1).tolist()
        if not rows:
            tensors[name] = [value for value, in tensors[name]]
    return tensors


def layer_norm(case, eps):
    exact = iv.mpf
    width = len(case["x"][0])
    gamma = [exact(g) for g in case.get("gamma", [1.0] * width)]
    beta = [exact(b) for b in case.get("beta", [0.0] * width)]
    out = {name: [] for name in ("y", "mean", "rstd", "grad_x")}
    grad_gamma, grad_beta = [exact(0)] * width, [exact(0)] * width
    for x_row, grad_row in zip(case["x"], case["grad_y"]):
        x, grad_y = [exact(a) for a in x_row], [exact(g) for g in grad_row]
        mean = sum(x) / width
        d = [a - mean for a in x]
        rstd = 1 / iv.sqrt(sum(a * a for a in d) / width + exact(eps))
        x_hat = [a * rstd for a in d]
        g = [a * b for a, b in zip(grad_y, gamma)]
        mean_g, mean_gx = sum(g) / width, sum(a * b for a, b in zip(g, x_hat)) / width
        out["mean"].append(mean)
        out["rstd"].append(rstd)
        out["y"] += [a * b + c for a, b, c in zip(x_hat, gamma, beta)]
        out["grad_x"] += [rstd * (a - mean_g - b * mean_gx) for a, b in zip(g, x_hat)]
        grad_gamma = [s + a * b for s, a, b in zip(grad_gamma, grad_y, x_hat)]
        grad_beta = [s + a for s, a in zip(grad_beta, grad_y)]
    return out | {"grad_gamma": grad_gamma, "grad_beta": grad_beta}


def nearest(x):
    """Returns the double to which all points of the interval round, or None if they round to different doubles."""
    low, high = (libmp.to_float(end, rnd=libmp.round_nearest) for end in x._mpi_)
    return low if low == high else None


def decide(x):
    value = nearest(x)
    if value is None:
        return None
    rest = nearest(x - iv.mpf(value))
    return None if rest is None else (value, rest)


def certify(case, eps):
    bits = FIRST_BITS
    while True:
        iv.prec = bits
        decided = {name: [decide(x) for x in values]
                   for name, values in layer_norm(case, eps).items()}
        if all(element is not None for values in decided.values() for element in values):
            return decided
        bits *= 2


corpus, glob = pathlib.Path(sys.argv[1]), sys.argv[2]
cases = []
for described in json.loads((corpus / "manifest.json").read_text())["cases"]:
    if fnmatch.fnmatchcase(described["path"], glob):
        place = corpus / described["path"]
        cases.append((described["path"], read(place / "inputs.safetensors"),
                      float(described["options"]["eps"]), read(place / "expected.safetensors")))
elements = 0
for path, case, eps, expected in cases:
    decided = certify(case, eps)
    assert {f"{name}{end}" for name in decided for end in ("", "_lo")} == set(expected), path
    for name, values in decided.items():
        assert [a for a, _ in values] == expected[name], (path, name)
        assert [b for _, b in values] == expected[name + "_lo"], (path, name)
        elements += len(values)
best = math.inf
for _ in range(3):
    start = time.perf_counter()
    for _, case, eps, _ in cases:
        certify(case, eps)
    best = min(best, time.perf_counter() - start)
print(json.dumps({"elements": elements, "mpmath": best, "backend": libmp.BACKEND}))
