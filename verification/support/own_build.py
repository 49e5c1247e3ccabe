"""Finds programs that lie in a build folder of another checkout, as in a checkout that was copied with its build folder."""
import pathlib
import subprocess


def foreign_build(top, *programs):
    """Returns a sentence if a program lies in a folder below top/build that CMake configured for another source tree, or ""."""
    build = pathlib.Path(top).absolute() / "build"
    for program in programs:
        path = pathlib.Path(program).absolute()
        if build not in path.parents:
            continue
        folder = build / path.relative_to(build).parts[0]
        checked = subprocess.run([pathlib.Path(__file__).with_name("check_build_folder"), top, folder],
                                 stderr=subprocess.PIPE, text=True, check=False)
        if checked.returncode != 0:
            return checked.stderr.strip()
    return ""
