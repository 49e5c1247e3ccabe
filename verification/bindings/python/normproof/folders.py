"""Where the corpus is: NORMPROOF_CORPUS, else that of the package, unpacked once; other tiers are made once and kept."""
import fnmatch
import os
import pathlib
import shutil
import sys
import tarfile
import tempfile

from normproof import abi
from normproof.errors import CorpusError, UsageError

TIERS = ("quick", "standard", "full")


def quick_folder():
    """The folder of the quick tier.

    Throws CorpusError where there is none.
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
    return kept_folder("quick", lambda folder: _unpack(packed, folder))


def _unpack(packed, folder):
    folder.mkdir()
    with tarfile.open(packed) as archive:
        archive.extractall(folder)


def cache_folder():
    """NORMPROOF_CACHE, else the normproof folder of the user's cache."""
    named = os.environ.get("NORMPROOF_CACHE")
    if named:
        return pathlib.Path(named)
    return pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "normproof"


def tier_folder(tier, op="*", stream=None):
    """The folder of a corpus that has the cases of that tier and operation; made where it is not there yet.

    Throws UsageError for an unknown tier.
    """
    if tier not in TIERS:
        raise UsageError(f"normproof: tier={tier!r}; expected one of {', '.join(TIERS)}")
    if tier == "quick":
        return quick_folder()
    from normproof.corpus import Corpus
    named = "all" if op == "*" else op

    def make(folder):
        with Corpus() as maker:
            maker.make(folder, tier, f"{tier}/{op}/*", bar(f"normproof: making {tier}/{named}", stream))
    return kept_folder(f"{tier}-{named}", make)


def kept_folder(name, make):
    """A corpus in the cache, by make(folder) where it is not there yet: beside, then renamed."""
    folder = cache_folder() / abi.corpus_version() / name
    if (folder / "manifest.json").is_file():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    beside = pathlib.Path(tempfile.mkdtemp(prefix=".making-", dir=folder.parent))
    try:
        make(beside / "corpus")
        try:
            os.rename(beside / "corpus", folder)
        except OSError:  # another process was first
            if not (folder / "manifest.json").is_file():
                raise
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return folder


def bar(title, stream=None):
    """A progress bar on standard error, where that is a terminal; one line at the beginning elsewhere."""
    stream = stream or sys.stderr
    moving = stream.isatty()
    if not moving:
        print(f"{title} (once; kept in {cache_folder()})", file=stream, flush=True)

    def show(done, of):
        if moving:
            filled = 30 * done // max(of, 1)
            end = "\n" if done == of else ""
            print(f"\r{title} [{'#' * filled}{'.' * (30 - filled)}] {done}/{of}", end=end, file=stream, flush=True)
        return False

    return show


def matching(paths, globs):
    """Indices of the paths that match one of the globs; all where there are none."""
    return [index for index, path in enumerate(paths)
            if not globs or any(fnmatch.fnmatchcase(path, glob) or path == glob for glob in globs)]
