"""Describes the functions of a library that a row of the board judges, each on one operation of the corpus."""
import dataclasses
import typing

FOUR = ("float64", "float32", "float16", "bfloat16")
THREE = ("float32", "float16", "bfloat16")


@dataclasses.dataclass(frozen=True)
class Entry:
    """One function of a library, judged on one operation of the corpus.

    what      its name in the library, as the table shows it
    op        the operation of the corpus
    fn        a function for normproof.check, whose parameters have the corpus' names
    dtypes    the dtypes that the library computes it in
    options   other arguments of normproof.check: outputs, arguments, layout, ...
    """
    what: str
    op: str
    fn: typing.Callable
    dtypes: tuple = THREE
    options: dict = dataclasses.field(default_factory=dict)


def pointwise(what, functions, dtypes=THREE, **options):
    """Returns entries for functions of x alone. `functions` is {op: (name, fn)}, and `what` formats the name."""
    return [Entry(what.format(name), op, fn, dtypes, options) for op, (name, fn) in functions.items()]
