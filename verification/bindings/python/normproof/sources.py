"""Writes values, such as functions and lambdas, as source text of Python, and collects the lines that this text needs."""
from __future__ import annotations

import ast
import builtins
import functools
import inspect
import json
import keyword
import math
import os
import textwrap
import types
from typing import Any, Collection

import numpy as np

from normproof.errors import printable
from normproof.frameworks import MODULES
from normproof.function_code import free_names, is_current, lambda_node, outer_variables
from normproof.titles import find_import, find_original, module_name, qualified_name, title_of

MAX_SOURCE = 20_000  # characters of a function whose source is repeated
MAX_VALUE = 1_000  # characters of the value of a variable, or of an array, that is repeated
_MAX_DEPTH = 8  # of functions that use functions
_RESERVED = {"normproof", "report"}
_COMPOUND = ("def ", "class ", "@")  # the beginning of statements that cannot share their line with others


class SourceWriter:
    """Writes values as source text.

    imports       the imports that the text needs
    definitions   the statements that the text needs: functions, and the values of variables
    undefined     a comment for each name whose value no text can express
    """

    def __init__(self) -> None:
        self.imports: list[str] = []
        self.definitions: list[str] = []
        self.undefined: list[str] = []
        self._bound: dict[str, Any] = {}
        self._repeats_source = False

    @property
    def is_importable(self) -> bool:
        """Whether the text repeats no function, and needs nothing but imports."""
        return not (self._repeats_source or self.definitions or self.undefined)

    @property
    def fits_one_line(self) -> bool:
        """Whether everything that the text needs can be written in one line."""
        return not self.undefined and not any("\n" in text or text.startswith(_COMPOUND) for text in self.definitions)

    def text(self, value: Any, name: str) -> str:
        """Returns the text of a value. If no text can express it, the text is `name`, and a comment says so."""
        text = self._write(value, 0)
        if text is not None:
            return text
        name = name if isinstance(value, types.MethodType) else _simple_name(value) or name
        self._comment(f"# {name}: {_describe(value)}")
        return name

    def _comment(self, line: str) -> None:
        if line not in self.undefined:
            self.undefined.append(line)

    def _write(self, value: Any, depth: int) -> str | None:
        """Returns the text of a value, or None."""
        plain = _literal(value)
        if plain is not None or depth > _MAX_DEPTH:
            return plain
        if isinstance(value, (list, tuple)):
            return _join_items(value, [self._write(one, depth + 1) for one in value])
        if isinstance(value, dict):
            keys, values = map(_literal, value), [self._write(one, depth + 1) for one in value.values()]
            pairs = [f"{key}: {one}" for key, one in zip(keys, values) if key is not None and one is not None]
            return "{" + ", ".join(pairs) + "}" if len(pairs) == len(value) else None
        if isinstance(value, types.ModuleType):
            return self._import_module(value, value.__name__.rpartition(".")[2])
        if type(value) is np.ndarray or isinstance(value, np.generic):
            return self._write_array(value)
        if isinstance(value, functools.partial) and self._bind("functools", functools, "import functools"):
            parts = [self._write(one, depth + 1) for one in (value.func, *value.args)]
            named = [f"{name}={text}" for name, one in value.keywords.items() if (text := self._write(one, depth + 1))]
            whole = all(parts) and len(named) == len(value.keywords)
            return f"functools.partial({', '.join([*(part or '' for part in parts), *named])})" if whole else None
        return self._write_function(value, depth) if callable(value) else None

    def _write_array(self, value: Any) -> str | None:
        """Returns the text of a small array or scalar of NumPy, or None."""
        if value.dtype.kind not in "bif" or value.dtype.itemsize > 8 or not value.dtype.isnative or value.size > MAX_VALUE:
            return None
        numbers = self._write(value.tolist(), 0)
        if numbers is None or len(numbers) > MAX_VALUE or not value.size or not self._bind("numpy", np, "import numpy"):
            return None
        if isinstance(value, np.generic):
            return f"numpy.{value.dtype.name}({numbers})" if value.dtype.kind != "b" else f"numpy.bool_({numbers})"
        return f'numpy.array({numbers}, dtype="{value.dtype.name}")'

    def _write_function(self, fn: Any, depth: int) -> str | None:
        compiled = find_original(fn)
        if compiled is not None:
            package = compiled[0].split(".")[0]
            inner = self._write(compiled[1], depth + 1)
            statement = "import tensorflow as tf" if package == "tf" else f"import {package}"
            return f"{compiled[0]}({inner})" if inner and self._bind(package, package, statement) else None
        name = _simple_name(fn)
        for path in (title_of(fn), f"{module_name(fn)}.{qualified_name(fn)}", *(f"{package}.{name}" for package in MODULES)):
            module, _, attribute = path.rpartition(".")
            if module != "__main__" and attribute.isidentifier() and find_import(path) is fn:
                return attribute if self._bind(attribute, fn, f"from {module} import {attribute}") else None
        if isinstance(fn, types.FunctionType) and fn.__name__ == "<lambda>":
            return self._write_lambda(fn, depth)
        if name and (inspect.isclass(fn) or isinstance(fn, types.FunctionType)):
            return name if self._define(fn, name, depth) else None
        owner = getattr(fn, "__self__", None)
        if name and isinstance(owner, type) and (text := self._write(owner, depth + 1)):
            return f"{text}.{name}"
        return None

    def _write_lambda(self, fn: types.FunctionType, depth: int) -> str | None:
        node = lambda_node(fn)
        if node is None:
            return None
        defaults = [*(fn.__defaults__ or ()), *(fn.__kwdefaults__ or {}).values()]
        texts = [self._write(value, depth + 1) for value in defaults]
        if not all(texts):
            return None
        count = len(fn.__defaults__ or ())
        nodes = [ast.parse(text or "", mode="eval").body for text in texts]
        named = dict(zip(fn.__kwdefaults__ or {}, nodes[count:]))
        node.args.defaults = nodes[:count]
        node.args.kw_defaults = [named.get(argument.arg) for argument in node.args.kwonlyargs]
        self._repeats_source = True
        return ast.unparse(node) if self._bind_names(node.body, fn, node.args, depth) else None

    def _define(self, fn: Any, name: str, depth: int) -> bool:
        """Adds the definition of a function or class, and of what it uses. Returns whether that was possible."""
        if name in self._bound:
            return self._bound[name] is fn
        try:
            source = textwrap.dedent(inspect.getsource(fn))
            tree = ast.parse(source)
        except (OSError, TypeError, SyntaxError):
            return False
        defined = tree.body[0] if len(tree.body) == 1 else None
        if not isinstance(defined, (ast.FunctionDef, ast.ClassDef)) or defined.name != name or len(source) > MAX_SOURCE:
            return False
        if isinstance(fn, types.FunctionType) and not is_current(fn):
            return False
        self._bound[name] = fn
        if not self._bind_names(defined, fn, None, depth):
            del self._bound[name]
            return False
        self.definitions.append(source.rstrip())
        return True

    def _bind_names(self, node: ast.AST, fn: Any, arguments: ast.arguments | None, depth: int) -> bool:
        """Binds every name that the code of a function reads from outside. Returns whether that was possible."""
        variables = outer_variables(fn)
        for name in free_names(node, arguments):
            if name in variables:
                if not self._bind_value(name, variables[name], depth):
                    return False
            elif not hasattr(builtins, name):
                return False
        return True

    def _bind_value(self, name: str, value: Any, depth: int) -> bool:
        if name in self._bound:
            return self._bound[name] is value
        if isinstance(value, types.ModuleType):
            return self._import_module(value, name) is not None
        is_long = isinstance(value, (str, list, tuple, dict)) and len(value) > MAX_VALUE
        text = None if is_long else self._write(value, depth + 1)
        return text is not None and len(text) <= MAX_VALUE and (text == name or self._bind(name, value, f"{name} = {text}", self.definitions))

    def _import_module(self, module: types.ModuleType, name: str) -> str | None:
        path = module.__name__
        statement = f"import {path}" if path == name else f"import {path} as {name}"
        return name if path != "__main__" and self._bind(name, module, statement) else None

    def _bind(self, name: str, value: Any, statement: str, lines: list[str] | None = None) -> bool:
        """Adds the statement that gives a name its value. Returns False if the name has another value already."""
        if name in self._bound:
            return self._bound[name] is value
        if name in _RESERVED or keyword.iskeyword(name):
            return name == "normproof" and isinstance(value, types.ModuleType)
        self._bound[name] = value
        (self.imports if lines is None else lines).append(statement)
        return True


