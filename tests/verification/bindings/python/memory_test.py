"""Tests normproof with little memory: it is an exception, and never the end of the process."""
import subprocess
import sys

import pytest

resource = pytest.importorskip("resource")

# Judges layer_norm in float64, which needs numbers of GMP, MPFI and FLINT, with a limit of the address space.
PROGRAM = """
import resource, sys
import numpy as np
import normproof

rows, extra = int(sys.argv[1]), int(sys.argv[2])
rng = np.random.default_rng(0)
x, grad_y = rng.standard_normal((2, rows, 200))


def rms_norm(x, eps, grad_y):
    r = 1 / np.sqrt((x * x).mean(-1, keepdims=True) + eps)
    x_hat = x * r
    return {"y": x_hat, "grad_x": (grad_y - x_hat * (grad_y * x_hat).mean(-1, keepdims=True)) * r,
            "grad_gamma": (grad_y * x_hat).sum(0)}


assert normproof.judge(rms_norm, "rms_norm", x=x[:2], grad_y=grad_y[:2], threads=2)
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + extra, used + extra))
try:
    report = normproof.judge(rms_norm, "rms_norm", x=x, grad_y=grad_y, threads=2)
    print("passed" if report else "failed")
except (normproof.NormproofError, MemoryError) as error:
    print("exhausted", error)
"""


def run(rows, extra):
    return subprocess.run([sys.executable, "-c", PROGRAM, str(rows), str(extra)], capture_output=True, text=True, check=False)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_exhausted_memory_is_an_exception_wherever_it_occurs():
    outcomes = []
    for megabytes in (0, 1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 96, 512):
        done = run(500, megabytes << 20)
        assert done.returncode == 0, (megabytes, done.returncode, done.stderr)
        outcomes.append(done.stdout.split()[0])
    assert outcomes[0] == "exhausted" and outcomes[-1] == "passed" and set(outcomes) == {"exhausted", "passed"}
