"""Finds the corpus: NORMPROOF_CORPUS, or the quick tier of the package.

Other tiers are generated at their first use and kept in a cache.
"""
from __future__ import annotations

import fnmatch
import os
import pathlib
import shutil
import sys
import tarfile
import tempfile
from typing import Callable, Iterable, Sequence, TextIO

from normproof import abi
from normproof.errors import CorpusError, UsageError

TIERS = ("quick", "standard", "full")


def quick_folder() -> pathlib.Path:
    """Returns the folder of the quick tier.

    Throws CorpusError if there is none.
    """
    named = os.environ.get("NORMPROOF_CORPUS")
    if named:
        if not os.path.isfile(os.path.join(named, "manifest.json")):
            raise CorpusError(f"normproof: NORMPROOF_CORPUS names {named}, which has no manifest.json; expected a corpus")
        return pathlib.Path(named)
    packed = pathlib.Path(__file__).with_name("_corpus") / "quick.tar.xz"
    if not packed.is_file():
        raise CorpusError(f"normproof: {packed} is absent; expected an installed wheel, or the environment variable "
                          "NORMPROOF_CORPUS naming a corpus")
    return cached_folder("quick", lambda folder: _unpack(packed, folder))


def _unpack(packed: pathlib.Path, folder: pathlib.Path) -> None:
    folder.mkdir()
    with tarfile.open(packed) as archive:
        archive.extractall(folder)


def cache_folder() -> pathlib.Path:
    """Returns NORMPROOF_CACHE, or the folder `normproof` of the user's cache."""
    named = os.environ.get("NORMPROOF_CACHE")
    if named:
        return pathlib.Path(named)
    return pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "normproof"


def tier_folder(tier: str, op: str = "*", stream: TextIO | None = None) -> pathlib.Path:
    """Returns the folder of a corpus with the cases of a tier and an operation. Makes it if it is not there yet.

    Throws UsageError for an unknown tier.
    """
    if tier not in TIERS:
        raise UsageError(f"normproof: tier={tier!r}; expected one of {', '.join(TIERS)}")
    if tier == "quick":
        return quick_folder()
    from normproof.corpus import Corpus
    named = "all" if op == "*" else op

    def make(folder: pathlib.Path) -> None:
        with Corpus() as maker:
            maker.make(folder, tier, f"{tier}/{op}/*", progress_bar(f"normproof: making {tier}/{named}", stream))
    return cached_folder(f"{tier}-{named}", make)


def find_made_folder(tier: str, op: str) -> pathlib.Path | None:
    """Returns the folder in the cache with the cases of a tier and an operation, or None if they are not made yet."""
    made = (cache_folder() / abi.corpus_version() / f"{tier}-{named}" for named in (op, "all"))
    return next((folder for folder in made if (folder / "manifest.json").is_file()), None)


def cached_folder(name: str, make: Callable[[pathlib.Path], None]) -> pathlib.Path:
    """Returns the folder of a corpus in the cache. If it is absent, make(folder) creates it under a temporary name."""
    folder = cache_folder() / abi.corpus_version() / name
    if (folder / "manifest.json").is_file():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    unfinished = pathlib.Path(tempfile.mkdtemp(prefix=".making-", dir=folder.parent))
    try:
        make(unfinished / "corpus")
        try:
            os.rename(unfinished / "corpus", folder)
        except OSError:  # another process was first
            if not (folder / "manifest.json").is_file():
                raise
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return folder


def progress_bar(title: str, stream: TextIO | None = None) -> Callable[[int, int], bool]:
    """Returns a function of (done, total) that draws a progress bar on a terminal.

    If the stream (standard error by default) is no terminal, one line is printed here, and nothing afterwards.
    """
    out = stream or sys.stderr
    is_terminal = out.isatty()
    if not is_terminal:
        print(f"{title} (once; kept in {cache_folder()})", file=out, flush=True)

    def show(done: int, total: int) -> bool:
        if is_terminal:
            filled = 30 * done // max(total, 1)
            end = "\n" if done == total else ""
            print(f"\r{title} [{'#' * filled}{'.' * (30 - filled)}] {done}/{total}", end=end, file=out, flush=True)
        return False

    return show


def matching(paths: Iterable[str], globs: Sequence[str]) -> list[int]:
    """Returns the indices of the paths that match one of the globs, or of all paths if there are no globs."""
    return [index for index, path in enumerate(paths)
            if not globs or any(fnmatch.fnmatchcase(path, glob) or path == glob for glob in globs)]
