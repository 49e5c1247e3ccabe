"""Tests normproof.judge on large tensors: its memory, its progress and its end by Ctrl-C."""
import io
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import normproof
from normproof.progress import transient_bar

# Prints how far the memory of a process grows in judge. The tensors, and the outputs of the function, exist before.
PROGRAM = """
import resource, sys
import numpy as np
import normproof

rows, width = int(sys.argv[1]), 1024
rng = np.random.default_rng(0)
x, grad_y = rng.standard_normal((2, rows, width), dtype=np.float32)
outputs = {"y": np.ones_like(x), "grad_x": np.ones_like(x)}


def rms_norm(x, eps, grad_y):
    grad_gamma = np.zeros(width)
    for at in range(0, rows, 16):
        part = slice(at, at + 16)
        g, d = grad_y[part].astype(np.float64), x[part].astype(np.float64)
        r = 1 / np.sqrt((d * d).mean(-1, keepdims=True) + eps)
        x_hat = d * r
        outputs["y"][part] = x_hat
        outputs["grad_x"][part] = (g - x_hat * (g * x_hat).mean(-1, keepdims=True)) * r
        grad_gamma += (g * x_hat).sum(0)
    return {**outputs, "grad_gamma": grad_gamma.astype(np.float32)}


before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
report = normproof.judge(rms_norm, "rms_norm", x=x, grad_y=grad_y, threads=1)
assert report, report
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024)
"""


def measure_memory(rows):
    return int(subprocess.run([sys.executable, "-c", PROGRAM, str(rows)], capture_output=True, text=True, check=True).stdout)


def test_an_element_takes_at_most_100_bytes_beside_the_tensors():
    few, many = measure_memory(512), measure_memory(1024)  # the blocks of a thread take 20 MB in both
    assert (many - few) / (512 * 1024) <= 100


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="the platform sends no signals")
def test_an_interrupt_ends_the_certification():
    x = np.random.default_rng(0).standard_normal((2000, 1000), dtype=np.float32)
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        timer.start()  # on a busy machine, the signal may come before the call
        normproof.judge(lambda x: np.maximum(x, 0), "layer_norm", x=x, threads=1)
    assert time.monotonic() - begin < 20


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_long_call_draws_a_bar_on_a_terminal_and_removes_it(monkeypatch):
    monkeypatch.setattr("normproof.progress.DELAY", 0)
    terminal, file = Terminal(), io.StringIO()
    for stream in (terminal, file):
        show = transient_bar("normproof: certifying layer_norm", stream)
        show(0, 4)
        show(2, 4)
        show(4, 4)
    assert file.getvalue() == ""
    drawn = terminal.getvalue().split("\r")
    assert drawn[2] == "normproof: certifying layer_norm [###############...............] 2/4"
    assert drawn[3].strip() == "" and drawn[-1] == ""


def test_a_short_call_draws_nothing():
    terminal = Terminal()
    show = transient_bar("normproof: certifying layer_norm", terminal)
    show(0, 4)
    show(4, 4)
    assert terminal.getvalue() == ""
