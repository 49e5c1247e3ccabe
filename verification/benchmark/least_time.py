"""How Google Benchmark is told for how long to measure a row at least."""
import functools
import subprocess


@functools.cache
def takes_unit(program):
    """Whether its release wants seconds as '1s' (from 1.8 on), not as '1'."""
    return subprocess.run([program, "--benchmark_list_tests", "--benchmark_min_time=1s"],
                          capture_output=True).returncode == 0


def least_time(program, seconds):
    """The option for that many seconds, as this program takes it without a word."""
    return f"--benchmark_min_time={seconds}{'s' if takes_unit(program) else ''}"
