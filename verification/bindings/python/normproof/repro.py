"""Generates lines of Python that repeat a call on a case."""
from __future__ import annotations

import inspect
import os
import re
import shlex
from typing import Any, Callable, Collection, Iterable, Mapping, Sequence

from normproof.sources import SourceWriter


def changed_arguments(function: Callable[..., Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the keyword arguments of a call of normproof.check and the like that differ from their defaults."""
    parameters = inspect.signature(function).parameters
    keywords = [name for name, parameter in parameters.items() if parameter.kind is parameter.KEYWORD_ONLY]
    return {name: given[name] for name in keywords if name in given and not _equals(given[name], parameters[name].default)}


def _equals(value: Any, default: Any) -> bool:
    return value is default or (type(value) is type(default) and isinstance(value, (str, int, float, bool, tuple))
                                and bool(value == default))


class Call:
    """A call of normproof.check or of another function: fn, op and the keywords.

    The source of a lambda or of a local function is repeated if it is known. Another value that no text can express is
    replaced by a name and a comment. `line` and `program` can then be run only where that name is defined.
    """

    def __init__(self, fn: Callable[..., Any], op: str, keywords: Mapping[str, Any], verb: str = "check",
                 without: Collection[str] = (), others: Sequence[Callable[..., Any]] = ()) -> None:
        """`verb` is the function of normproof, and `others` the functions that it is given after fn.

        Lines that repeat a single case leave out the keywords of `without`.
        """
        self.op, self.verb = op, verb
        self._writer, self._without = SourceWriter(), without
        self.functions = [self._writer.text(one, f"fn{index or ''}") for index, one in enumerate((fn, *others))]
        self.keywords = {name: self._writer.text(value, name) for name, value in keywords.items()}

    @property
    def is_importable(self) -> bool:
        """Whether the function and all arguments can be imported or are plain values."""
        return self._writer.is_importable

    def expression(self, inputs: str | os.PathLike[str] | None = None, **more: Any) -> str:
        """Returns `normproof.check(fn, "layer_norm", ...)` for one case, with the tensors in a file if one is given."""
        kept = {name: text for name, text in self.keywords.items() if name not in self._without}
        keywords = {**kept, **{name: SourceWriter().text(value, name) for name, value in more.items()}}
        return self._expression(keywords, inputs)

    def _expression(self, keywords: Mapping[str, str], inputs: str | os.PathLike[str] | None = None) -> str:
        writer = SourceWriter()
        arguments = [*self.functions, writer.text(self.op, "op"),
                     *([f"**normproof.read_inputs({writer.text(str(inputs), 'inputs')})"] if inputs else ()),
                     *(f"{name}={text}" if name.isidentifier() else f"**{{{writer.text(name, 'name')}: {text}}}"
                       for name, text in keywords.items())]
        return f"normproof.{self.verb}({', '.join(arguments)})"

    def line(self, **more: Any) -> str:
        """Returns one line: a shell command if it can run alone, else a line of Python."""
        return self._line(self.expression(**more))

    def command(self, tensors: Iterable[str] = ()) -> str:
        """Returns one line that repeats the whole call, as `line` does for one case.

        If the call has user-supplied tensors, it is a line of Python that uses variables of these names.
        """
        given = {name: re.sub(r"\W", "_", name) for name in tensors}
        expression = self._expression({**given, **self.keywords})
        return f"print({expression})" if given else self._line(expression)

    def _line(self, expression: str) -> str:
        if not self._writer.fits_one_line:
            return f"print({expression})"
        lines = "; ".join(["import normproof", *self._writer.imports, *self._writer.definitions])
        return f"python3 -c {shlex.quote(f'{lines}; print({expression})')}"

    def program(self, inputs: str | os.PathLike[str] | None = None, **more: Any) -> str:
        """Returns a program of five lines, or more if the call has other functions, or functions that are defined there."""
        return "\n".join(["import normproof", *self._writer.imports, *self._writer.definitions, *self._writer.undefined, "",
                          f"report = {self.expression(inputs, **more)}", "print(report)", ""])
