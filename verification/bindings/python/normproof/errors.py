"""What goes wrong, each in one sentence that names what was expected."""


class NormproofError(Exception):
    """Everything that this package raises of its own."""


class UsageError(NormproofError, ValueError):
    """An argument is not what it has to be: an unknown operation, dtype or name of an argument."""


class CorpusError(NormproofError, OSError):
    """The corpus or the library is absent, damaged or altered."""


class OutputError(NormproofError, OSError):
    """A file cannot be written."""


class Mismatch(NormproofError, AssertionError):
    """A case that failed, with the verdict; what `case.check` raises."""


class NotOffered(NormproofError):
    """Raised by a candidate that has nothing that computes the case; it passes nothing and fails nothing."""


class Unanswered(NormproofError):
    """A candidate gave no answer that could be judged; the sentence is the verdict of its case."""


def in_one_line(error):
    """An exception as one line: its class and the beginning of its text."""
    text = " ".join(str(error).split())[:600]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
