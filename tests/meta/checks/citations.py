"""Checks the citations: sources and documents cite entries of docs/references.bib by key, for example `[VSP+17]`.

Every cited key must be in docs/references.bib, and every entry there must be cited.
"""

import os
import re

from .source_tree import FOLDERS, NothingToCheck, find_files, read_text

BIBLIOGRAPHY = "docs/references.bib"
KEY = r"[A-Z][A-Za-z]*\+?\d\d[a-z]?"
LIST = re.compile(rf"\[({KEY}(?:, {KEY})*)\]")
SUFFIXES = {".hpp", ".cpp", ".cu", ".inc", ".h", ".md", ".py"}


def read_keys(bibliography):
    return re.findall(r"@\w+\{([^,\s]+),", bibliography)


def find_cited_keys(text):
    return {key for keys in LIST.findall(text) for key in keys.split(", ")}


def find_violations(root):
    cited = {}
    documents = ["README.md"] if os.path.exists(root / "README.md") else []
    for path in documents + find_files(root, FOLDERS + ("docs",), SUFFIXES):
        for key in find_cited_keys(read_text(root / path)):
            cited.setdefault(key, []).append(path)
    if not cited:
        raise NothingToCheck(f"{root}: cites nothing; expected keys")
    known = set()
    for key in read_keys(read_text(root / BIBLIOGRAPHY)):
        if key in known:
            yield f"{BIBLIOGRAPHY}: {key} twice"
        if key not in cited:
            yield f"{BIBLIOGRAPHY}: nothing cites {key}"
        known.add(key)
    for key in sorted(set(cited) - known):
        for path in cited[key]:
            yield f"{path}: cites [{key}], which {BIBLIOGRAPHY} does not have"
