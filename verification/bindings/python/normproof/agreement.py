"""normproof.agree: two implementations held against each other, and both against the truth."""
import dataclasses

import numpy as np

from normproof.arguments import require_arguments, said
from normproof.candidate import Candidate
from normproof.checking import asker, known_to, offered_index, open_corpus, require_dtypes, select
from normproof.errors import NotOffered, Unanswered, UsageError, in_one_line
from normproof.stored import same_bits

MOST_SAID = 8


@dataclasses.dataclass
class OutputAgreement:
    """One output of one case."""
    path: str
    output: str
    same_bits: bool
    differing: int  # elements that are not the same
    elements: int
    error_a: float  # the largest error over the bound
    error_b: float
    mean_a: float  # the mean of it
    mean_b: float

    @property
    def nearer(self):
        """ "a", "b", or "" where neither is nearer the truth in mean and in the largest error."""
        if self.same_bits or (self.error_a, self.mean_a) == (self.error_b, self.mean_b):
            return ""
        if self.error_a <= self.error_b and self.mean_a <= self.mean_b:
            return "a"
        if self.error_a >= self.error_b and self.mean_a >= self.mean_b:
            return "b"
        return ""

    def __str__(self):
        if self.same_bits:
            return f"{self.path} {self.output}: the same bits"
        return (f"{self.path} {self.output}: {self.differing:,} of {self.elements:,} elements differ; error over the "
                f"bound at most {self.error_a:.3g} and {self.error_b:.3g}, mean {self.mean_a:.3g} and {self.mean_b:.3g}")


class Agreement:
    """What two implementations answered. `bool(agreement)`: the same bits in every output of every case."""

    def __init__(self, a, b, op):
        self.a, self.b, self.op, self.outputs, self.unanswered = a, b, op, [], []

    @property
    def same_bits(self):
        return bool(self.outputs) and not self.unanswered and all(output.same_bits for output in self.outputs)

    __bool__ = lambda self: self.same_bits

    @property
    def nearer(self):
        """How many outputs a is nearer the truth in, b is, and neither is."""
        counts = {"a": 0, "b": 0, "": 0}
        for output in self.outputs:
            if not output.same_bits:
                counts[output.nearer] += 1
        return counts

    def __str__(self):
        lines = [f"a: {self.a}", f"b: {self.b}", f"op: {self.op}", *self.unanswered]
        differing = sorted((output for output in self.outputs if not output.same_bits),
                           key=lambda output: -max(output.error_a, output.error_b))
        lines += [str(output) for output in differing[:MOST_SAID]]
        if len(differing) > MOST_SAID:
            lines.append(f"... {len(differing) - MOST_SAID:,} more outputs differ, less far from the truth")
        same = sum(output.same_bits for output in self.outputs)
        nearer = self.nearer
        errors = [max((getattr(output, name) for output in self.outputs), default=0.0) for name in ("error_a", "error_b")]
        lines.append(f"{'SAME BITS' if self.same_bits else 'DIFFER'}: {same:,} of {len(self.outputs):,} outputs have the "
                     f"same bits; nearer the truth: a in {nearer['a']:,}, b in {nearer['b']:,}, neither in "
                     f"{nearer['']:,}; largest error over the bound: a {errors[0]:.3g}, b {errors[1]:.3g}")
        return "\n".join(lines) + "\n"


