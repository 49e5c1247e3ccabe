"""Tests that scripts refuse programs of a build folder that belongs to another checkout."""
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

TOP = pathlib.Path(__file__).resolve().parents[3]
NAMES = ("verification/cli/normproof", "verification/bindings/c/libnormproof.so", "verification/benchmark/norm_benchmark")


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    """A checkout that was copied with its build folder, which CMake configured for the original."""
    top = tmp_path_factory.mktemp("copied")
    for folder in ("interop", "support", "benchmark", "checks/agreement", "bindings/python/normproof"):
        shutil.copytree(TOP / "verification" / folder, top / "verification" / folder, ignore=shutil.ignore_patterns("__pycache__"))
    (top / "verification/golden/data").mkdir(parents=True)
    (top / "verification/golden/data/manifest.json").write_text("{}")
    for name in NAMES:
        program = top / "build/release" / name
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
    (top / "build/release/CMakeCache.txt").write_text(f"CMAKE_HOME_DIRECTORY:INTERNAL={TOP}\n")
    return top


@pytest.mark.parametrize("script, arguments", [
    ("interop/run", ["--only", "numpy"]), ("interop/board", []), ("interop/false_alarms", ["numpy"]), ("benchmark/run", []),
    ("checks/agreement/on_a_gpu", ["--device", "simulated"])])
def test_a_script_refuses_the_build_folder_of_another_checkout(copied, script, arguments):
    others = {name: value for name, value in os.environ.items() if not name.startswith("NORMPROOF_")}
    done = subprocess.run([sys.executable, copied / "verification" / script, *arguments], capture_output=True, text=True,
                          cwd=copied, env={**others, "PYTHONDONTWRITEBYTECODE": "1"}, timeout=60, check=False)
    assert done.returncode == 2, done.stdout + done.stderr
    assert done.stderr.count("\n") == 1 and f"CMAKE_HOME_DIRECTORY is {TOP}; expected {copied}" in done.stderr


def test_a_program_outside_of_the_build_folders_is_accepted(copied):
    sys.path.append(str(TOP / "verification/support"))
    import own_build
    assert own_build.foreign_build(copied, copied / "build/release/verification/cli/normproof")
    assert not own_build.foreign_build(copied, copied / "program", TOP / "build/release/normproof", "/usr/bin/true")
