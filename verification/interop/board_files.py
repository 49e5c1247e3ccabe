"""What the parts of the board share: where the repository is, the error that ends a run, and files written whole."""
import json
import os
import pathlib
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[2]


class BoardError(Exception):
    """One sentence, and the exit status that it ends the board with."""

    def __init__(self, sentence, status):
        super().__init__(sentence)
        self.status = status


def read_json(path):
    """A JSON file. Throws BoardError, status 3, where it is absent, empty or none."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BoardError(f"{path}: {error.strerror}; expected a JSON file", 3) from error
    except ValueError as error:
        raise BoardError(f"{path}: {error}; expected a JSON file", 3) from error


def write_beside(path, text):
    """The file is there as a whole, or as it was."""
    path = pathlib.Path(path)
    try:
        handle, beside = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="") as out:
                out.write(text)
            os.chmod(beside, 0o644)
            os.replace(beside, path)
        except BaseException:
            os.unlink(beside)
            raise
    except OSError as error:
        raise BoardError(f"{path}: {error.strerror}; expected a file that can be written", 3) from error
