"""Tests time limits and the guard against forks. No corpus is needed."""
import ctypes
import os
import signal
import sys
import threading
import time

import pytest

from normproof import limits
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


def sleeps():
    while True:
        try:
            time.sleep(5)
        except BaseException:
            pass


def sleeps_briefly():
    while True:
        try:
            time.sleep(0.01)
        except BaseException:
            pass


def counts():
    count = 0
    while True:
        try:
            while True:
                count += 1
        except BaseException:
            count = 0


def calls():
    while True:
        try:
            sleeps()
        except BaseException:
            continue


def cleans_up():
    while True:
        try:
            time.sleep(5)
        except BaseException as error:
            str(error)
        finally:
            len("")


@pytest.mark.parametrize("loop", [sleeps, counts, calls, cleans_up])
def test_the_time_limit_ends_a_loop_that_catches_everything(loop):
    begun = time.monotonic()
    with pytest.raises(Unanswered, match="no answer within 0.1 seconds; expected outputs"), time_limit(0.1):
        loop()
    assert time.monotonic() - begun < 10
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0) and signal.getsignal(signal.SIGALRM) is signal.SIG_DFL


def in_a_thread(function):
    """Calls a function in another thread. Returns the exception that it raises."""
    raised = []

    def run():
        try:
            function()
        except BaseException as error:
            raised.append(error)
    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(20)
    assert not thread.is_alive()
    return raised[0] if raised else None


@pytest.mark.parametrize("loop", [counts, sleeps_briefly, lambda: [time.sleep(0.01) for _ in range(3000)]])
def test_the_time_limit_ends_a_loop_outside_the_main_thread(loop):
    def limited():
        with time_limit(0.1):
            loop()
    raised = in_a_thread(limited)
    assert isinstance(raised, Unanswered) and str(raised) == "no answer within 0.1 seconds; expected outputs"
    assert threading.active_count() == 1


def test_the_tracers_of_the_user_are_restored():
    def trace(*_):
        return None
    limited_sleeps(trace)
    assert in_a_thread(lambda: limited_sleeps(trace)) is None


def limited_sleeps(trace):
    before = sys.gettrace(), sys.getprofile()
    sys.settrace(trace)
    try:
        with pytest.raises(Unanswered), time_limit(0.1):
            sleeps_briefly()
        found = sys.gettrace(), sys.getprofile()
    finally:
        sys.settrace(before[0])
    assert found == (trace, before[1])


def test_a_call_within_its_time_limit_is_undisturbed_outside_the_main_thread():
    def limited():
        for _ in range(20):
            with time_limit(5):
                time.sleep(0.001)
        with time_limit(5):
            raise KeyError
    assert isinstance(in_a_thread(limited), KeyError) and threading.active_count() == 1


def test_a_call_that_cannot_be_ended_is_reported(monkeypatch, capfd):
    monkeypatch.setattr(limits, "GRACE", 0.5)

    def limited():
        with time_limit(0.1):
            begun = time.monotonic()
            compiled = ctypes.CDLL(None).usleep
            while time.monotonic() < begun + 2:
                try:
                    compiled(100_000)
                except BaseException:
                    pass
    assert isinstance(in_a_thread(limited), Unanswered)
    assert capfd.readouterr().err == ("normproof: no answer within 0.1 seconds; expected outputs; the call cannot be ended in "
                                      "this process, but isolate=True can end it\n")


def test_a_limit_within_a_limit_keeps_its_own_time():
    def nested():
        with pytest.raises(Unanswered, match="within 0.1 seconds"), time_limit(0.1):
            sleeps()
        return 1
    with time_limit(60):
        assert nested() == 1


def test_a_forked_child_that_returns_is_reported():
    here = os.getpid()
    with pytest.raises(Unanswered, match="two processes returned"), one_process():
        os.fork()
    assert os.getpid() == here
