"""Functions that read the C++ and CUDA sources of a repository and the lists of exceptions of the checks."""

import os
import pathlib
import re

FOLDERS = ("ref", "gpu", "verification", "tests")
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)


class NothingToCheck(Exception):
    """Raised if the tree has nothing that the check could read. Otherwise the check would pass without reading."""


def read_text(path):
    return pathlib.Path(path).read_text(encoding="utf-8", errors="replace")


def find_files(root, folders, suffixes):
    """Returns the sorted paths, relative to the root, of the files in the folders that have one of the suffixes."""
    found = []
    for folder in folders:
        for parent, _, names in os.walk(os.path.join(root, folder)):
            found += [pathlib.Path(parent, name).relative_to(root).as_posix() for name in names
                      if os.path.splitext(name)[1] in suffixes]
    return sorted(found)


class SourceFile:
    """A source file. `path` is relative to the root. `includes` are the paths of its includes in quotation marks."""

    def __init__(self, path, text):
        self.path, self.text = path, text
        self.folder, _, self.name = path.rpartition("/")
        self.stem = os.path.splitext(path)[0]
        self.is_header = path.endswith(".hpp")
        self.is_test = path.startswith("tests/")
        self.includes = INCLUDE.findall(text)


def read_sources(root):
    """Returns the sources in FOLDERS, sorted by path. tests/meta/consumer, a project of its own, is left out."""
    paths = find_files(root, FOLDERS, {".hpp", ".cpp", ".cu"})
    sources = [SourceFile(path, read_text(pathlib.Path(root, path))) for path in paths
               if not path.startswith("tests/meta/consumer/")]
    if not sources:
        raise NothingToCheck(f"{root}: no source file; expected at least one")
    return sources


def read_exceptions(text):
    """Reads a list of exceptions. A line `because <reason>` is followed by lines of names with this reason.

    `#` starts a comment. Returns the names in order and the set of names without a reason.
    """
    names, without_reason, has_reason = [], set(), False
    for line in text.split("\n"):
        words = line.split()
        if not words or words[0] == "#":
            continue
        if words[0] == "because":
            has_reason = len(words) > 2
            continue
        names += words
        if not has_reason:
            without_reason.update(words)
    return names, without_reason
