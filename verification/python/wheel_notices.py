"""The licences of what a wheel carries of others: shared libraries, and packages compiled in, as Debian states them."""
import pathlib
import re
import subprocess

# What auditwheel leaves to the system: the C and C++ runtimes, and zlib.
OF_THE_SYSTEM = re.compile(r"(lib(c|m|dl|rt|pthread|stdc\+\+|gcc_s|z)\.so|ld-linux)")
# Headers and templates, which no shared library shows.
COMPILED_IN = ("libboost1.74-dev", "libxtensor-dev", "libxtensor-blas-dev", "nlohmann-json3-dev", "libcli11-dev",
               "librandom123-dev", "librapidcheck-dev", "libfmt-dev")

INTRODUCTION = """What this wheel carries of others, each with the copyright file of the Debian package that it is from.
The shared libraries in normproof.libs are those of these packages, unchanged but for their names and where they look
for each other: who wants another version of one puts it in its place. Their sources are the Debian source packages of
the versions below (apt-get source PACKAGE=VERSION, or https://snapshot.debian.org).
"""


def output(*command):
    return subprocess.run(command, text=True, capture_output=True, check=True).stdout


def shared_libraries(files):
    """The shared libraries of others that any of the files needs, by their paths."""
    found = set()
    for file in files:
        for line in output("ldd", str(file)).splitlines():
            named = re.match(r"\s*(\S+) => (/\S+)", line)
            if named and not OF_THE_SYSTEM.match(named[1]):
                found.add(pathlib.Path(named[2]).resolve())
    return found


def package_of(library):
    """The Debian package of a file, where /lib may stand for /usr/lib."""
    for path in (str(library), str(library).removeprefix("/usr"), f"/usr{library}"):
        done = subprocess.run(["dpkg-query", "-S", path], text=True, capture_output=True, check=False)
        if done.returncode == 0:
            return done.stdout.split(":")[0]
    raise RuntimeError(f"{library} is of no Debian package; expected one, whose licence can be stated")


def installed(names):
    """Of these packages, or their like in another release, those that are there."""
    there = output("dpkg-query", "-W", "-f=${Package} ${db:Status-Status}\\n").splitlines()
    present = {line.split()[0] for line in there if line.endswith(" installed")}
    chosen = {name for name in names if name in present}
    return chosen | {name for name in present if re.fullmatch(r"libboost1\.\d+-dev", name)}


def notices(files):
    """The text of THIRD_PARTY_NOTICES.txt for these programs and libraries."""
    packages = {package_of(library) for library in shared_libraries(files)} | installed(COMPILED_IN)
    text = INTRODUCTION
    for package in sorted(packages):
        version = output("dpkg-query", "-W", "-f=${Version}\\n", package).splitlines()[0]
        copyright_file = pathlib.Path("/usr/share/doc", package, "copyright")
        title = f"{package} {version}"
        text += f"\n{'=' * len(title)}\n{title}\n{'=' * len(title)}\n\n{copyright_file.read_text(errors='replace')}"
    return text
