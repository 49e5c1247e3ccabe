"""Creates the virtual environments of the board, from pinned requirements and outside the source tree."""
import contextlib
import fcntl
import hashlib
import pathlib
import shutil
import subprocess
import sys

SYSTEM = {"debian": "/usr/bin/python3"}  # interpreters that exist already
INSTALL_SECONDS = 1800


class NotInstalled(Exception):
    """An environment cannot be made. The text is the reason, in one sentence."""


def interpreter(name, venvs, requirements):
    """Returns the interpreter of an environment, which is made if it is not there yet.

    The name of its folder has a hash of the pins, so that another pin makes another environment.
    Throws NotInstalled.
    """
    if name in SYSTEM:
        if not pathlib.Path(SYSTEM[name]).is_file():
            raise NotInstalled(f"{SYSTEM[name]} is absent")
        return SYSTEM[name]
    pins = requirements / f"{name}.txt"
    if not pins.is_file():
        raise NotInstalled(f"{pins} is absent")
    folder = venvs / f"{name}-{hashlib.sha256(pins.read_bytes()).hexdigest()[:10]}"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with locked(folder.with_suffix(".lock")):
        if not (folder / "complete").is_file():
            make(folder, pins)
    return str(folder / "bin/python")


@contextlib.contextmanager
def locked(path):
    """Holds a lock on a file, so that only one run of the board creates an environment at a time."""
    with open(path, "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def make(folder, pins):
    """Makes an environment. If that fails, removes what was made and throws NotInstalled."""
    shutil.rmtree(folder, ignore_errors=True)
    print(f"board: making {folder} of {pins.name}", file=sys.stderr, flush=True)
    try:
        run_command([sys.executable, "-m", "venv", folder])
        # Every version is pinned, including those of dependencies.
        run_command([folder / "bin/python", "-m", "pip", "install", "--quiet", "--no-deps", "--no-cache-dir",
                 "--disable-pip-version-check", "-r", pins])
    except NotInstalled:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    (folder / "complete").touch()


def run_command(command):
    """Runs a command. Throws NotInstalled if it fails."""
    try:
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=INSTALL_SECONDS,
                              stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        raise NotInstalled(f"not installed within {INSTALL_SECONDS} seconds") from None
    except OSError as error:
        raise NotInstalled(f"{command[0]}: {error.strerror}") from None
    if done.returncode != 0:
        lines = (done.stderr.strip() or done.stdout.strip() or "no output").splitlines()
        raise NotInstalled(f"pip: {lines[-1].strip()[:300]}")
