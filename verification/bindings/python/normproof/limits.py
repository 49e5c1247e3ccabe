"""Limits for calls of user functions: a time limit, and a guard against forks."""
from __future__ import annotations

import contextlib
import functools
import os
import select
import signal
import threading
from typing import Any, Iterator

from normproof.errors import Unanswered

FORK_GRACE = 1.0  # seconds that a forked child has to return from the function
REPEAT_INTERVAL = 0.5  # seconds until a function that caught the exception of its time limit is interrupted again


def no_answer(seconds: float) -> str:
    """Returns the error message for a call that did not return in time."""
    return f"no answer within {seconds:g} second{'s' if seconds != 1 else ''}; expected outputs"


class _TimeIsUp(BaseException):
    """Ends a call at its time limit. `except Exception` in the function does not catch it: it is a BaseException."""


@contextlib.contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Throws Unanswered if the body takes longer than `seconds`, even if the body catches every exception.

    It works in the main thread only, and between two instructions of Python. Compiled code that hangs is ended by
    isolate=True.
    """
    if not seconds or threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return

    over: list[bool] = []
    done: list[bool] = []

    def stop(*_: Any) -> None:
        if not done:
            over.append(True)
            raise _TimeIsUp

    before = signal.signal(signal.SIGALRM, stop)
    try:
        try:
            signal.setitimer(signal.ITIMER_REAL, seconds, REPEAT_INTERVAL)  # may expire before this returns
            yield
        finally:
            done.append(True)
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
    except BaseException as error:
        if not over or isinstance(error, KeyboardInterrupt):
            raise
    if over:
        raise Unanswered(no_answer(seconds))


@contextlib.contextmanager
def one_process() -> Iterator[None]:
    """Ends a child process that the body forked and that would otherwise continue after the body.

    Throws Unanswered in the parent process if there was such a child.
    """
    _count_forks()
    here, forks, (reads, writes) = os.getpid(), _forks[0], os.pipe()
    try:
        try:
            yield
        finally:
            if os.getpid() != here:
                os.write(writes, b"x")
                os._exit(0)
        if _forks[0] > forks and select.select([reads], [], [], FORK_GRACE)[0]:
            raise Unanswered("it forked, and two processes returned from it; expected one")
    finally:
        os.close(reads)
        os.close(writes)


_forks = [0]  # how often this process has forked since the first call of one_process


@functools.lru_cache(maxsize=None)
def _count_forks() -> None:
    def count() -> None:
        _forks[0] += 1
    os.register_at_fork(after_in_parent=count)
