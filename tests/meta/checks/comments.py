"""Checks the layout of doc comments.

A field (Source, Computes, ...) must begin a line. The text of the field must stay in its column until the next field,
an empty comment line or the end of the comment. No line may have more than 100 columns. This check is necessary because
clang-format does not break the lines of doc comments.
"""

import re

from .source_tree import FOLDERS, NothingToCheck, find_files, read_text

FIELD = "(?:Source|Computes|Checks|Shapes|Requires|Order|Error|Saves|Leaves|Returns|Throws|Example)"
INSIDE = re.compile(rf"[^ ] {FIELD}(?:  +[^ ]|$)")


def find_layout_faults(text):
    """Yields the line number and the description of each fault in the doc comments of a source."""
    in_field = False
    for number, line in enumerate(text.split("\n"), 1):
        comment = re.match(r" */// ", line)
        if not comment:
            in_field = False
            continue
        if len(line) > 100:
            yield number, "a doc comment has more than 100 columns"
        line = line[comment.end() - 1:]
        if INSIDE.search(line):
            yield number, "a field begins inside the line"
        if re.match(r" [A-Z][a-z]+  +[^ ]", line):
            in_field = True
        elif in_field and re.match(r" [^ ]", line):
            yield number, "a line of a field stands left of its text"


def find_violations(root):
    paths = find_files(root, FOLDERS, {".cpp", ".hpp", ".cu", ".h"})
    if not paths:
        raise NothingToCheck(f"{root}: no source; expected at least one")
    for path in paths:
        for number, fault in find_layout_faults(read_text(root / path)):
            yield f"{path}:{number}: {fault}"
