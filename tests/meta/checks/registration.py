"""Checks that every source is built and has a test, and that the root of the repository has no unknown entry.

A test that is not built never runs, and a header that its library does not name is not installed.
"""

import re

from .source_tree import read_exceptions, read_sources, read_text

EXCEPTIONS = "tests/meta/unmirrored.txt"
TOP_LEVEL = {"ref", "gpu", "verification", "tests", "docs", "README.md", "CMakeLists.txt", "CMakePresets.json",
             "LICENSE"}


def find_unregistered(root, sources):
    """Yields the files that the CMakeLists.txt of their folder does not name.

    It must name each source of its folder. If it declares a library, it must also name each header.
    """
    words = {}
    for source in sources:
        if source.folder not in words:
            lists = root / source.folder / "CMakeLists.txt"
            text = re.sub(r"#.*", "", read_text(lists)) if lists.exists() else ""
            words[source.folder] = set(re.split(r"[\s()]+", text))
        if source.is_header and "normproof_library" not in words[source.folder]:
            continue
        if source.name not in words[source.folder]:
            yield f"{source.path}: not named in {source.folder}/CMakeLists.txt"


def find_untested(sources, exceptions):
    """Yields the sources without a test, and the wrong exceptions.

    The test of `ref/x/y` is `tests/ref/x/y_test`. An exception must have a reason and must be necessary.
    """
    stems = {source.stem for source in sources if not source.is_test}
    tests = {source.stem for source in sources if source.is_test}
    excepted, without_reason = read_exceptions(exceptions)
    for stem in excepted:
        if stem in without_reason:
            yield f"{stem}: its exception gives no reason"
        if stem not in stems:
            yield f"{stem}: excepted, but there is none"
        if f"tests/{stem}_test" in tests:
            yield f"{stem}: excepted, but it has a test"
    for stem in sorted(stems - set(excepted)):
        if f"tests/{stem}_test" not in tests:
            yield f"{stem}: expected tests/{stem}_test.cpp, or a line with the reason in {EXCEPTIONS}"


def find_unknown_entries(root):
    """Yields the entries of the root that are neither in TOP_LEVEL, nor hidden, nor in .gitignore."""
    ignored = root / ".gitignore"
    known = TOP_LEVEL | {line.strip("/") for line in (read_text(ignored) if ignored.exists() else "").split("\n")}
    for entry in sorted(path.name for path in root.iterdir()):
        if not entry.startswith(".") and entry not in known:
            yield f"{entry}: not an entry of the repository (docs/architecture.md)"


def find_violations(root):
    sources = read_sources(root)
    yield from find_unregistered(root, sources)
    yield from find_untested(sources, read_text(root / EXCEPTIONS))
    yield from find_unknown_entries(root)
