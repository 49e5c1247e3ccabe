"""Tests the examples in the README of the package, and the output that it shows."""
import pathlib
import re
import subprocess
import sys

README = (pathlib.Path(__file__).parents[4] / "verification/bindings/python/README.md").read_text()


def blocks(kind):
    return re.findall(rf"^```{kind}\n(.*?)^```$", README, re.M | re.S)


def test_the_examples_print_what_the_readme_shows(tmp_path):
    (tmp_path / "examples.py").write_text("\n".join(blocks("python")))
    done = subprocess.run([sys.executable, "examples.py"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    shown = README.split("It prints\n\n```\n")[1].split("```")[0].splitlines()
    for line in shown:
        parts = [part for part in line.split("...") if part.strip()]
        at = 0
        for part in parts:
            at = done.stdout.find(part.strip(), at)
            assert at >= 0, f"not printed: {line}\n{done.stdout}"
    assert (tmp_path / "f.html").exists()


def test_the_pytest_example_of_the_readme_passes(tmp_path):
    (tmp_path / "test_readme.py").write_text(blocks("python test")[0])
    option = re.search(r"`pytest (-p \S+)`", README).group(1).split()  # of the sources, which are not installed
    done = subprocess.run([sys.executable, "-m", "pytest", *option, "-p", "no:cacheprovider", "-q"],
                          cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0 and re.search(r"normproof: \d+ cases: \d+ passed", done.stdout), done.stdout
