"""The caller's own tensors in a file: what report.repro() of normproof.judge writes, and normproof.judge takes again."""
import hashlib
import io
import os
import pathlib
import zipfile
import zlib

import numpy as np

from normproof.arguments import said
from normproof.errors import CorpusError, UsageError
from normproof.stored import HELD_AS, Stored

_AS_BITS = ":bfloat16"  # behind the name of a tensor that NumPy has no dtype for


def write_inputs(inputs, folder, path):
    """Writes tensors, {name: Stored}, beside and then renamed: normproof-<op>-<hash>.npz, the same for the same tensors.

    Returns the file. Throws OutputError.
    """
    from normproof.report import replace_file
    arrays = {name + (_AS_BITS if stored.dtype == "bfloat16" else ""): np.array(stored.data, order="C")
              for name, stored in sorted(inputs.items())}
    hashed = hashlib.sha256()
    for name, array in arrays.items():
        hashed.update(f"{name} {array.dtype} {array.shape}".encode() + array.tobytes())
    file = pathlib.Path(folder).absolute() / f"normproof-{path.split('/')[1]}-{hashed.hexdigest()[:12]}.npz"
    written = io.BytesIO()
    np.savez(written, **arrays)
    replace_file(file, written.getvalue())
    return file


def read_inputs(file):
    """The tensors of a file that report.repro() has written, or of any .npz file, as keyword arguments for
    normproof.judge.

    Throws UsageError where that is no name of a file, CorpusError where the file is absent, empty or no such file.
    """
    if not isinstance(file, (str, os.PathLike)):
        raise UsageError(f"normproof: file={said(file)}; expected the name of an .npz file of tensors")
    try:
        if not os.path.getsize(file):
            raise CorpusError(f"normproof: {file} is empty; expected an .npz file of tensors")
        if os.path.isfile(file) and not zipfile.is_zipfile(file):
            raise CorpusError(f"normproof: {file} is no archive; expected an .npz file of tensors")
        with np.load(file, allow_pickle=False) as arrays:
            read = {name: np.asarray(arrays[name]) for name in arrays.files}
    except CorpusError:
        raise
    except (OSError, ValueError, zipfile.BadZipFile, zlib.error) as error:
        raise CorpusError(f"normproof: {file} cannot be read: {error}; expected an .npz file of tensors") from error
    if not read:
        raise CorpusError(f"normproof: {file} has no tensor; expected an .npz file of tensors")
    known = {np.dtype(kind) for kind in HELD_AS.values()}
    for name, array in read.items():
        if array.dtype not in known:
            raise CorpusError(f"normproof: {file}: {name} has dtype {array.dtype}; expected one of "
                              f"{', '.join(sorted(map(str, known)))}")
    return {name.removesuffix(_AS_BITS): Stored("bfloat16", array) if name.endswith(_AS_BITS) else array
            for name, array in read.items()}
