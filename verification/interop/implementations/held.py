"""What a row of the board holds against the corpus, and the short forms in which rows say it."""
import dataclasses

FOUR = ("float64", "float32", "float16", "bfloat16")
THREE = ("float32", "float16", "bfloat16")


@dataclasses.dataclass(frozen=True)
class Held:
    """One function of a library, held against one operation of the corpus.

    what     its name in the library, as the table shows it
    op       the operation of the corpus
    fn       what normproof.check takes, with arguments by the corpus's names
    dtypes   those that the library computes it in
    options  more of normproof.check: outputs, arguments, layout, ...
    """
    what: str
    op: str
    fn: object
    dtypes: tuple = THREE
    options: dict = dataclasses.field(default_factory=dict)


def pointwise(what, fns, dtypes=THREE, **options):
    """Several functions of x alone: {op: (name, fn)}."""
    return [Held(what.format(name), op, fn, dtypes, options) for op, (name, fn) in fns.items()]
