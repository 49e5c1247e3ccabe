"""Finds the source of a function, and the names that it reads from outside."""
from __future__ import annotations

import ast
import functools
import linecache
import sys
import types
from typing import Any, Iterable


def outer_variables(fn: Any) -> dict[str, Any]:
    """Returns the global variables of a function, or of a class and its methods, and those that it closes over.

    The base classes of a class are among them, by their names.
    """
    variables: dict[str, Any] = {}
    functions = [fn]
    if isinstance(fn, type):
        variables.update(getattr(sys.modules.get(fn.__module__), "__dict__", {}))
        variables.update((base.__name__, base) for base in fn.__bases__ if base.__name__ not in variables)
        members = [getattr(member, "__func__", getattr(member, "fget", member)) for member in vars(fn).values()]
        functions = [member for member in members if isinstance(member, types.FunctionType)]
    for function in functions:
        variables.update(function.__globals__)
    for function in functions:
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
            try:
                variables[name] = cell.cell_contents
            except ValueError:  # not assigned yet
                pass
    return variables


def free_names(node: ast.AST, arguments: ast.arguments | None) -> list[str]:
    """Returns the names that code reads and does not assign, in order."""
    assigned = {"__class__"} | {one.arg for one in _arguments(arguments)} if arguments else {"__class__"}
    read: dict[str, None] = {}
    for one in ast.walk(node):
        if isinstance(one, ast.arg):
            assigned.add(one.arg)
        elif isinstance(one, (ast.FunctionDef, ast.ClassDef)):
            assigned.add(one.name)
        elif isinstance(one, ast.alias):
            assigned.add((one.asname or one.name).split(".")[0])
        elif isinstance(one, ast.ExceptHandler) and one.name:
            assigned.add(one.name)
        elif isinstance(one, ast.Name):
            if isinstance(one.ctx, ast.Load):
                read[one.id] = None
            else:
                assigned.add(one.id)
    return [name for name in read if name not in assigned]


def _arguments(arguments: ast.arguments) -> Iterable[ast.arg]:
    return (one for one in ast.walk(arguments) if isinstance(one, ast.arg))


def lambda_node(fn: types.FunctionType) -> ast.Lambda | None:
    """Returns the expression of a lambda in its file, or None if it is not found, or if there are several like it."""
    code = fn.__code__
    tree = _parse_file(code.co_filename, _read_source(fn))
    if tree is None or not is_current(fn):
        return None
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Lambda) and node.lineno == code.co_firstlineno
             and tuple(one.arg for one in _parameters(node)) == code.co_varnames[:code.co_argcount + code.co_kwonlyargcount]]
    if len(found) > 1 and hasattr(code, "co_positions"):
        spans = [(line, column) for line, end_line, column, end in code.co_positions()
                 if line and column is not None and (end_line, end) != (line, column)]
        found = [node for node in found if spans and all(_contains(node.body, *span) for span in spans)]
    return _copy(found[0]) if len(found) == 1 else None


def _parameters(node: ast.Lambda) -> list[ast.arg]:
    return [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]


def _contains(node: ast.expr, line: int, column: int) -> bool:
    return (node.lineno, node.col_offset) <= (line, column) <= (node.end_lineno or 0, node.end_col_offset or 0)


def _copy(node: ast.Lambda) -> ast.Lambda | None:
    copied = ast.parse(ast.unparse(node), mode="eval").body
    return copied if isinstance(copied, ast.Lambda) else None


def _read_source(fn: types.FunctionType) -> str:
    """Returns the text of the file or notebook cell of a function, or "" if it is not known."""
    return "".join(linecache.getlines(fn.__code__.co_filename, fn.__globals__))


def is_current(fn: types.FunctionType) -> bool:
    """Whether the file still has the function, so that the source text is that of the function which runs."""
    return _code_key(fn.__code__) in _code_keys(fn.__code__.co_filename, _read_source(fn))


@functools.lru_cache(maxsize=8)
def _code_keys(name: str, source: str) -> frozenset[Any]:
    """Returns the keys of all functions in a source text."""
    try:
        found = [compile(source, name, "exec", dont_inherit=True)]
    except (SyntaxError, ValueError):
        return frozenset()
    for code in found:  # grows while it is read
        found += [constant for constant in code.co_consts if isinstance(constant, types.CodeType)]
    return frozenset(map(_code_key, found))


def _code_key(code: types.CodeType) -> Any:
    constants = tuple(repr(constant) for constant in code.co_consts if not isinstance(constant, types.CodeType))
    return code.co_code, constants, code.co_names, code.co_varnames, code.co_freevars, code.co_firstlineno


@functools.lru_cache(maxsize=8)
def _parse_file(name: str, source: str) -> ast.Module | None:
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError):
        return None
