"""User-supplied tensors in a file, which report.repro() of normproof.judge writes and normproof.judge reads again."""
from __future__ import annotations

import hashlib
import io
import os
import pathlib
import zipfile
import zlib
from typing import Any, Mapping

import numpy as np

from normproof.arguments import describe_value
from normproof.errors import CorpusError, UsageError, in_one_line
from normproof.stored import NUMPY_DTYPES, Array, Stored

_BFLOAT16_SUFFIX = ":bfloat16"  # marks the name of a tensor whose dtype NumPy does not have


def write_inputs(inputs: Mapping[str, Stored], folder: str | os.PathLike[str], path: str) -> pathlib.Path:
    """Writes tensors to normproof-<op>-<hash>.npz. Equal tensors give the same file.

    `path` is the path of the case. Returns the file. Throws OutputError.
    """
    from normproof.report import replace_file
    arrays: dict[str, Any] = {
        name + (_BFLOAT16_SUFFIX if stored.dtype == "bfloat16" else ""): np.array(stored.data, order="C")
        for name, stored in sorted(inputs.items())}
    digest = hashlib.sha256()
    for name, array in arrays.items():
        digest.update(f"{name} {array.dtype} {array.shape}".encode() + array.tobytes())
    file = pathlib.Path(folder).absolute() / f"normproof-{path.split('/')[1]}-{digest.hexdigest()[:12]}.npz"
    written = io.BytesIO()
    np.savez(written, **arrays)
    replace_file(file, written.getvalue())
    return file


def read_inputs(file: Any) -> dict[str, Any]:
    """Returns the tensors of a file that report.repro() wrote, or of any .npz file, as arguments for normproof.judge.

    Throws UsageError if `file` is no name of a file, CorpusError if the file is absent, empty or no .npz file, and if its
    tensors do not fit into memory.
    """
    if not isinstance(file, (str, os.PathLike)):
        raise UsageError(f"normproof: file={describe_value(file)}; expected the name of an .npz file of tensors")
    try:
        if not os.path.getsize(file):
            raise CorpusError(f"normproof: {file} is empty; expected an .npz file of tensors")
        if os.path.isfile(file) and not zipfile.is_zipfile(file):
            raise CorpusError(f"normproof: {file} is no archive; expected an .npz file of tensors")
        _require_memory(file)
        with np.load(file, allow_pickle=False) as arrays:
            read: dict[str, Array] = {name: np.asarray(arrays[name]) for name in arrays.files}
    except CorpusError:
        raise
    except (OSError, ValueError, MemoryError, zipfile.BadZipFile, zlib.error) as error:
        raise CorpusError(f"normproof: {file} cannot be read: {in_one_line(error)}; expected an .npz file of tensors") from error
    if not read:
        raise CorpusError(f"normproof: {file} has no tensor; expected an .npz file of tensors")
    known = {np.dtype(kind) for kind in NUMPY_DTYPES.values()}
    for name, array in read.items():
        if array.dtype not in known:
            raise CorpusError(f"normproof: {file}: {name} has dtype {array.dtype}; expected one of "
                              f"{', '.join(sorted(map(str, known)))}")
    return {name.removesuffix(_BFLOAT16_SUFFIX): Stored("bfloat16", array) if name.endswith(_BFLOAT16_SUFFIX) else array
            for name, array in read.items()}


def _require_memory(file: str | os.PathLike[str]) -> None:
    """Throws CorpusError if the unpacked tensors of an archive are larger than the available memory.

    A small archive may hold a large tensor of zeros. Each tensor is read in parts, directly into its memory.
    """
    with zipfile.ZipFile(file) as archive:
        needed = sum(member.file_size for member in archive.infolist())
    available = available_memory()
    if available is not None and needed > available:
        raise CorpusError(f"normproof: {file} has tensors of {needed:,} bytes; expected at most the available memory, "
                          f"{available:,} bytes")


def available_memory() -> int | None:
    """Returns the number of bytes that Linux can give to a process, or None if it does not say."""
    try:
        lines = pathlib.Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        return next((1024 * int(line.split()[1]) for line in lines if line.startswith("MemAvailable:")), None)
    except (OSError, ValueError, IndexError):
        return None