def agree(engine_a, engine_b, op, *, dtype="float32", device="cpu", tier="quick", outputs=None, backward=None,
          arguments=None, only=None, framework=None, layout=None, seconds=60):
    """Asks both the same cases: are the bits the same, and which one is nearer the truth?

    device, backward, arguments, framework and layout: one for both, or a tuple of two. The rest is as for
    normproof.check. A gamma or beta that one of them does not take is left out for both. outputs: those that are compared,
    which both owe where a case has them; None: what both returned.

    Returns an Agreement. Throws UsageError as normproof.check does, and where both are offered no case.
    """
    _require_pairs(device=device, backward=backward, arguments=arguments, framework=framework, layout=layout)
    for i in range(2):
        require_arguments({**locals(), "backward": _of(backward, i), "arguments": _of(arguments, i)})
    corpus = open_corpus(op, tier)
    selected = select(corpus, op, dtype, only, tier)
    known, fullest = known_to(corpus, op), max(selected, key=lambda index: len(corpus.description(index)["inputs"]))
    candidates = [Candidate(fn, op, known, _of(framework, i), _of(device, i), _of(arguments, i), outputs, _of(backward, i),
                            _of(layout, i)) for i, fn in enumerate((engine_a, engine_b))]
    for candidate in candidates:
        require_dtypes(candidate, dtype)
        candidate.require_device()
        candidate.look_inside(corpus.select(fullest))
    taken = _of_both(*(candidate.taken for candidate in candidates))
    corpus.set("outputs", candidates[0].judged_outputs() if outputs else "")
    agreement = Agreement(candidates[0].title, candidates[1].title, op)
    asks = [asker(candidate, False, seconds) for candidate in candidates]
    declined = []
    for index in selected:
        index, _ = offered_index(corpus, corpus.select(index), index, taken)
        case, answers = corpus.select(index), []
        for candidate, ask in zip(candidates, asks):
            try:
                candidate.require_offered(case)
                answers.append(ask(case)[0])
            except NotOffered as reason:
                declined.append(str(reason))
                break
            except Unanswered as reason:
                agreement.unanswered.append(f"{case.path}: {candidate.title}: {reason}")
                break
            except (Exception, SystemExit) as error:
                agreement.unanswered.append(f"{case.path}: {candidate.title} raised {in_one_line(error)}")
                break
        if len(answers) == 2:
            _compare(agreement, corpus, case, candidates, *answers)
    if not agreement.outputs and not agreement.unanswered:
        raise UsageError(f"normproof.agree: no case of {op} is offered by both {agreement.a} and {agreement.b}: "
                         + (declined[0] if declined else f"none has {', '.join(candidates[0].outputs or [candidates[0].main])}"))
    return agreement


def _of_both(one, other):
    """What both heed; "*" stands for everything."""
    return other if "*" in one else one if "*" in other else one & other


def _require_pairs(**given):
    for name, value in given.items():
        if isinstance(value, tuple) and len(value) != 2:
            raise UsageError(f"normproof: {name}={said(value)}; expected one for both, or a tuple of two")


def _of(value, index):
    return value[index] if isinstance(value, tuple) else value


def _compare(agreement, corpus, case, candidates, a, b):
    """What both answered; of outputs= those, which both owe where the case has them."""
    expected = corpus.expect()
    wanted = [name for name in candidates[0].outputs or sorted(set(a) & set(b)) if name in expected]
    owed = wanted if candidates[0].outputs else wanted or [candidates[0].main]
    for candidate, answered in zip(candidates, (a, b)):
        missing = [name for name in owed if name not in answered]
        if missing:
            agreement.unanswered.append(f"{case.path}: {candidate.title} returned no {missing[0]}; expected "
                                        f"{', '.join(owed)}")
            return
    for name in wanted:
        if a[name].shape != b[name].shape or a[name].shape != expected[name].shape:
            agreement.unanswered.append(f"{case.path}: {name} is {list(a[name].shape)} and {list(b[name].shape)}; "
                                        f"expected {list(expected[name].shape)}")
            continue
        shares = [_shares(stored, expected[name]) for stored in (a[name], b[name])]
        one, other = a[name].widened(), b[name].widened()
        differing = int(np.sum((one != other) & ~((one != one) & (other != other))))
        same = same_bits(a[name], b[name])
        agreement.outputs.append(OutputAgreement(
            case.path, name, same, differing if differing or same else one.size, one.size,
            *(float(share.max(initial=0.0)) for share in shares),
            *(float(share.mean()) if share.size else 0.0 for share in shares)))


def _shares(stored, expected):
    """The error over the bound of each element; 0 where both are NaN, infinite where one is."""
    with np.errstate(all="ignore"):
        got = np.asarray(stored.widened(), np.longdouble)
        error = np.abs((got - expected.value) - expected.remainder).astype(np.float64)
        share = np.where(error == 0, 0.0, error / expected.bound)
    undefined = np.isnan(expected.value)
    share = np.where(undefined, np.where(np.isfinite(got), np.inf, 0.0), share)
    return np.where(np.isnan(share), np.inf, share)
