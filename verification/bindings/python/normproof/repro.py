"""Generates lines of Python that repeat a call on a case."""
from __future__ import annotations

import inspect
import json
import math
import os
import shlex
import sys
import types
from typing import Any, Callable, Collection, Mapping

from normproof.titles import title_of


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

    A value that no text can express, such as a lambda, is replaced by a name and a comment. `line` and `program` can
    then be run only where that name is defined.
    """

    def __init__(self, fn: Callable[..., Any], op: str, keywords: Mapping[str, Any], verb: str = "check",
                 without: Collection[str] = ()) -> None:
        """`verb` is the function of normproof; the keywords of `without` are left out."""
        self.op, self.verb = op, verb
        self.imports: list[str] = []
        self.undefined: list[str] = []  # a comment for each name that must be defined before
        self.fn = self._name_of(fn, _name_or(fn, "fn"))
        self.keywords = {name: self._source_text(value, name) for name, value in keywords.items() if name not in without}

    def expression(self, inputs: str | os.PathLike[str] | None = None, **more: Any) -> str:
        """Returns `normproof.check(fn, "layer_norm", ...)`, with the tensors in a file if one is given."""
        keywords = {**self.keywords, **{name: str(_literal(value)) for name, value in more.items()}}
        arguments = [self.fn, str(_literal(self.op)),
                     *([f"**normproof.read_inputs({_literal(str(inputs))})"] if inputs else ()),
                     *(f"{name}={text}" if name.isidentifier() else f"**{{{_literal(name)}: {text}}}"
                       for name, text in keywords.items())]
        return f"normproof.{self.verb}({', '.join(arguments)})"

    def line(self, **more: Any) -> str:
        """Returns one line: a shell command if everything can be imported, else a line of Python."""
        if self.undefined:
            return f"print({self.expression(**more)})"
        lines = "; ".join(["import normproof", *self.imports])
        return f"python3 -c {shlex.quote(f'{lines}; print({self.expression(**more)})')}"

    def program(self, inputs: str | os.PathLike[str] | None = None, **more: Any) -> str:
        """Returns a program of five lines, or more if the call has functions beside fn."""
        return "\n".join(["import normproof", *self.imports, *self.undefined, "",
                          f"report = {self.expression(inputs, **more)}", "print(report)", ""])

    def _name_of(self, fn: Callable[..., Any], name: str) -> str:
        module, _, attribute = title_of(fn).rpartition(".")
        if attribute.isidentifier() and getattr(sys.modules.get(module), attribute, None) is fn:
            _add_once(self.imports, f"from {module} import {attribute}")
            return attribute
        _add_once(self.undefined, f"# {name}: {_location(fn)}")
        return name

    def _source_text(self, value: Any, name: str) -> str:
        text = _literal(value)
        if text is None and callable(value):
            return self._name_of(value, _name_or(value, name))
        if text is None:
            _add_once(self.undefined, f"# {name}: as it was given")
            return name
        return text


def _add_once(lines: list[str], line: str) -> None:
    if line not in lines:
        lines.append(line)


def _name_or(fn: Callable[..., Any], otherwise: str) -> str:
    name: str = getattr(fn, "__name__", "")
    return name if name.isidentifier() else otherwise


def _location(fn: Callable[..., Any]) -> str:
    code = getattr(fn, "__code__", None)
    if isinstance(code, types.CodeType):
        return f"{title_of(fn)} of {os.path.basename(code.co_filename)}, line {code.co_firstlineno}"
    return f"{title_of(fn)}, as it was given"


def _literal(value: Any) -> str | None:
    """Returns the source text of plain data, or None for anything else."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    if value is None or isinstance(value, (bool, int, float)):
        return repr(value)
    if isinstance(value, (list, tuple)):
        texts = _literals(value)
        if texts is None:
            return None
        inner = ", ".join(texts)
        return f"[{inner}]" if isinstance(value, list) else f"({inner}{',' if len(texts) == 1 else ''})"
    if isinstance(value, dict):
        keys, values = _literals(value), _literals(value.values())
        if keys is None or values is None:
            return None
        return "{" + ", ".join(f"{key}: {one}" for key, one in zip(keys, values)) + "}"
    return None


def _literals(values: Collection[Any]) -> list[str] | None:
    texts = [_literal(one) for one in values]
    found = [text for text in texts if text is not None]
    return found if len(found) == len(texts) else None
