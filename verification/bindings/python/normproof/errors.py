"""The exceptions of the package. Each has one sentence that says what was expected."""

import re

MAX_ERROR_TEXT = 600  # characters of the text of an exception that a verdict shows

# A message of Python about a call whose arguments do not fit.
_WRONG_ARGUMENTS = re.compile(r"(missing \d+ required|unexpected keyword argument|takes (from )?\d+|multiple values for|"
                              r"positional arguments? but)")


class NormproofError(Exception):
    """The base class of every exception that this package raises on purpose. Its text has printable characters only."""

    def __init__(self, *texts: object) -> None:
        super().__init__(*(escaped(text) if isinstance(text, str) else text for text in texts))


class UsageError(NormproofError, ValueError):
    """An argument is wrong: an unknown operation, a dtype that no case has, an unknown parameter."""


class CorpusError(NormproofError, OSError):
    """The corpus or the library is absent, damaged or modified."""


class OutputError(NormproofError, OSError):
    """A file cannot be written."""


class ConventionWarning(UserWarning):
    """A function passes, by another convention than the default one, which the text names."""


class Mismatch(NormproofError, AssertionError):
    """A case failed; the text is its verdict, and below it the lines that repeat the case. `case.check` raises it."""

    def __init__(self, *lines: str) -> None:
        AssertionError.__init__(self, "\n".join(map(escaped, lines)))


class NotOffered(NormproofError):
    """An implementation declines a case that it cannot compute. The case neither passes nor fails."""


class Unanswered(NormproofError):
    """An implementation returned nothing that can be judged. The text becomes the verdict on its case."""


def in_one_line(error: BaseException) -> str:
    """Returns the class of an exception and the first 600 characters of its text, in one line."""
    name, text = printable(type(error).__name__), text_of_error(error)
    return f"{name}: {text}" if text else name


def is_wrong_call(error: BaseException) -> bool:
    """Whether an exception says that the arguments of a call do not fit the parameters of the function."""
    return isinstance(error, TypeError) and bool(_WRONG_ARGUMENTS.search(text_of_error(error)))


def text_of_error(error: BaseException) -> str:
    """Returns the first 600 characters of the text of an exception, in one line."""
    try:
        return printable(str(error)[:MAX_ERROR_TEXT])
    except KeyboardInterrupt:
        raise
    except BaseException as another:  # the exception belongs to the user, and so does its __str__
        return f"its text raises {printable(type(another).__name__)}"


def printable(text: str) -> str:
    """Returns a text in one line: white space as single spaces, and escapes for characters that cannot be printed."""
    return escaped(" ".join(text.split()))


def escaped(text: str) -> str:
    """Returns a text with spaces for line breaks, and escapes such as \\x1b for characters that cannot be printed or stored."""
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in " ".join(text.splitlines()))
