"""Lines of Python that ask a case again."""
import inspect
import json
import math
import os
import shlex
import sys
import types

from normproof.candidate import title_of


def differing(function, given):
    """The arguments of a call of normproof.check and the like that are not as by default."""
    parameters = inspect.signature(function).parameters
    keywords = [name for name, parameter in parameters.items() if parameter.kind is parameter.KEYWORD_ONLY]
    return {name: given[name] for name in keywords if name in given and not _is(given[name], parameters[name].default)}


def _is(value, default):
    return value is default or type(value) is type(default) and isinstance(value, (str, int, float, bool, tuple)) \
        and value == default


class Call:
    """A call of normproof.check or of another function: fn, op and the keywords, those of `without` left out.

    What no text can stand for, such as a lambda, is a name: `line` and `program` are then for where that is defined.
    """

    def __init__(self, fn, op, keywords, verb="check", without=()):
        self.op, self.verb, self.imports, self.undefined = op, verb, [], []
        self.fn = self._name_of(fn, _own_name(fn))
        self.keywords = {name: self._written(value, name) for name, value in keywords.items() if name not in without}

    def expression(self, inputs=None, **more):
        """normproof.check(fn, "layer_norm", ...), of the tensors in a file where one is given."""
        keywords = {**self.keywords, **{name: _plain(value) for name, value in more.items()}}
        arguments = [self.fn, _plain(self.op), *([f"**normproof.read_inputs({_plain(str(inputs))})"] if inputs else ()),
                     *(f"{name}={text}" if name.isidentifier() else f"**{{{_plain(name)}: {text}}}"
                       for name, text in keywords.items())]
        return f"normproof.{self.verb}({', '.join(arguments)})"

    def line(self, **more):
        """One line: a command of the shell where everything can be imported, else of Python."""
        if self.undefined:
            return f"print({self.expression(**more)})"
        lines = "; ".join(["import normproof", *self.imports])
        return f"python3 -c {shlex.quote(f'{lines}; print({self.expression(**more)})')}"

    def program(self, inputs=None, **more):
        """Five lines, or more where the call has functions beside fn."""
        return "\n".join(["import normproof", *self.imports, *self.undefined, "",
                          f"report = {self.expression(inputs, **more)}", "print(report)", ""])

    def _name_of(self, fn, name):
        module, _, attribute = title_of(fn).rpartition(".")
        if attribute.isidentifier() and getattr(sys.modules.get(module), attribute, None) is fn:
            self._add(self.imports, f"from {module} import {attribute}")
            return attribute
        self._add(self.undefined, f"# {name}: {_where(fn)}")
        return name

    def _written(self, value, name):
        text = _plain(value)
        if text is None and callable(value):
            return self._name_of(value, _own_name(value, name))
        if text is None:
            self._add(self.undefined, f"# {name}: as it was given")
            return name
        return text

    @staticmethod
    def _add(lines, line):
        if line not in lines:
            lines.append(line)


def _own_name(fn, otherwise="fn"):
    name = getattr(fn, "__name__", "")
    return name if name.isidentifier() else otherwise


def _where(fn):
    code = getattr(fn, "__code__", None)
    if isinstance(code, types.CodeType):
        return f"{title_of(fn)} of {os.path.basename(code.co_filename)}, line {code.co_firstlineno}"
    return f"{title_of(fn)}, as it was given"


def _plain(value):
    """The source text of plain data; None for what has none."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    if value is None or isinstance(value, (bool, int, float)):
        return repr(value)
    if isinstance(value, (list, tuple)):
        texts = [_plain(one) for one in value]
        if None in texts:
            return None
        inner = ", ".join(texts)
        return f"[{inner}]" if isinstance(value, list) else f"({inner}{',' if len(texts) == 1 else ''})"
    if isinstance(value, dict):
        texts = [(_plain(key), _plain(one)) for key, one in value.items()]
        return None if any(None in pair for pair in texts) else "{" + ", ".join(f"{key}: {one}" for key, one in texts) + "}"
    return None
