"""Checks that no source compares the name of a layer with a string.

The properties of a layer are in ref/model/norm_layers.hpp, and the type of its options identifies the layer.
"""

import re

from .source_tree import NothingToCheck, find_files, read_text

LIST = "ref/model/norm_layers.cpp"
# The empty suffix is for scripts, whose names have no extension.
SUFFIXES = {"", ".hpp", ".cpp", ".cu", ".cuh", ".py"}


def read_layer_names(root):
    """Returns the names of the layers except "none", because "none" is also a value of some options."""
    names = [name for name in re.findall(r'\.name = "([a-z_0-9]+)"', read_text(root / LIST)) if name != "none"]
    if not names:
        raise NothingToCheck(f"{LIST}: names no layer; expected some")
    return names


def compile_comparison(names):
    """Returns a pattern that finds comparisons with the name of a layer.

    It finds == and != with the name on either side, Python's `in`, and tests of prefixes and suffixes.
    """
    some = "|".join(names)
    name = f'"(?:{some})"'
    return re.compile(rf'[=!]=\s*{name}|{name}\s*[=!]=|\bin [(\[{{][^)\]}}:]*{name}'
                      rf'|(?:starts_with|ends_with|startswith|endswith)\("(?:{some})')


def find_violations(root):
    comparison = compile_comparison(read_layer_names(root))
    for path in find_files(root, ("ref", "gpu", "verification"), SUFFIXES):
        for number, line in enumerate(read_text(root / path).split("\n"), 1):
            if '"' in line and comparison.search(line):
                yield (f"{path}:{number}: compares the name of a layer as text; expected a trait of "
                       "ref/model/norm_layers.hpp, or the type of its options")
