"""Checks the plain arguments of check, judge, agree and case.check, and describes an invalid one in a sentence."""
from __future__ import annotations

import numbers
from typing import Any, Callable, Mapping

import numpy as np

from normproof.errors import UsageError, printable

MAX_SECONDS = 1e6
MAX_THREADS = 1024  # as for --threads
MAX_TEXT_LENGTH = 60
SEQUENCES = (list, tuple, set, frozenset)


def describe_value(value: Any) -> str:
    """Returns a value in one short line: a tensor as class, dtype and shape, anything else as its text."""
    if not isinstance(value, type) and hasattr(value, "shape") and hasattr(value, "dtype"):
        return f"{type(value).__name__} {value.dtype} {[*value.shape]}"
    try:
        text = printable(repr(value))
    except Exception as error:  # the value belongs to the user, and so does its __repr__
        text = f"a {printable(type(value).__name__)} whose repr raises {printable(type(error).__name__)}"
    return text if len(text) <= MAX_TEXT_LENGTH else text[:MAX_TEXT_LENGTH - 3] + "..."


def require_arguments(given: Mapping[str, Any]) -> None:
    """Throws UsageError for the first argument in {name: value} whose value is invalid.

    Names without a rule are ignored.
    """
    for name, value in given.items():
        if name in RULES:
            accepts, expected = RULES[name]
            if not accepts(value):
                raise UsageError(f"normproof: {name}={describe_value(value)}; expected {expected}")


def _is_flag(value: Any) -> bool:
    return isinstance(value, (bool, np.bool_))


def _is_whole_number(value: Any) -> bool:
    return isinstance(value, numbers.Integral) and not _is_flag(value) and int(value) >= 0


def _is_thread_count(value: Any) -> bool:
    return _is_whole_number(value) and value <= MAX_THREADS


def _is_positive_number(value: Any) -> bool:
    return _is_whole_number(value) and value > 0


def _is_duration(value: Any) -> bool:
    is_number = isinstance(value, numbers.Real) and not _is_flag(value)
    return value is None or is_number and 0 < value <= MAX_SECONDS


def _is_text(value: Any) -> bool:
    """Whether a value is a text that C can receive: without lone surrogates and NUL."""
    return isinstance(value, str) and "\0" not in value and not any("\ud800" <= sign <= "\udfff" for sign in value)


def _is_text_or_texts(value: Any) -> bool:
    return _is_text(value) or isinstance(value, SEQUENCES) and all(map(_is_text, value))


def _is_outputs(value: Any) -> bool:
    if value is None:
        return True
    names = value.split(",") if isinstance(value, str) else value
    return (isinstance(names, (list, tuple)) and bool(names)
            and all(_is_text(name) and bool(name.strip()) for name in names))


def _is_argument_sources(value: Any) -> bool:
    if value is None or hasattr(value, "items"):
        return value is None or all(isinstance(name, str) for name in value)
    return isinstance(value, (list, tuple)) and bool(value) and all(isinstance(name, str) for name in value)


Rule = tuple[Callable[[Any], bool], str]
_FUNCTION: Rule = (callable, "a function, or a class of modules or of optimizers")
_FLAG: Rule = (_is_flag, "True or False")
_TEXT: Rule = (_is_text, "a text, '' for the default")
RULES: dict[str, Rule] = {
    "fn": _FUNCTION, "engine_a": _FUNCTION, "engine_b": _FUNCTION,
    "backward": (lambda value: value is None or callable(value), "a function of grad_y, or None"),
    "outputs": (_is_outputs, "names as 'y,grad_x', a list of them, or None for all"),
    "arguments": (_is_argument_sources, "a mapping from names of arguments to names, constants or functions of the "
                                        "case, or a list of names"),
    "writes": (lambda value: value is None or hasattr(value, "items") and all(
        isinstance(one, str) for pair in value.items() for one in pair), "a mapping from names of arguments to names of outputs"),
    "only": (lambda value: value is None or _is_text_or_texts(value), "a glob or several, or None for all cases"),
    "xfail": (_is_text_or_texts, "a glob or several, of cases that are known to fail"),
    "relations": (_is_text_or_texts, "names of normproof.RELATIONS, or 'all'"),
    "seconds": (_is_duration, f"a number above 0 and up to {MAX_SECONDS:g}, or None for no limit"),
    "threads": (_is_thread_count, f"a whole number from 0 to {MAX_THREADS}"),
    "repeat": (_is_positive_number, "a whole number from 1"),
    "rows": (lambda value: value is None or _is_positive_number(value), "a whole number from 1, or None for all rows"),
    "seed": (lambda value: value is None or _is_whole_number(value), "a whole number from 0, or None for a new one"),
    "name": (_is_text, "a text, the name of the case"),
    "isolate": _FLAG, "strict": _FLAG, "flush_subnormals": _FLAG, "skip_diagnosis": _FLAG,
    "accumulation": _TEXT, "formula": _TEXT, "cast_order": _TEXT, "loss_dtype": _TEXT, "scale_rounding": _TEXT,
}
