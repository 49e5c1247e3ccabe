"""Checks the formulas of the norm layers, which are the files ref/norm/<name>_formula.hpp.

A formula must contain no code for speed, such as prefetches: that code belongs to the traversals in ref/ops. The source
of a layer must include the formula. A formula must be complete in its header: it may include no other file of ref/norm
than a formula that the layer includes too. It must include no header of the standard library, because the inline
functions there would be compiled for one instruction set but linked for all (docs/specification/determinism.md).
"""

import re

from .source_tree import NothingToCheck, read_sources

LAYERS = "ref/norm/"
MIN_FORMULAS = 8
SPEED = re.compile(r"prefetch|\bstream|fence|nontemporal|use_streaming_stores|_mm\d*_|__builtin_ia32"
                   r"|\basm\b|#\s*pragma\s+(?:GCC|omp)")
STANDARD = re.compile(r"^\s*#\s*include\s*<[^>]+>")


def is_formula(path):
    return path.startswith(LAYERS) and path.endswith("_formula.hpp")


def find_speed_code(sources):
    for source in sources:
        if not source.path.startswith(LAYERS):
            continue
        for number, line in enumerate(source.text.split("\n"), 1):
            if found := SPEED.search(line):
                yield f"{source.path}:{number}: {found.group()}; expected in a traversal of ref/ops"


def find_incomplete_formulas(sources):
    headers = {source.stem for source in sources if source.is_header}
    contracts = [source for source in sources if not source.is_header and source.stem in headers
                 and source.stem != LAYERS + "double_kernels"]
    for formula in sources:
        if not is_formula(formula.path):
            continue
        users = [source for source in contracts if formula.path in source.includes]
        if not users:
            yield f"{formula.path}: no source of a layer includes it; expected one"
        for include in formula.includes:
            if not include.startswith(LAYERS):
                continue
            if not is_formula(include) or not all(include in source.includes for source in users):
                yield f"{formula.path}: continues in {include}; expected all of it here"
        for line in formula.text.split("\n"):
            if STANDARD.match(line):
                yield (f"{formula.path}: {line}; expected nothing of the standard library "
                       "(docs/specification/determinism.md)")


def find_violations(root):
    sources = read_sources(root)
    count = sum(is_formula(source.path) for source in sources)
    if count < MIN_FORMULAS:
        raise NothingToCheck(f"{root}: {count} files {LAYERS}*_formula.hpp; expected {MIN_FORMULAS} or more")
    yield from find_speed_code(sources)
    yield from find_incomplete_formulas(sources)
