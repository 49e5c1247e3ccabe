"""Limits for calls: a time limit and a guard against forks for user functions, interrupts for calls of the library."""
from __future__ import annotations

import abc
import contextlib
import ctypes
import functools
import os
import select
import signal
import sys
import threading
import time
import types
from typing import Any, Iterator

from normproof.errors import Unanswered

FORK_GRACE = 1.0  # seconds that a forked child has to return from the function
GRACE = 10.0  # seconds after a time limit until a line says that the call cannot be ended
REPEAT_INTERVAL = 0.5  # seconds until a function that caught the exception of its time limit is interrupted again


def no_answer(seconds: float) -> str:
    """Returns the error message for a call that did not return in time."""
    return f"no answer within {seconds:g} second{'s' if seconds != 1 else ''}; expected outputs"


class _TimeIsUp(BaseException):
    """Ends a call at its time limit. `except Exception` in the function does not catch it: it is a BaseException."""


@contextlib.contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Throws Unanswered if the body takes longer than `seconds`, even if what it calls catches every exception.

    The limit works between two instructions of Python. If the body does not end GRACE seconds later, one line on standard
    error says that isolate=True can end it.
    """
    if not seconds:
        yield
        return
    in_main_thread = threading.current_thread() is threading.main_thread() and hasattr(signal, "setitimer")
    limit: _Limit = (_SignalLimit if in_main_thread else _ThreadLimit)(seconds, _calling_frame())
    try:
        try:
            limit.begin()
            yield
        finally:
            limit.end()
    except BaseException as error:
        if not limit.is_over or isinstance(error, KeyboardInterrupt):
            raise
    if limit.is_over:
        raise Unanswered(no_answer(seconds))


class _Limit(abc.ABC):
    """A time limit for what is called from a frame.

    The first exception ends most functions. A function that catches it is traced from then on: an exception is raised in
    each line that has not had one yet. The first such line is the one that catches the exception before. It is outside of
    its own `try`, so that the function ends. The callers follow in the same way.
    """

    def __init__(self, seconds: float, frame: types.FrameType) -> None:
        self.seconds, self.is_over = seconds, False
        self._frame, self._has_ended, self._told = frame, False, False
        self._over_since = 0.0
        self._lines: dict[types.FrameType, set[int]] = {}  # the lines in which an exception was raised
        self._tracers: tuple[Any, Any] | None = None  # those of the user, which are restored

    @abc.abstractmethod
    def begin(self) -> None:
        """Starts the clock."""

    @abc.abstractmethod
    def end(self) -> None:
        """Stops the clock, so that no exception is raised any more."""

    def _is_called(self, frame: types.FrameType | None) -> bool:
        """Whether a frame belongs to a call from the body, and not to the code that begins or ends a limit."""
        below = None
        while frame is not None and frame is not self._frame:
            if frame.f_code.co_filename == __file__:
                return False
            below, frame = frame, frame.f_back
        return frame is not None and below is not None and below.f_code.co_filename != contextlib.__file__

    def _expire(self) -> None:
        """Notes that time is up. Says so on standard error if the call cannot be ended."""
        self._over_since = self._over_since or time.monotonic()
        self.is_over = True
        if not self._told and time.monotonic() - self._over_since > GRACE:
            self._told = True
            print(f"normproof: {no_answer(self.seconds)}; the call cannot be ended in this process, but isolate=True can end it",
                  file=sys.stderr, flush=True)

    def _begin_tracing(self, frame: types.FrameType | None) -> None:
        """Traces a frame and its callers, up to the frame of the limit."""
        if self._has_ended or not self._is_called(frame):
            return
        if self._tracers is None:
            self._tracers = sys.gettrace(), sys.getprofile()
        while frame is not None and frame is not self._frame:
            self._lines.setdefault(frame, {frame.f_lineno})
            frame.f_trace = self._trace
            frame = frame.f_back
        sys.setprofile(self._continue_tracing)
        sys.settrace(self._trace)

    def _end_tracing(self) -> None:
        if self._tracers is not None:
            sys.settrace(self._tracers[0])
            sys.setprofile(self._tracers[1])
        self._lines.clear()

    def _trace(self, frame: types.FrameType, event: str, _: Any) -> Any:
        if self._has_ended or frame.f_code.co_filename == __file__:
            return None
        lines = self._lines.setdefault(frame, set())
        if event == "line" and frame.f_lineno not in lines and self._is_called(frame):
            lines.add(frame.f_lineno)
            raise _TimeIsUp  # Python ends the tracing here
        return self._trace

    def _continue_tracing(self, frame: types.FrameType, event: str, _: Any) -> None:
        """Traces the caller of a function that ends."""
        if event == "return":
            self._begin_tracing(frame.f_back)


class _SignalLimit(_Limit):
    """A time limit in the main thread, by the signal SIGALRM."""

    def begin(self) -> None:
        self._before = signal.signal(signal.SIGALRM, self._interrupt)
        signal.setitimer(signal.ITIMER_REAL, self.seconds, REPEAT_INTERVAL)  # may expire before this returns

    def end(self) -> None:
        self._has_ended = True
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self._before)
        self._end_tracing()

    def _interrupt(self, _: int, frame: types.FrameType | None) -> None:
        if self._has_ended:
            return
        if self.is_over:
            self._begin_tracing(frame)
        self._expire()
        raise _TimeIsUp


class _ThreadLimit(_Limit):
    """A time limit in another thread, by exceptions that a second thread sends."""

    def begin(self) -> None:
        limit = self

        class Interruption(_TimeIsUp):
            def __init__(self) -> None:  # runs in the thread that is interrupted
                limit._begin_tracing(sys._getframe(1))
        self._exception = Interruption
        self._thread, self._ended = threading.get_ident(), threading.Event()
        self._watch = threading.Thread(target=self._interrupt, daemon=True)
        self._watch.start()

    def end(self) -> None:
        while True:
            try:
                self._has_ended = True
                self._ended.set()
                self._watch.join()
                return self._end_tracing()
            except _TimeIsUp:  # it was on its way; Python raises it at the next call at the latest
                pass

    def _interrupt(self) -> None:
        delay = self.seconds
        while not self._ended.wait(delay):
            if self._is_called(sys._current_frames().get(self._thread)):
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self._thread), ctypes.py_object(
                    self._exception if self.is_over else _TimeIsUp))
            self._expire()
            delay = REPEAT_INTERVAL


@contextlib.contextmanager
def deferred_interrupts(raised: list[BaseException]) -> Iterator[None]:
    """Appends the exception of an interrupt by the keyboard to a list, in place of raising it anywhere in the body.

    In a function that C calls, an exception between two lines of Python would be lost. In a thread other than the main one
    there are no interrupts.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return
    handler = before

    def note(number: int, frame: types.FrameType | None) -> None:
        try:
            handler(number, frame)
        except BaseException as error:
            raised.append(error)
    signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _calling_frame() -> types.FrameType:
    """Returns the frame that entered a context manager of this file."""
    frame = sys._getframe()
    while frame.f_back is not None and frame.f_code.co_filename in (__file__, contextlib.__file__):
        frame = frame.f_back
    return frame


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
