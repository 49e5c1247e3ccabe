"""Shared by the parts of the board: the top of the repository, the error that ends a run, and files."""
import json
import os
import pathlib
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[2]


class BoardError(Exception):
    """Ends the board with one sentence and an exit status."""

    def __init__(self, sentence, status):
        super().__init__(sentence)
        self.status = status


def read_json(path):
    """Returns the contents of a JSON file. Throws BoardError with status 3 if it is absent, empty or invalid."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BoardError(f"{path}: {error.strerror}; expected a JSON file", 3) from error
    except ValueError as error:
        raise BoardError(f"{path}: {error}; expected a JSON file", 3) from error


def replace_file(path, text):
    """Writes a temporary file and renames it, so that the file is complete or unchanged."""
    path = pathlib.Path(path)
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="") as out:
                out.write(text)
            os.chmod(temporary, 0o644)
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise
    except OSError as error:
        raise BoardError(f"{path}: {error.strerror}; expected a file that can be written", 3) from error
