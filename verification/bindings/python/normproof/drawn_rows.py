"""Judges an implementation on some rows of user-supplied tensors. The rows are drawn after it has computed all of them."""
from __future__ import annotations

import random
import secrets
from typing import Callable, Mapping, NamedTuple, Sequence

import numpy as np

from normproof.checking import judge_case
from normproof.conventions import Observations
from normproof.corpus import Case, Corpus
from normproof.errors import UsageError
from normproof.invocation import Answer, Invocation
from normproof.isolation import Runner
from normproof.operations import computes_by_row
from normproof.report import CaseResult
from normproof.stored import Stored
from normproof.variants import ROWS

MAX_LISTED_ROWS = 100
# The statistics of a row. They have the leading axes of x.
ROW_STATISTICS = ("mean", "rstd", "rnorm")


def can_draw(op: str, inputs: Mapping[str, Stored], repeat: int) -> bool:
    """Whether rows= applies to an operation, to its tensors and with repeat=."""
    try:
        require_drawable(op, inputs, repeat)
    except UsageError:
        return False
    return True


def require_drawable(op: str, inputs: Mapping[str, Stored], repeat: int) -> None:
    """Throws UsageError if rows= does not apply to an operation, to its tensors or together with repeat=."""
    if not computes_by_row(op) or "x" not in inputs:
        raise UsageError(f"normproof.judge: rows= is given, but {op} does not compute each row alone; expected an operation "
                         "that does, as layer_norm")
    if repeat > 1:
        raise UsageError("normproof.judge: rows= and repeat= are given; expected one of them")
    if len(inputs["x"].shape) < 2:
        raise UsageError(f"normproof.judge: x has shape {[*inputs['x'].shape]}; expected two axes or more, as rows= is given")


def as_matrix(inputs: Mapping[str, Stored]) -> dict[str, Stored]:
    """Returns the tensors with x, and all that have its leading axes, with a single axis of rows."""
    leading = inputs["x"].shape[:-1]
    rows = int(np.prod(leading))
    return {name: stored.like(stored.data.reshape((rows, *stored.shape[len(leading):])))
            if name in ROWS and stored.shape[:len(leading)] == leading else stored for name, stored in inputs.items()}


class Drawn(NamedTuple):
    """Rows of a case: `chosen` of `total`, in ascending order."""
    chosen: list[int]
    total: int
    seed: int

    def describe(self) -> str:
        """Returns the remark of a report about the rows."""
        listed = ", ".join(f"{row:,}" for row in self.chosen[:MAX_LISTED_ROWS])
        more = len(self.chosen) - MAX_LISTED_ROWS
        return (f"{len(self.chosen):,} of {self.total:,} rows were drawn after the answer, by seed={self.seed}, and certified: "
                f"{listed}" + (f" and {more:,} more" if more > 0 else "") + "; sums over rows are judged for all rows")


def draw_rows(count: int, wanted: int, seed: int) -> Drawn:
    """Draws rows of a tensor that has `count` of them. The same seed draws the same rows."""
    return Drawn(sorted(random.Random(seed).sample(range(count), min(wanted, count))), count, seed)


class DrawnRows:
    """A question whose rows are drawn after the first answer, and then stay the same."""

    def __init__(self, corpus: Corpus, inputs: Mapping[str, Stored], wanted: int, seed: int | None,
                 certify: Callable[[Corpus, Mapping[str, Stored], Sequence[int] | None], int]) -> None:
        """`certify(corpus, inputs, rows)` adds a case to a corpus and returns its index. `inputs` are those of as_matrix."""
        self._corpus, self._inputs, self._certify = corpus, inputs, certify
        self._wanted = wanted
        self.seed = secrets.randbits(32) if seed is None else int(seed)
        self.count = inputs["x"].shape[0]
        self.drawn: Drawn | None = None
        self.case = self._case_of_all_rows()
        self._index = 0

    def _case_of_all_rows(self) -> Case:
        """Returns the case with all rows. None of them is certified for it."""
        first = {name: stored.like(stored.data[:1]) if self._has_rows(name, stored) else stored
                 for name, stored in self._inputs.items()}
        with Corpus() as corpus:
            case = corpus.select(self._certify(corpus, first, None))
        outputs = {name: (self.count, *shape[1:]) if name in (*ROWS, *ROW_STATISTICS) else shape
                   for name, shape in case.outputs.items()}
        return case.replaced(self._inputs, outputs=outputs)

    def _has_rows(self, name: str, stored: Stored) -> bool:
        return name in (*ROWS, *ROW_STATISTICS) and stored.shape[:1] == (self.count,)

    def judge(self, invocation: Invocation, runner: Runner, observed: Observations) -> tuple[CaseResult, int]:
        """Calls the implementation on all rows, draws some of them and judges these.

        The second value is 0, as for judge_copies without copies.
        """
        answer: Answer | BaseException
        try:
            answer = runner(self.case)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # judge_case makes it the verdict
            answer = error
        if self.drawn is None:
            self.drawn = draw_rows(self.count, self._wanted, self.seed)
            self._index = self._certify(self._corpus, self._inputs, self.drawn.chosen)
        if isinstance(answer, Answer):
            chosen = self.drawn.chosen
            answer = answer._replace(outputs={
                name: stored.like(np.ascontiguousarray(stored.data[chosen])) if self._has_rows(name, stored) else stored
                for name, stored in answer.outputs.items()})
        case = self._corpus.select(self._index)
        case.read |= self.case.read
        return judge_case(self._corpus, invocation, case, _Given(answer, runner), observed), 0


class _Given:
    """A runner that returns an answer, or raises an exception, which another runner gave before."""

    def __init__(self, answer: Answer | BaseException, runner: Runner) -> None:
        self._answer = answer
        self.members = runner.members

    def __call__(self, case: Case) -> Answer:
        if isinstance(self._answer, BaseException):
            raise self._answer
        return self._answer

    def close(self) -> None:
        """Does nothing, because the runner belongs to the caller."""
