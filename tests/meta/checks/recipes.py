"""Every recipe of docs/extending.md names the files that contain its example.

A recipe is a section that begins with `## `. Its line `Example: ...` has the words to search for, each in backticks.
The first column of its tables names files in backticks: a path, or a path with a placeholder such as `<layer>`, which
stands for letters, digits, underscores, hyphens and dots. A path that ends in `/` stands for everything below the
folder. A violation is

  - a source of ref, gpu or verification that contains a word of the example and that the recipe does not name,
  - a path of a recipe that matches no file,
  - a recipe without an example or without a table, an example that no source contains, and fewer than 14 recipes.
"""

import pathlib
import re

from .source_tree import NothingToCheck, read_text

PAGE = "docs/extending.md"
FOLDERS = ("ref", "gpu", "verification")
# Programs write these folders.
GENERATED = ("verification/golden/data/", "verification/out/", "verification/studies/published/results/",
             "verification/studies/language/results/")
SUFFIXES = {".cpp", ".hpp", ".h", ".cu", ".cuh", ".py", ".v", ".inc", ".txt", ".json", ".toml", ".in", ""}
# The kinds of extension that issue reports ask for most: a page with fewer recipes has lost one.
MIN_RECIPES = 14


def split_recipes(text):
    """Yields the title and the lines of every section, without blocks of code."""
    text = re.sub(r"```.*?```", "", text, flags=re.S)
    for section in re.split(r"^## ", text, flags=re.M)[1:]:
        title, _, body = section.partition("\n")
        yield title.strip(), body.split("\n")


def read_example(lines):
    """Returns the words of the line `Example:`; none if there is no such line."""
    for line in lines:
        if line.startswith("Example:"):
            return re.findall(r"`([^`]+)`", line)
    return []


def read_paths(lines):
    """Returns the paths in the first column of every table."""
    paths = []
    for line in lines:
        if line.startswith("|") and not re.match(r"\|\s*-", line):
            paths += re.findall(r"`([\w./<>-]+)`", line.split("|")[1])
    return paths


def compile_path(path):
    """Returns the pattern of the files that a path of a recipe stands for."""
    parts = re.split(r"(<[\w-]+>)", path)
    pattern = "".join(r"[\w.-]+" if part.startswith("<") else re.escape(part) for part in parts)
    return re.compile(pattern + (".*" if path.endswith("/") else ""))


def list_files(root, folders):
    files = [file for folder in folders for file in sorted((root / folder).rglob("*")) if file.is_file()]
    paths = [file.relative_to(root).as_posix() for file in files]
    return [path for path in paths if "__pycache__" not in path and "/." not in path]  # no caches of tools


def read_sources(root):
    """Returns the text of every source of production code, by its path."""
    paths = [path for path in list_files(root, FOLDERS)
             if pathlib.Path(path).suffix in SUFFIXES and not path.startswith(GENERATED)]
    return {path: read_text(root / path) for path in paths}


def find_in_recipe(title, lines, files, texts):
    words, paths = read_example(lines), read_paths(lines)
    if not words:
        yield f"{PAGE}: '{title}' has no line 'Example:' with a word in backticks"
    if not paths:
        yield f"{PAGE}: '{title}' has no table that names files"
    patterns = [compile_path(path) for path in paths]
    for path, pattern in zip(paths, patterns):
        if not any(pattern.fullmatch(name) for name in files):
            yield f"{PAGE}: '{title}' names {path}, which matches no file"
    for word in words:
        search = re.compile(rf"(?<![A-Za-z0-9]){re.escape(word)}(?![A-Za-z0-9])")
        found = [path for path, text in texts.items() if search.search(text)]
        if not found:
            yield f"{PAGE}: no source contains the example '{word}' of '{title}'"
        for path in found:
            if not any(pattern.fullmatch(path) for pattern in patterns):
                yield f"{path}: contains '{word}', but '{title}' of {PAGE} does not name it"


def find_violations(root):
    root = pathlib.Path(root)
    texts = read_sources(root)
    page = root / PAGE
    recipes = list(split_recipes(read_text(page))) if page.exists() else []
    if not texts or not recipes:
        raise NothingToCheck(f"{root}: no source or no recipe in {PAGE}; expected both")
    top = [file.name for file in root.iterdir() if file.is_file()]
    files = list_files(root, FOLDERS + ("docs", "tests")) + top
    for title, lines in recipes:
        yield from find_in_recipe(title, lines, files, texts)
    if len(recipes) < MIN_RECIPES:
        yield f"{PAGE}: {len(recipes)} recipes; expected {MIN_RECIPES} or more"
