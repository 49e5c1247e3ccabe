"""Finds the programs of on_a_gpu, in a build folder of this repository or in a bundle, and makes
bundles."""
import gzip
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile

from written_beside import written_beside

HERE = pathlib.Path(__file__).resolve().parent
NAMES = {"normproof": "verification/cli/normproof", "device_benchmark": "verification/benchmark/device_benchmark"}
SCRIPTS = ("on_a_gpu", "gpu_lines.py", "gpu_programs.py", "gpu_results.py", "gpu_tables.py", "gpu_work.py", "written_beside.py")
DATA = ("data", "vocab", "validation")
FOLDER = "on_a_gpu"


class Absent(Exception):
    """Something is missing. The message is one sentence."""


def is_bundle():
    return (HERE / "lib").is_dir()


def top():
    return HERE.parents[2]


def found(name, build, device):
    """Returns the path of a program. Raises Absent if it has not been built."""
    if is_bundle():
        program = HERE / name
    else:
        folder = build or top() / ("build/cuda" if device == "cuda" else "build/release")
        program = folder / NAMES[name]
        sys.path.append(str(top() / "verification/support"))
        import own_build  # not part of a bundle
        if refusal := own_build.foreign_build(top(), program):
            raise Absent(refusal)
    if not os.access(program, os.X_OK):
        raise Absent(f"{program} is absent; expected the target {name} to be built" + (
            ": cmake --preset cuda && cmake --build --preset cuda" if device == "cuda" else ""))
    return program.resolve()


def sha256(program):
    """Returns the hash of a program. In a bundle that is the program which the outer script
    starts."""
    inner = program.parent / "lib" / program.name
    with open(inner if is_bundle() else program, "rb") as file:
        digest = hashlib.sha256()
        for block in iter(lambda: file.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()


def benchmark_files():
    """Returns the script that measures, and all modules that it may import."""
    return [benchmark(), *sorted(benchmark().parent.glob("*.py")), top() / "verification/support/own_build.py"]


def benchmark():
    return (HERE / "benchmark" if is_bundle() else HERE.parents[1] / "benchmark") / "run"


def golden():
    """Returns the folder of the golden corpus."""
    return HERE / "golden" if is_bundle() else HERE.parents[1] / "golden/data"


def sanitizer():
    return shutil.which("compute-sanitizer") or shutil.which("/usr/local/cuda/bin/compute-sanitizer")


def data_options(given):
    """Returns the options of `study run` for the given sentences, or for those in the bundle; none
    if there are none."""
    files = {name: given.get(name) or (HERE / "data" / name if (HERE / "data" / name).exists() else None) for name in DATA}
    return [word for name, path in files.items() if path for word in (f"--{name}", str(pathlib.Path(path).resolve()))] \
        if files["data"] else []


def machine(device):
    """Returns a one-line description of the machine."""
    if device == "simulated":
        return f"the simulated device ({os.uname().machine})"
    try:
        query = ["nvidia-smi", "--query-gpu=name,driver_version,memory.total", "--format=csv,noheader"]
        return subprocess.run(query, check=True, stdout=subprocess.PIPE, universal_newlines=True).stdout.splitlines()[0]
    except (OSError, subprocess.CalledProcessError, IndexError):
        return "a GPU that nvidia-smi does not name"


def stage(folder, build, carries_cuda, data):
    """Copies the contents of a bundle to a folder: programs with their libraries, these scripts,
    those of the benchmark, the corpus, and sentences."""
    how = "--whole" if carries_cuda else "--whole-but-cuda"
    for name in NAMES:
        program = found(name, build, "cuda")
        subprocess.run([HERE.parents[1] / "benchmark/device_bundle", how, program, folder], check=True)
        subprocess.run(["strip", folder / "lib" / name], check=True)
    for source, target in [(HERE / name, folder / name) for name in SCRIPTS] + \
            [(path, folder / "benchmark" / path.name) for path in benchmark_files()] + \
            [(path, folder / "data" / name) for name, path in data.items() if path]:
        target.parent.mkdir(exist_ok=True)
        shutil.copy(source, target)
    shutil.copytree(golden(), folder / "golden")


def pack(file, build, carries_cuda, data):
    """Writes the bundle, a .tar.gz. The same programs give the same bytes. Raises Absent, OSError,
    subprocess.CalledProcessError."""
    if is_bundle():
        raise Absent(f"{HERE} is a bundle; expected --pack where the programs are built")
    file = pathlib.Path(file).absolute()
    with tempfile.TemporaryDirectory() as work:
        folder = pathlib.Path(work) / FOLDER
        folder.mkdir()
        stage(folder, build, carries_cuda, data)
        with written_beside(file) as raw, \
                gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0, compresslevel=3) as packed, \
                tarfile.open(fileobj=packed, mode="w") as archive:
            for path in sorted(folder.rglob("*")):
                archive.add(path, path.relative_to(work), recursive=False, filter=plain)
    return file


def plain(entry):
    """Removes the metadata of an archive member that depend on the machine and the time."""
    entry.mtime = entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    return entry
