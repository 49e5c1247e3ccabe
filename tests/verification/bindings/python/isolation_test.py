"""Tests isolate=True: a function that ends the interpreter or hangs in compiled code fails its own case only."""
import ctypes
import os
import signal

import kernels

import normproof


def test_a_crash_a_hang_and_an_exit_fail_one_case_each():
    def sometimes(x):
        if x.shape[-1] == 31:
            os.kill(os.getpid(), signal.SIGSEGV)
        if x.shape[-1] == 127:
            ctypes.CDLL(None).pause()
        if x.shape[-1] == 128:
            os._exit(3)
        return kernels.relu(x)
    report = normproof.check(sometimes, "relu", only=["random*", "block_edge-3x*"], isolate=True, seconds=2)
    failed = {result.path.split("-")[1]: result.text for result in report.failures}
    assert "ended by SIGSEGV; expected outputs" in failed["3x31"]
    assert "no answer within 2 seconds; expected outputs; its process was ended" in failed["3x127"]
    assert "ended with status 3; expected outputs" in failed["3x128"]
    assert len(failed) == 3 and len(report.results) > 4


def test_an_isolated_function_is_judged_as_any_other():
    assert normproof.check(kernels.layer_norm, "layer_norm", only="[or]*", isolate=True)
    report = normproof.check(kernels.eps_outside, "layer_norm", only="variance*", isolate=True)
    assert report.failures[0].mistakes == ["eps: outside the root"]
    raised = normproof.check(lambda x: 1 / 0, "relu", only="random*", isolate=True)
    assert "raised ZeroDivisionError" in raised.failures[0].text


def test_a_fork_in_an_isolated_function_fails_its_case():
    def forks(x):
        if x.shape == (3, 5, 6):
            os.fork()
        return kernels.relu(x)
    report = normproof.check(forks, "relu", only=["random*", "odd*"], isolate=True)
    failed, = report.failures
    assert "it forked, and two processes returned from it; expected one" in failed.text and len(report.results) == 2
