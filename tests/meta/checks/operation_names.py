"""Checks that no source compares the name of an operation with a string.

The properties of an operation are in ref/model/operation_info.hpp, and the type of its options identifies a layer.
"""

import json
import re

from .source_tree import NothingToCheck, find_files, read_text

LIST = "verification/interop/operations.json"
# These words are also values of options.
OTHER_MEANINGS = {"none", "relu", "gelu", "gelu_tanh", "tanh", "encoder"}
# The empty suffix is for scripts, whose names have no extension.
SUFFIXES = {"", ".hpp", ".cpp", ".cu", ".cuh", ".py"}


def read_operation_names(root):
    """Returns the names of the operations that have no other meaning."""
    names = [operation["name"] for operation in json.loads(read_text(root / LIST))]
    names = [name for name in names if name not in OTHER_MEANINGS]
    if not names:
        raise NothingToCheck(f"{LIST}: names no operation; expected some")
    return names


def compile_comparison(names):
    """Returns a pattern that finds comparisons with the name of an operation.

    It finds == and != with the name on either side, Python's `in` outside of loops, and tests of prefixes and suffixes.
    """
    some = "|".join(names)
    name = rf'["\'](?:{some})["\']'
    return re.compile(rf'[=!]=\s*{name}|{name}\s*[=!]=|^(?!.*\bfor\b).*\bin [(\[{{][^)\]}}:]*{name}'
                      rf'|(?:starts_with|ends_with|startswith|endswith)\(["\'](?:{some})["\'_]')


def find_violations(root):
    comparison = compile_comparison(read_operation_names(root))
    for path in find_files(root, ("ref", "gpu", "verification"), SUFFIXES):
        for number, line in enumerate(read_text(root / path).split("\n"), 1):
            if comparison.search(line):
                yield (f"{path}:{number}: compares the name of an operation as text; expected a field of "
                       "ref/model/operation_info.hpp, or the type of its options")
