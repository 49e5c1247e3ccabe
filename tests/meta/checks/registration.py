"""Every source is built, every source has a test, and the root has no unknown entry.

A test that is not built proves nothing, and a header that is not named in its library is not installed.
"""

import re

from .source_tree import read_exceptions, read_sources, read_text

EXCEPTIONS = "tests/meta/unmirrored.txt"
TOP_LEVEL = {"ref", "gpu", "verification", "tests", "docs", "README.md", "CMakeLists.txt", "CMakePresets.json",
             "LICENSE"}


def find_unregistered(root, sources):
    """A CMakeLists.txt names each source of its folder, and each header if it declares a library."""
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
    """The test of `ref/x/y` is `tests/ref/x/y_test`; an exception has a reason and is needed."""
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
    """The root holds the known folders and files, hidden files and entries of .gitignore."""
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
