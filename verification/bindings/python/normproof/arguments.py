"""What the plain arguments of check, judge, agree and case.check may be, and the one sentence where one is not that."""
import numbers

import numpy as np

from normproof.errors import UsageError

MOST_SECONDS = 1e6
MOST_SAID = 60
SEVERAL = (list, tuple, set, frozenset)


def said(value):
    """A value in one line of a sentence: a tensor by its class, dtype and shape, all else by the beginning of its text."""
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        return f"{type(value).__name__} {value.dtype} {[*value.shape]}"
    text = " ".join(repr(value).split())
    return text if len(text) <= MOST_SAID else text[:MOST_SAID - 3] + "..."


def require_arguments(given):
    """Throws UsageError for the first of {name: value} that is not what its name says; a name without a rule may be
    anything."""
    for name, value in given.items():
        accepts, expected = RULES.get(name, (lambda _: True, ""))
        if not accepts(value):
            raise UsageError(f"normproof: {name}={said(value)}; expected {expected}")


def _is_flag(value):
    return isinstance(value, (bool, np.bool_))


def _is_whole(value):
    return isinstance(value, numbers.Integral) and not _is_flag(value) and value >= 0


def _is_time(value):
    numeric = isinstance(value, numbers.Real) and not _is_flag(value)
    return value is None or numeric and 0 < value <= MOST_SECONDS


def _are_texts(value):
    return isinstance(value, str) or isinstance(value, SEVERAL) and all(isinstance(one, str) for one in value)


def _are_outputs(value):
    if value is None:
        return True
    names = value.split(",") if isinstance(value, str) else value
    return isinstance(names, (list, tuple)) and bool(names) and all(isinstance(name, str) and name.strip() for name in names)


def _are_sources(value):
    if value is None or hasattr(value, "items"):
        return value is None or all(isinstance(name, str) for name in value)
    return isinstance(value, (list, tuple)) and bool(value) and all(isinstance(name, str) for name in value)


_FUNCTION = (callable, "a function, or a class of modules")
_FLAG = (_is_flag, "True or False")
_TEXT = (lambda value: isinstance(value, str), "a text, '' for the default")
RULES = {
    "fn": _FUNCTION, "engine_a": _FUNCTION, "engine_b": _FUNCTION,
    "backward": (lambda value: value is None or callable(value), "a function of grad_y, or None"),
    "outputs": (_are_outputs, "names as 'y,grad_x', a list of them, or None for all"),
    "arguments": (_are_sources, "a mapping from names of arguments to names, constants or functions of the case, or a "
                                "list of names"),
    "only": (lambda value: value is None or _are_texts(value), "a glob or several, or None for all cases"),
    "xfail": (_are_texts, "a glob or several, of cases that are known to fail"),
    "relations": (_are_texts, "names of normproof.RELATIONS, or 'all'"),
    "seconds": (_is_time, f"a number above 0 and up to {MOST_SECONDS:g}, or None for no limit"),
    "threads": (_is_whole, "a whole number from 0"),
    "repeat": (lambda value: _is_whole(value) and value > 0, "a whole number from 1"),
    "name": (lambda value: isinstance(value, str), "a text, the name of the case"),
    "isolate": _FLAG, "strict": _FLAG, "flush_subnormals": _FLAG, "accumulation": _TEXT, "formula": _TEXT,
}
