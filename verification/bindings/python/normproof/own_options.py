"""Checks the options of an operation that a caller gives a value."""
from __future__ import annotations

from typing import Any, Mapping, Sequence

from normproof import names
from normproof.arguments import describe_value
from normproof.corpus import TEXT_OPTIONS, Corpus
from normproof.errors import UsageError
from normproof.recertify import certify_again
from normproof.variants import option_text

OPTION_TYPES = (bool, int, float, str)


def wrong_kind(op: str, name: str, value: Any) -> str:
    """Returns what is expected of an option whose value has another type, or ""."""
    kinds = names.option_kinds(op).get(name, frozenset())
    if isinstance(value, str) and value != "none" and str not in kinds:
        return "True or False" if bool in kinds else "a number"
    if isinstance(value, bool) and bool not in kinds:
        return "a text" if str in kinds else "a number"
    is_name = isinstance(value, (bool, str)) or name in TEXT_OPTIONS
    return "a text" if not is_name and kinds == {str} else ""


def require_own_options(op: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the options of op that an implementation has by itself, under the corpus' names.

    Throws UsageError for a name that is no option of op, and for a value of another type than the option has.
    """
    options = names.with_canonical_names(op, given, "normproof.check", complete=False)
    for name, value in options.items():
        if name not in names.option_names(op):
            raise UsageError(f"normproof.check: {name}= is a tensor of {op}, which the cases have; expected an option: "
                             f"{', '.join(names.option_names(op)) or 'it has none'}")
        expected = wrong_kind(op, name, value) if isinstance(value, OPTION_TYPES) else "a number, a text, True or False"
        if expected:
            raise UsageError(f"normproof.check: {name}={describe_value(value)}; expected {expected}")
    return {name: option_text(value) if name in TEXT_OPTIONS else value for name, value in options.items()}


def require_certifiable(corpus: Corpus, selected: Sequence[int], options: Mapping[str, Any]) -> None:
    """Throws UsageError if no selected case can have these options, because of a value that does not exist."""
    reason: UsageError | None = None
    certified = Corpus()
    for index in selected:
        case = corpus.select(index)
        try:
            certify_again(certified, case, (), options)
        except UsageError as error:
            reason = error
        else:
            return
    if reason is not None:
        raise reason
