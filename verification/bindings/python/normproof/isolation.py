"""Runs an implementation in this process, or in a process of its own that may crash or hang."""
from __future__ import annotations

import contextlib
import multiprocessing
import multiprocessing.connection
import multiprocessing.context
import signal
import warnings
from typing import Any, ContextManager, Protocol

import numpy as np

from normproof.corpus import Case
from normproof.errors import NotOffered, Unanswered, UsageError, in_one_line, text_of_error
from normproof.invocation import Answer, Invocation, Sighting
from normproof.limits import no_answer, one_process, time_limit
from normproof.stored import Stored


_BFLOAT16_EXPONENT = 0x7F80  # the bits that are all set in NaN and infinity


class Runner(Protocol):
    """Calls an implementation on cases. Close it.

    `members` are the members of the module of the last case, and the tensor that each held.
    """
    members: dict[str, str]

    def __call__(self, case: Case) -> Answer:
        """Returns the answer to a case. Throws NotOffered, Unanswered, or what the implementation throws."""

    def close(self) -> None:
        """Ends the process of the runner, if it has one."""


def without_expected_warnings(case: Case) -> ContextManager[Any]:
    """Returns a context in which NumPy does not warn of NaN and infinity if the case has such inputs."""
    if any(map(_has_nan_or_infinity, case.tensors.values())):
        return np.errstate(all="ignore")
    return contextlib.nullcontext()


def _has_nan_or_infinity(stored: Stored) -> bool:
    if stored.dtype == "bfloat16":
        return bool(np.any((stored.data & _BFLOAT16_EXPONENT) == _BFLOAT16_EXPONENT))
    return stored.data.dtype.kind == "f" and not np.all(np.isfinite(stored.data))


class InProcess:
    """Calls an implementation in this process."""

    def __init__(self, invocation: Invocation, seconds: float | None) -> None:
        self._invocation, self._seconds = invocation, seconds
        self.members: dict[str, str] = {}

    def __call__(self, case: Case) -> Answer:
        with one_process(), without_expected_warnings(case), time_limit(self._seconds):
            return self._invocation.answer(case, members=self.members)

    def close(self) -> None:
        """Does nothing, because nothing was started."""


class Isolated:
    """Calls an implementation in a process of its own. If that crashes or hangs, it fails its case and is restarted.

    The process is a fork, so that any function can be called. A GPU that this process uses cannot be used there.
    Throws UsageError if this process already uses the device.
    """

    def __init__(self, invocation: Invocation, seconds: float | None) -> None:
        if invocation.framework.is_in_use(invocation.device):
            raise UsageError("normproof: isolate=True after this process has used the GPU; expected it to be asked for "
                             "before, or isolate=False")
        self._invocation, self._seconds = invocation, seconds
        self.members: dict[str, str] = {}
        self._context = multiprocessing.get_context("fork")
        self._process: multiprocessing.context.ForkProcess | None = None
        self._line: multiprocessing.connection.Connection

    def __call__(self, case: Case) -> Answer:
        if self._process is None:
            self._start()
        self._line.send(case)
        if not self._line.poll(self._seconds or None):
            self._end()
            raise Unanswered(f"{no_answer(self._seconds or 0)}; its process was ended")
        try:
            kind, answer = self._line.recv()
        except (EOFError, OSError):
            raise Unanswered(f"its process {self._end()}; expected outputs") from None
        if kind == "not_offered":
            raise NotOffered(answer)
        if kind == "unanswered":
            raise Unanswered(answer)
        found: Answer
        found, self.members = answer
        return found

    def close(self) -> None:
        if self._process is not None:
            self._end()

    def _start(self) -> None:
        self._line, theirs = self._context.Pipe()
        self._process = self._context.Process(target=_answer_cases, args=(self._invocation, theirs, self._line),
                                              daemon=True)
        self._process.start()
        theirs.close()

    def _end(self) -> str:
        """Ends the process. Returns how it ended, in words."""
        assert self._process is not None
        self._process.join(0.2)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
        status, self._process = self._process.exitcode, None
        self._line.close()
        if status is not None and status < 0:
            return f"was ended by {signal.Signals(-status).name}"
        return f"ended with status {status}"


def _answer_cases(invocation: Invocation, line: multiprocessing.connection.Connection,
                  other_end: multiprocessing.connection.Connection) -> None:
    """Runs in the isolated process: computes cases until the other end of the connection is closed."""
    other_end.close()
    while True:
        try:
            case = line.recv()
        except EOFError:
            return
        message: tuple[str, Any]
        members: dict[str, str] = {}
        try:
            with one_process(), without_expected_warnings(case):
                message = "answer", (invocation.answer(case, members=members), members)
        except NotOffered as reason:
            message = "not_offered", text_of_error(reason)
        except Unanswered as reason:
            message = "unanswered", str(reason)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            message = "unanswered", f"{invocation.title} raised {in_one_line(error)}"
        line.send(message)


def look_once(invocation: Invocation, case: Case, isolate: bool, seconds: float | None) -> Sighting:
    """Returns Invocation.look, which calls the function once, in a process of its own if `isolate`.

    Throws what the function throws, and Unanswered if it does not end in time.
    """
    if not isolate:
        with one_process(), without_expected_warnings(case), time_limit(seconds), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return invocation.look(case)
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    process = context.Process(target=_send_sighting, args=(invocation, case, theirs), daemon=True)
    process.start()
    theirs.close()
    kind: str
    found: Any
    try:
        kind, found = ours.recv() if ours.poll(seconds or None) else ("nothing", "")
    except (EOFError, OSError):
        kind, found = "nothing", ""
    finally:
        ours.close()
        process.kill()
        process.join()
    if kind == "error":
        raise TypeError(found) if found.startswith("TypeError") else RuntimeError(found)
    if kind == "not_offered":
        raise NotOffered(found)
    if kind == "nothing":
        raise Unanswered(no_answer(seconds or 0))
    sighting: Sighting = found
    return sighting


def _send_sighting(invocation: Invocation, case: Case, line: multiprocessing.connection.Connection) -> None:
    try:
        with one_process():
            line.send(("sighting", invocation.look(case)))
    except NotOffered as reason:
        line.send(("not_offered", text_of_error(reason)))
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        line.send(("error", in_one_line(error)))


def start_runner(invocation: Invocation, isolate: bool, seconds: float | None) -> Runner:
    """Returns a runner in a process of its own if `isolate`, else in this process."""
    if isolate:
        return Isolated(invocation, seconds)
    return InProcess(invocation, seconds)
