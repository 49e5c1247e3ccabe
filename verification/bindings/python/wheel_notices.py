"""Collects the licenses of third-party software in a wheel, shared or compiled in, from its Debian packages."""
import re
import subprocess

# Libraries that auditwheel leaves to the system: the C and C++ runtimes, and zlib.
OF_THE_SYSTEM = re.compile(r"(lib(c|m|dl|rt|pthread|stdc\+\+|gcc_s|z)\.so|ld-linux)")
# Packages of headers and templates, which no shared library depends on.
COMPILED_IN = ("libboost1.74-dev", "libxtensor-dev", "libxtensor-blas-dev", "nlohmann-json3-dev", "libcli11-dev",
               "librandom123-dev", "librapidcheck-dev", "libfmt-dev")

INTRODUCTION = """What this wheel carries of others, each with the copyright file of the Debian package that it is from.
The shared libraries in normproof.libs are those of these packages, unchanged but for their names and where they look
for each other: who wants another version of one puts it in its place. Their sources are the Debian source packages of
the versions below (apt-get source PACKAGE=VERSION, or https://snapshot.debian.org).
"""


def output(*command):
    return subprocess.run(command, text=True, capture_output=True, check=True).stdout


class Packages:
    """The Debian packages of this machine, or of another processor, which fetch_sysroot has unpacked below `root`."""

    def __init__(self, root, arch):
        self.root, self.libraries = root.resolve(), root.resolve() / f"usr/lib/{arch}-linux-gnu"
        self.database = f"--admindir={self.root / 'var/lib/dpkg'}"

    def shared_libraries(self, files):
        """Returns the paths of the third-party shared libraries that any of the files needs."""
        found, new = set(), set(files)
        while new:
            named = {name for file in new for name in re.findall(r"\(NEEDED\).*\[(.+)\]", output("readelf", "-d", str(file)))}
            new = {(self.libraries / name).resolve() for name in named if not OF_THE_SYSTEM.match(name)} - found
            found |= new
        return found

    def package_of(self, library):
        """Returns the Debian package of a file. Its path may begin with /lib instead of /usr/lib."""
        named = f"/{library.relative_to(self.root)}"
        for path in (named, named.removeprefix("/usr"), f"/usr{named}"):
            done = subprocess.run(["dpkg-query", self.database, "-S", path], text=True, capture_output=True, check=False)
            if done.returncode == 0:
                return done.stdout.split(":")[0]
        raise RuntimeError(f"{library} is of no Debian package; expected one, whose licence can be stated")

    def installed(self, names):
        """Returns those of these packages, or of their equivalents in another release, that are installed."""
        there = output("dpkg-query", self.database, "-W", "-f=${Package} ${db:Status-Status}\\n").splitlines()
        present = {line.split()[0] for line in there if line.endswith(" installed")}
        chosen = {name for name in names if name in present}
        return chosen | {name for name in present if re.fullmatch(r"libboost1\.\d+-dev", name)}

    def notices(self, files):
        """Returns the text of THIRD_PARTY_NOTICES.txt for these programs and libraries."""
        packages = {self.package_of(library) for library in self.shared_libraries(files)} | self.installed(COMPILED_IN)
        text = INTRODUCTION
        for package in sorted(packages):
            version = output("dpkg-query", self.database, "-W", "-f=${Version}\\n", package).splitlines()[0]
            copyright_file = self.root / "usr/share/doc" / package / "copyright"
            title = f"{package} {version}"
            text += f"\n{'=' * len(title)}\n{title}\n{'=' * len(title)}\n\n{copyright_file.read_text(errors='replace')}"
        return text