def _simple_name(fn: Any) -> str:
    """Returns the name of a function if it is an identifier, else ""."""
    name = getattr(fn, "__name__", None) if callable(fn) else None
    return name if isinstance(name, str) and name.isidentifier() and not keyword.iskeyword(name) else ""


def _describe(value: Any) -> str:
    """Returns where a function is defined, for a comment."""
    if not callable(value):
        return "as it was given"
    code = getattr(value, "__code__", None)
    if isinstance(code, types.CodeType):
        return f"{title_of(value)} of {printable(os.path.basename(code.co_filename))}, line {code.co_firstlineno}"
    kind = value if isinstance(value, type) else type(value)
    try:
        place = f" of {printable(os.path.basename(inspect.getfile(kind)))}, line {inspect.getsourcelines(kind)[1]}"
    except (OSError, TypeError):
        return f"{title_of(value)}, as it was given"
    return f"the class {title_of(kind)}{place}" if kind is value else f"an object of the class {title_of(kind)}{place}"


def _literal(value: Any) -> str | None:
    """Returns the source text of plain data, or None for anything else."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False) if value.isprintable() else ascii(str(value))
    if value is None or isinstance(value, bool):
        return repr(value)
    if isinstance(value, int):
        return repr(int(value))
    if isinstance(value, float):
        return repr(float(value)) if math.isfinite(value) else f'float("{float(value)}")'
    return None


def _join_items(value: Collection[Any], texts: list[str | None]) -> str | None:
    found = [text for text in texts if text is not None]
    if len(found) < len(texts):
        return None
    inner = ", ".join(found)
    return f"[{inner}]" if isinstance(value, list) else f"({inner}{',' if len(texts) == 1 else ''})"


