"""Files of on_a_gpu are there as a whole, or as they were."""
import contextlib
import os
import tempfile


@contextlib.contextmanager
def written_beside(path):
    """A binary file beside path, which has that name once the body has ended. Throws OSError, and what the body throws; then
    nothing is left of it."""
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
