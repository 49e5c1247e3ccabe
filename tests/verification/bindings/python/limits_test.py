"""Tests time limits and the guard against forks. No corpus is needed."""
import os
import signal
import time

import pytest

from normproof.errors import Unanswered
from normproof.limits import one_process, time_limit


def test_a_call_within_its_time_limit_is_undisturbed():
    before = signal.getsignal(signal.SIGALRM)
    with time_limit(5):
        pass
    with time_limit(None):
        pass
    assert signal.getsignal(signal.SIGALRM) is before and signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_an_exception_of_the_body_is_passed_on():
    with pytest.raises(KeyError), time_limit(5):
        raise KeyError


def test_the_time_limit_ends_a_body_that_catches_everything():
    begun = time.monotonic()
    with pytest.raises(Unanswered, match="no answer within 0.1 seconds; expected outputs"), time_limit(0.1):
        for _ in range(3):
            try:
                time.sleep(5)
            except BaseException:
                pass
    assert time.monotonic() - begun < 4


def test_a_forked_child_that_returns_is_reported():
    here = os.getpid()
    with pytest.raises(Unanswered, match="two processes returned"), one_process():
        os.fork()
    assert os.getpid() == here
