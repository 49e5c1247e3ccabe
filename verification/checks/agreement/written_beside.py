"""Replaces files atomically: a file has either its new or its previous content."""
import contextlib
import os
import tempfile


@contextlib.contextmanager
def written_beside(path):
    """Opens a temporary binary file, which is renamed to path when the body ends. Raises OSError
    and any exception of the body; then the temporary file is removed."""
    folder, name = os.path.split(os.path.abspath(path))
    descriptor, beside = tempfile.mkstemp(dir=folder, prefix="." + name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(beside, 0o644)
        os.replace(beside, path)
    except BaseException:
        os.unlink(beside)
        raise
