"""What a call of somebody else's function may do, and what is done about it."""
import contextlib
import functools
import os
import select
import signal
import threading

from normproof.errors import Unanswered

GRACE = 1.0  # seconds that a forked child has to return from a function
AGAIN = 0.5  # seconds after which a function that has caught the end of its time is ended again


def no_answer(seconds):
    """What is said of a call that has not returned in time."""
    return f"no answer within {seconds:g} second{'s' if seconds != 1 else ''}; expected outputs"


class _TimeIsUp(BaseException):
    """Not an Exception: a function under test that catches those does not catch this."""


@contextlib.contextmanager
def time_limit(seconds):
    """Throws Unanswered after so many seconds, in the body, and behind it where the body catches everything.

    Only in the main thread, and between two instructions of Python: what hangs in compiled code is ended by
    isolate=True.
    """
    if not seconds or threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return

    over, done = [], []

    def stop(*_):
        if not done:
            over.append(True)
            raise _TimeIsUp

    before = signal.signal(signal.SIGALRM, stop)
    try:
        try:
            signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)  # may be over before this returns
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
def one_process():
    """Ends, at once and without a trace, a child that the body's function has forked and that returned from it.

    Throws Unanswered in the process that remains.
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
        if _forks[0] > forks and select.select([reads], [], [], GRACE)[0]:
            raise Unanswered("it forked, and two processes returned from it; expected one")
    finally:
        os.close(reads)
        os.close(writes)


_forks = [0]  # of this process, from the first call on


@functools.lru_cache(maxsize=None)
def _count_forks():
    def count():
        _forks[0] += 1
    os.register_at_fork(after_in_parent=count)
