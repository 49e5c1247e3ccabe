"""Checks that the link lines of the build agree with the table of docs/layers.md, and the includes with both.

A source a.cpp must include a.hpp first if this header exists. Then the compiler finds a header that lacks an include.
"""

import re

from .source_tree import read_sources, read_text

TABLE = "docs/layers.md"
TOPS = ("ref/", "gpu/", "verification/", "tests/")


def read_table(markdown):
    """Returns, for each folder of the table, the set of folders that it may use directly.

    The table has lines `<level> <folder> [<folder>, ...]`.
    """
    rows = re.findall(r"^\d+\s+([a-z_]+/[a-z_/]+|gpu)\s+\[([^\]]*)\]", markdown, re.M)
    return {folder: set(re.findall(r"[a-z_/]+", used)) for folder, used in rows}


class LinkGraph:
    """The link lines of the build. link_graph.cmake writes them as `<folder> target|public|private <name>`."""

    def __init__(self, text):
        self.folders = set()  # the folders that have a target
        self.all = {}         # for each folder, all folders that it links; its sources can use them
        self.exported = {}    # for each folder, the folders that it links publicly; its headers can use them
        for line in text.split("\n"):
            words = line.split()
            if len(words) != 3:
                continue
            folder, kind, linked = words
            if kind == "target":
                self.folders.add(folder)
            else:
                self.all.setdefault(folder, set()).add(linked)
            if kind == "public":
                self.exported.setdefault(folder, set()).add(linked)


def is_test(folder):
    return folder == "tests" or folder.startswith("tests/")


def find_reachable(edges, start):
    reached, open_folders = set(), list(start)
    while open_folders:
        folder = open_folders.pop()
        if folder not in reached:
            reached.add(folder)
            open_folders += edges.get(folder, ())
    return reached


def find_link_violations(table, links):
    for folder in sorted(links.folders):
        if is_test(folder) or folder == ".":
            continue
        if folder not in table:
            yield f"{folder}: has a target, but no row in {TABLE}"
            continue
        linked = links.all.get(folder, set())
        for other in sorted(linked - table[folder]):
            yield f"{folder}: links {other}; its row in {TABLE} does not"
        for other in sorted(table[folder] - linked):
            yield f"{folder}: its row in {TABLE} names {other}, which it does not link"


def find_include_violations(sources, table, links):
    """Yields the includes that the table or the link lines forbid.

    A test may use every folder that it links and the headers of all tests.
    """
    for source in sources:
        folder, in_tests = source.folder, is_test(source.folder)
        edges = links.exported if source.is_header and not in_tests else links.all
        linked = find_reachable(links.exported, edges.get(folder, ()))
        allowed = find_reachable(table, table.get(folder, ()))
        for include in source.includes:
            other = include.rpartition("/")[0]
            edge = f'{source.path}: includes "{include}"'
            if not include.startswith(TOPS):
                yield f"{edge}; expected a path from the root of the repository"
            elif other == folder or (in_tests and is_test(other)):
                continue
            elif not in_tests and other not in allowed:
                yield f"{edge}; {folder} may not use {other} ({TABLE})"
            elif other not in linked:
                yield f"{edge}; {folder} does not link {other}"


def find_header_violations(sources):
    headers = {source.path for source in sources if source.is_header}
    for source in sources:
        header = source.stem + ".hpp"
        if not source.is_header and header in headers and source.includes[:1] != [header]:
            yield f'{source.path}: expected "{header}" as its first include'


def find_violations(root, link_graph):
    sources, table, links = read_sources(root), read_table(read_text(root / TABLE)), LinkGraph(read_text(link_graph))
    if "ref/numeric" not in links.folders:
        yield f"{link_graph}: has no ref/numeric; expected the link lines of the build"
    yield from find_link_violations(table, links)
    yield from find_include_violations(sources, table, links)
    yield from find_header_violations(sources)
