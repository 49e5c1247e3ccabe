"""Checks the plain arguments of check, judge, agree and case.check, and describes an invalid one in a sentence."""
from __future__ import annotations

import numbers
from typing import Any, Callable, Mapping

import numpy as np

from normproof.errors import UsageError

MAX_SECONDS = 1e6
MAX_TEXT_LENGTH = 60
SEQUENCES = (list, tuple, set, frozenset)


def describe_value(value: Any) -> str:
    """Returns a value in one short line: a tensor as class, dtype and shape, anything else as its text."""
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        return f"{type(value).__name__} {value.dtype} {[*value.shape]}"
    text = " ".join(repr(value).split())
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


def _is_positive_number(value: Any) -> bool:
    return _is_whole_number(value) and value > 0


def _is_duration(value: Any) -> bool:
    is_number = isinstance(value, numbers.Real) and not _is_flag(value)
    return value is None or is_number and 0 < value <= MAX_SECONDS


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_text_or_texts(value: Any) -> bool:
    return isinstance(value, str) or isinstance(value, SEQUENCES) and all(isinstance(one, str) for one in value)


def _is_outputs(value: Any) -> bool:
    if value is None:
        return True
    names = value.split(",") if isinstance(value, str) else value
    return (isinstance(names, (list, tuple)) and bool(names)
            and all(isinstance(name, str) and bool(name.strip()) for name in names))


def _is_argument_sources(value: Any) -> bool:
    if value is None or hasattr(value, "items"):
        return value is None or all(isinstance(name, str) for name in value)
    return isinstance(value, (list, tuple)) and bool(value) and all(isinstance(name, str) for name in value)


Rule = tuple[Callable[[Any], bool], str]
_FUNCTION: Rule = (callable, "a function, or a class of modules")
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
    "threads": (_is_whole_number, "a whole number from 0"),
    "repeat": (_is_positive_number, "a whole number from 1"),
    "name": (_is_text, "a text, the name of the case"),
    "isolate": _FLAG, "strict": _FLAG, "flush_subnormals": _FLAG, "accumulation": _TEXT, "formula": _TEXT,
    "cast_order": _TEXT,
}
