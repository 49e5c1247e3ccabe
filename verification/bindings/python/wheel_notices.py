"""The licences of what a wheel carries of others: shared libraries, and packages compiled in, as Debian states them."""
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


class Packages:
    """The Debian packages of a processor: those of this machine, or what fetch_sysroot has unpacked below another root."""

    def __init__(self, root, arch):
        self.root, self.libraries = root.resolve(), root.resolve() / f"usr/lib/{arch}-linux-gnu"
        self.database = f"--admindir={self.root / 'var/lib/dpkg'}"

    def shared_libraries(self, files):
        """The shared libraries of others that any of the files needs, by their paths."""
        found, new = set(), set(files)
        while new:
            named = {name for file in new for name in re.findall(r"\(NEEDED\).*\[(.+)\]", output("readelf", "-d", str(file)))}
            new = {(self.libraries / name).resolve() for name in named if not OF_THE_SYSTEM.match(name)} - found
            found |= new
        return found

    def package_of(self, library):
        """The Debian package of a file, where /lib may stand for /usr/lib."""
        named = f"/{library.relative_to(self.root)}"
        for path in (named, named.removeprefix("/usr"), f"/usr{named}"):
            done = subprocess.run(["dpkg-query", self.database, "-S", path], text=True, capture_output=True, check=False)
            if done.returncode == 0:
                return done.stdout.split(":")[0]
        raise RuntimeError(f"{library} is of no Debian package; expected one, whose licence can be stated")

    def installed(self, names):
        """Of these packages, or their like in another release, those that are there."""
        there = output("dpkg-query", self.database, "-W", "-f=${Package} ${db:Status-Status}\\n").splitlines()
        present = {line.split()[0] for line in there if line.endswith(" installed")}
        chosen = {name for name in names if name in present}
        return chosen | {name for name in present if re.fullmatch(r"libboost1\.\d+-dev", name)}

    def notices(self, files):
        """The text of THIRD_PARTY_NOTICES.txt for these programs and libraries."""
        packages = {self.package_of(library) for library in self.shared_libraries(files)} | self.installed(COMPILED_IN)
        text = INTRODUCTION
        for package in sorted(packages):
            version = output("dpkg-query", self.database, "-W", "-f=${Version}\\n", package).splitlines()[0]
            copyright_file = self.root / "usr/share/doc" / package / "copyright"
            title = f"{package} {version}"
            text += f"\n{'=' * len(title)}\n{title}\n{'=' * len(title)}\n\n{copyright_file.read_text(errors='replace')}"
        return text
