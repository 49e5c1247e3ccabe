"""The exceptions of the package. Each has one sentence that says what was expected."""


class NormproofError(Exception):
    """The base class of every exception that this package raises on purpose."""


class UsageError(NormproofError, ValueError):
    """An argument is wrong: an unknown operation, a dtype that no case has, an unknown parameter."""


class CorpusError(NormproofError, OSError):
    """The corpus or the library is absent, damaged or modified."""


class OutputError(NormproofError, OSError):
    """A file cannot be written."""


class Mismatch(NormproofError, AssertionError):
    """A case failed; the text is its verdict. `case.check` raises it."""


class NotOffered(NormproofError):
    """An implementation declines a case that it cannot compute. The case neither passes nor fails."""


class Unanswered(NormproofError):
    """An implementation returned nothing that can be judged. The text becomes the verdict on its case."""


def in_one_line(error: BaseException) -> str:
    """Returns the class of an exception and the first 600 characters of its text, in one line."""
    text = " ".join(str(error).split())[:600]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
