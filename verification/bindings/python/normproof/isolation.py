"""A candidate in a process of its own: one that crashes or hangs costs its case, and is started again."""
import multiprocessing
import signal
import sys

from normproof.errors import NotOffered, Unanswered, UsageError, in_one_line
from normproof.limits import no_answer, one_process


class Isolated:
    """A function of a case, as checking.asker has it. Close it.

    The process is a fork, so that any function will do; what a GPU has begun in this one cannot be used there.
    Throws UsageError where the device has been used here already.
    """

    def __init__(self, candidate, seconds):
        torch = sys.modules.get("torch")
        if candidate.device.startswith("cuda") and torch is not None and torch.cuda.is_initialized():
            raise UsageError("normproof: isolate=True after this process has used the GPU; expected it to be asked for "
                             "before, or isolate=False")
        self._candidate, self._seconds = candidate, seconds
        self._context = multiprocessing.get_context("fork")
        self._process, self._line = None, None

    def __call__(self, case):
        """Outputs, and what was written that should not be. Throws NotOffered and Unanswered."""
        if self._process is None:
            self._start()
        self._line.send(case)
        if not self._line.poll(self._seconds or None):
            self._end()
            raise Unanswered(f"{no_answer(self._seconds)}; its process was ended")
        try:
            kind, answer = self._line.recv()
        except (EOFError, OSError):
            raise Unanswered(f"its process {self._end()}; expected outputs") from None
        if kind != "outputs":
            raise {"not_offered": NotOffered, "unanswered": Unanswered}[kind](answer)
        outputs, wrote, self._candidate.loaded = answer
        return outputs, wrote

    def close(self):
        if self._process is not None:
            self._end()

    def _start(self):
        self._line, theirs = self._context.Pipe()
        self._process = self._context.Process(target=_answer_cases, args=(self._candidate, theirs, self._line),
                                              daemon=True)
        self._process.start()
        theirs.close()

    def _end(self):
        """Ends the process; how it ended by itself, in words."""
        self._process.join(0.2)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
        status, self._process = self._process.exitcode, None
        self._line.close()
        if status is not None and status < 0:
            return f"was ended by {signal.Signals(-status).name}"
        return f"ended with status {status}"


def _answer_cases(candidate, line, other_end):
    other_end.close()
    while True:
        try:
            case = line.recv()
        except EOFError:
            return
        try:
            with one_process():
                answer = "outputs", (candidate.answer(case), candidate.wrote, candidate.loaded)
        except NotOffered as reason:
            answer = "not_offered", str(reason)
        except Unanswered as reason:
            answer = "unanswered", str(reason)
        except Exception as error:
            answer = "unanswered", f"{candidate.title} raised {in_one_line(error)}; expected outputs"
        line.send(answer)
