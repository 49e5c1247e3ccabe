"""Finds the corpus: NORMPROOF_CORPUS, or the quick tier of the package.

Other tiers are generated at their first use and kept in a cache.
"""
from __future__ import annotations

import fnmatch
import lzma
import os
import pathlib
import shutil
import sys
import tarfile
import tempfile
from typing import Callable, Iterable, Sequence, TextIO

from normproof import abi
from normproof.errors import CorpusError, NormproofError, UsageError, in_one_line, printable

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
    try:
        with tarfile.open(packed) as archive:
            archive.extractall(folder)
    except (tarfile.TarError, lzma.LZMAError, EOFError) as error:
        raise CorpusError(f"normproof: {packed} cannot be unpacked: {in_one_line(error)}; expected an installed wheel") from error


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
    """Returns the folder of a corpus in the cache. If it is absent, make(folder) creates it under a temporary name.

    Throws CorpusError if the cache cannot be read or written, and if the folder is damaged.
    """
    try:
        folder = cache_folder() / abi.corpus_version() / name
        if (folder / "manifest.json").is_file():
            return folder
        _require_free_path(folder)
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
    except NormproofError:
        raise
    except (OSError, RuntimeError) as error:  # a RuntimeError: the home of the user is unknown
        reason = getattr(error, "strerror", None) or in_one_line(error)
        raise CorpusError(f"normproof: {_cache_name()} cannot be read or written: {reason}; expected a folder, or the "
                          "environment variable NORMPROOF_CACHE naming another") from error


def _cache_name() -> str:
    """Returns the path of the cache, or a description if it is unknown."""
    try:
        return printable(str(cache_folder()))
    except RuntimeError:
        return "the cache of the user"


def _require_free_path(folder: pathlib.Path) -> None:
    """Throws CorpusError, which names what to remove, if something that is no corpus is at the path of a folder."""
    for path in (*reversed(folder.parents), folder):
        if not os.path.lexists(path):
            return
        if not path.is_dir():
            what = "a link to nothing" if path.is_symlink() and not path.exists() else "no folder"
            raise CorpusError(f"normproof: {printable(str(path))} is {what}; expected a folder of the cache; {removal(path)}")
    if any(folder.iterdir()):
        raise CorpusError(f"normproof: {printable(str(folder))} has no manifest.json; {removal(folder)}")


def removal(path: str | os.PathLike[str]) -> str:
    """Returns the end of an error message about something in the cache, which says what to do."""
    return f"remove {printable(str(path))}, so that it is made again"


def is_cached(folder: str | os.PathLike[str]) -> bool:
    """Whether a folder belongs to the cache."""
    try:
        return cache_folder() in pathlib.Path(folder).parents
    except RuntimeError:
        return False


def progress_bar(title: str, stream: TextIO | None = None) -> Callable[[int, int], bool]:
    """Returns a function of (done, total) that draws a progress bar on a terminal.

    If the stream (standard error by default) is no terminal, one line is printed here, and nothing afterwards.
    """
    out = stream or sys.stderr
    is_terminal = out.isatty()
    if not is_terminal:
        print(f"{title} (once; kept in {_cache_name()})", file=out, flush=True)

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
