"""Builds the option of Google Benchmark for the minimum time of each benchmark."""
import functools
import subprocess


@functools.cache
def takes_unit(program):
    """Whether this release of Google Benchmark expects seconds as '1s' (from 1.8 on) instead of
    '1'."""
    return subprocess.run([program, "--benchmark_list_tests", "--benchmark_min_time=1s"],
                          capture_output=True).returncode == 0


def least_time(program, seconds):
    """Returns the option for this many seconds in the form that the program accepts without a
    warning."""
    return f"--benchmark_min_time={seconds}{'s' if takes_unit(program) else ''}"
