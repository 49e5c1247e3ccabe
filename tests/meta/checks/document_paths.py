"""Checks that every file, folder and heading that README.md or a document mentions exists.

A document can mention a file in three ways:
  - by a link relative to the folder of the document, for example `golden.md#the-gate`,
  - by a path from the root in code format, for example `ref/norm/norm.hpp`; the extension may be absent,
  - by the name of a source in code format, for example `norm.hpp`.
Words with a placeholder, `<layer>.cpp` or `*`, are ignored. The word after -R or -E is also ignored, because these
options select tests by name.
"""

import os
import re

from .source_tree import FOLDERS, NothingToCheck, find_files, read_text

# Programs of the project write this folder, so it is absent in a new checkout.
OUTPUT_FOLDER = "verification/out"
LINK = re.compile(r"\]\(([^)\s]+)\)")
PATH = re.compile(r"""[("']*((?:ref|gpu|verification|tests|docs)/[\w./+-]*[\w+-])/?[)"',.;:]*""", re.A)
SOURCE_NAME = re.compile(r"\w+\.(?:hpp|cpp|cu|cuh)", re.A)


def read_mentions(markdown):
    """Yields the line number, the kind ("link", "path" or "name") and the target of every mention in a document."""
    in_block = False
    for number, line in enumerate(markdown.split("\n"), 1):
        if line.startswith("```"):
            in_block = not in_block
            continue
        for code in [line] if in_block else re.findall(r"`([^`]+)`", line):
            before = ""
            for word in code.split():
                path = PATH.fullmatch(word)
                if path and before not in ("-R", "-E"):
                    yield number, "path", path.group(1)
                if SOURCE_NAME.fullmatch(word):
                    yield number, "name", word
                before = word
        for target in [] if in_block else LINK.findall(line):
            if "://" not in target:
                yield number, "link", target


def make_anchor(heading):
    """Returns the anchor of a heading, for example "what-no-tolerance-finds" for "## What no tolerance finds"."""
    return re.sub(r"[^\w-]", "", heading.lstrip("# ").replace(" ", "-"), flags=re.A).lower()


def has_link(root, document, target):
    path, hash_sign, anchor = target.partition("#")
    file = (root / document).parent / path if path else root / document
    if not file.exists():
        return False
    headings = [line for line in read_text(file).split("\n") if line.startswith("#")] if hash_sign else []
    return not hash_sign or anchor in map(make_anchor, headings)


def has_path(root, path):
    if path == OUTPUT_FOLDER or path.startswith(OUTPUT_FOLDER + "/") or (root / path).exists():
        return True
    folder, _, name = path.rpartition("/")
    return (root / folder).is_dir() and any(entry.startswith(name + ".") for entry in os.listdir(root / folder))


def find_violations(root):
    names = {path.rpartition("/")[2] for path in find_files(root, FOLDERS, {".hpp", ".cpp", ".cu", ".cuh"})}
    count = 0
    for document in ["README.md"] * (root / "README.md").exists() + find_files(root, ("docs",), {".md"}):
        exists = {"link": lambda target: has_link(root, document, target),
                  "path": lambda target: has_path(root, target), "name": names.__contains__}
        for number, kind, target in read_mentions(read_text(root / document)):
            count += 1
            if not exists[kind](target):
                yield f"{document}:{number}: {target} is not there"
    if count == 0:
        raise NothingToCheck(f"{root}: no document mentions a file; expected some")
