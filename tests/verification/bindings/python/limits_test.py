"""Time limits and forks, without a corpus."""
import os
import signal
import time

import pytest

from normproof.errors import Unanswered
from normproof.limits import one_process, time_limit


def test_what_ends_in_time_is_left_alone():
    before = signal.getsignal(signal.SIGALRM)
    with time_limit(5):
        pass
    with time_limit(None):
        pass
    assert signal.getsignal(signal.SIGALRM) is before and signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_an_exception_of_the_body_passes():
    with pytest.raises(KeyError), time_limit(5):
        raise KeyError


def test_what_takes_too_long_ends_even_where_everything_is_caught():
    begun = time.monotonic()
    with pytest.raises(Unanswered, match="no answer within 0.1 seconds; expected outputs"), time_limit(0.1):
        for _ in range(3):
            try:
                time.sleep(5)
            except BaseException:
                pass
    assert time.monotonic() - begun < 4


def test_a_fork_that_returns_is_found():
    here = os.getpid()
    with pytest.raises(Unanswered, match="two processes returned"), one_process():
        os.fork()
    assert os.getpid() == here
