"""The C++ and CUDA sources of a repository, and the text files of the checks."""

import os
import pathlib
import re

FOLDERS = ("ref", "gpu", "verification", "tests")
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)


class NothingToCheck(Exception):
    """The tree has nothing that a check could read: a check of nothing proves nothing."""


def read_text(path):
    return pathlib.Path(path).read_text(encoding="utf-8", errors="replace")


def find_files(root, folders, suffixes):
    """Returns the paths, relative to the root and sorted, of the files in the folders that have one of the suffixes."""
    found = []
    for folder in folders:
        for parent, _, names in os.walk(os.path.join(root, folder)):
            found += [pathlib.Path(parent, name).relative_to(root).as_posix() for name in names
                      if os.path.splitext(name)[1] in suffixes]
    return sorted(found)


class SourceFile:
    """A source: `path` is relative to the root, `includes` are the names that it includes in quotation marks."""

    def __init__(self, path, text):
        self.path, self.text = path, text
        self.folder, _, self.name = path.rpartition("/")
        self.stem = os.path.splitext(path)[0]
        self.is_header = path.endswith(".hpp")
        self.is_test = path.startswith("tests/")
        self.includes = INCLUDE.findall(text)


def read_sources(root):
    """Returns the sources of the four folders, sorted by path, without the project that tests the installation."""
    paths = find_files(root, FOLDERS, {".hpp", ".cpp", ".cu"})
    sources = [SourceFile(path, read_text(pathlib.Path(root, path))) for path in paths
               if not path.startswith("tests/meta/consumer/")]
    if not sources:
        raise NothingToCheck(f"{root}: no source file; expected at least one")
    return sources


def read_exceptions(text):
    """Reads lines `because <reason>`, each followed by lines of names that it holds for; `#` starts a comment.

    Returns the names in order and the set of those that have no reason.
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
