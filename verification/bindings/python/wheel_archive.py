"""Writes a wheel as a zip file, with the core metadata that follow from `pyproject.toml`, and RECORD.
(https://packaging.python.org/specifications/binary-distribution-format.)
"""
import base64
import hashlib
import pathlib
import tomllib
import zipfile

EPOCH = (1980, 1, 1, 0, 0, 0)  # so that equal files give equal bytes


def requirements(project):
    lines = [f"Requires-Dist: {name}" for name in project["dependencies"]]
    for extra, names in project["optional-dependencies"].items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f"Requires-Dist: {name} ; extra == '{extra}'" for name in names]
    return lines


def metadata(project, version, folder, licences):
    lines = ["Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {version}",
             f"Summary: {project['description']}", f"Keywords: {','.join(project['keywords'])}",
             f"License: {project['license']['text']}", f"Requires-Python: {project['requires-python']}"]
    lines += [f"Classifier: {classifier}" for classifier in project["classifiers"]]
    lines += [f"License-File: {name}" for name in licences]
    lines += requirements(project) + ["Description-Content-Type: text/markdown"]
    return "\n".join(lines) + "\n\n" + (folder / project["readme"]).read_text()


def entry_points(project):
    groups = {"console_scripts": project["scripts"], **project["entry-points"]}
    return "".join(f"[{group}]\n" + "".join(f"{name} = {target}\n" for name, target in entries.items()) + "\n"
                   for group, entries in groups.items())


def write(stage, pyproject, version, licences, out, arch):
    """Writes the wheel of the files below `stage`. Returns its path. auditwheel sets its platform and compresses it."""
    project = tomllib.loads(pyproject.read_text())["project"]
    info = f"{project['name']}-{version}.dist-info"
    wheel = f"Wheel-Version: 1.0\nGenerator: build_wheel\nRoot-Is-Purelib: false\nTag: py3-none-linux_{arch}\n"
    files = {str(path.relative_to(stage)): (path.read_bytes(), path.stat().st_mode & 0o777)
             for path in sorted(stage.rglob("*")) if path.is_file()}
    made = {"METADATA": metadata(project, version, pyproject.parent, licences), "WHEEL": wheel,
            "entry_points.txt": entry_points(project)}
    files.update({f"{info}/{name}": (text.encode(), 0o644) for name, text in made.items()})
    files.update({f"{info}/licenses/{name}": (text, 0o644) for name, text in licences.items()})
    record = ""
    target = pathlib.Path(out, f"{project['name']}-{version}-py3-none-linux_{arch}.whl")
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:
        def add(name, content, mode):
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.external_attr = (0o100000 | mode) << 16
            archive.writestr(entry, content)

        for name, (content, mode) in files.items():
            add(name, content, mode)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record += f"{name},sha256={digest},{len(content)}\n"
        add(f"{info}/RECORD", record + f"{info}/RECORD,,\n", 0o644)
    return target
