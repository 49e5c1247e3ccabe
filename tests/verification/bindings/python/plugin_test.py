"""Tests the plug-in of pytest, in runs of its own."""
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as tree

import pytest

TESTS = '''
import kernels, normproof

@normproof.cases("rms_norm", only="[or]*")
def test_rms_norm(case):
    case.check(lambda x, gamma: kernels.rms_norm(x, gamma, case.eps))

@normproof.cases("layer_norm", only=["variance*", "odd*"])
def test_layer_norm(case):
    case.check(kernels.eps_outside)
'''
WRONG = "test_layer_norm[quick/layer_norm/variance_near_eps-7x16-float32]"


@pytest.fixture
def run(tmp_path):
    (tmp_path / "test_kernels.py").write_text(TESTS)

    def started(*options):
        done = subprocess.run([sys.executable, "-m", "pytest", "-p", "normproof.pytest_plugin", "-p", "no:cacheprovider",
                               "-v", *options], cwd=tmp_path, capture_output=True, text=True, env=os.environ)
        return done.returncode, done.stdout + done.stderr
    started.folder = tmp_path
    return started


def test_each_case_is_a_test_with_properties_and_a_summary(run):
    status, text = run("--junit-xml=junit.xml")
    assert status == 1 and f"{WRONG} FAILED" in text and "test_rms_norm[quick/rms_norm/odd" in text
    assert re.search(r"^normproof: \d+ agree with 'eps: outside the root'$", text, re.M)
    assert "worst share of its bound" in text and "quick/layer_norm/variance_near_eps-7x16-float32" in text
    found = {case.get("name"): {entry.get("name"): entry.get("value") for entry in case.iter("property")}
             for case in tree.parse(run.folder / "junit.xml").iter("testcase")}
    assert found[WRONG]["normproof_mistake"] == "eps: outside the root"
    assert float(found[WRONG]["normproof_ratio"]) > 1


def test_two_workers_print_the_same_summary(run):
    pytest.importorskip("xdist")
    alone, spread = run()[1], run("-n", "2")[1]
    last = [[line for line in text.splitlines() if line.startswith("normproof: ")] for text in (alone, spread)]
    assert last[0] and last[0] == last[1]


def test_the_option_only_selects_cases(run):
    status, text = run("--normproof-only", "odd*")
    assert status in (0, 1) and "[quick/layer_norm/variance" not in text and "[quick/layer_norm/odd" in text


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_a_glob_that_matches_nothing_is_an_error(run, workers):
    if workers:
        pytest.importorskip("xdist")
    status, text = run("--normproof-only", "odd*", "--normproof-only", "nothing*", *workers)
    assert status == 4
    assert "ERROR: --normproof-only: nothing* matches no case; expected one of those that test_kernels.py" in text


def test_a_run_that_judges_no_case_fails(run):
    (run.folder / "test_kernels.py").write_text(
        "import normproof\n@normproof.cases('relu', only='random*')\ndef test_a(case): case.check(declined)\n"
        "def declined(x):\n    raise normproof.NotOffered('none')\n")
    status, text = run()
    assert status == 1 and "normproof: no case was held, which is a failure: each was declined" in text


def test_a_failure_prints_the_command_that_repeats_it(run):
    (run.folder / "test_kernels.py").write_text(
        "import normproof\n@normproof.cases('relu', only='random*')\ndef test_a(case): case.check(lambda x: -x)\n")
    status, text = run()
    assert status == 1 and "python3 -m pytest 'test_kernels.py::test_a[quick/relu/random-3x5x6-float32]'" in text


@pytest.mark.parametrize("body, sentence", [
    ("case.check(lambda x: -x)", "normproof.errors.Mismatch: quick/relu/random-3x5x6-float32: y at"),
    ("case.check(lambda x: x, framework='no')", "framework='no'; expected one of"),
    ("normproof.check(lambda x, zzz: x, 'relu')", "zzz")])
def test_the_traceback_of_a_failure_has_no_lines_of_the_package(run, body, sentence):
    (run.folder / "test_kernels.py").write_text(
        f"import normproof\n@normproof.cases('relu', only='random*')\ndef test_a(case):\n    {body}\n")
    status, text = run()
    assert status == 1 and sentence in text and f">       {body}" in text
    assert "normproof/testing.py" not in text and "normproof/checking.py" not in text and "def check_case" not in text
    assert re.findall(r"^\S+\.py:\d+: ", text, re.M) == ["test_kernels.py:4: "]


def test_an_unexpected_exception_in_the_package_keeps_its_traceback(run):
    (run.folder / "test_kernels.py").write_text(
        "import normproof\nfrom normproof import testing\n@normproof.cases('relu', only='random*')\ndef test_a(case):\n"
        "    testing.Call = None\n    case.check(lambda x: x)\n")
    status, text = run()
    assert status == 1 and "normproof/testing.py" in text and "TypeError" in text


def test_expected_failures_are_listed_by_the_ids_of_tests(run):
    (run.folder / "test_kernels.py").write_text(
        "import normproof, numpy as np\n@normproof.cases('relu', only='random*')\n"
        "def test_wrong(case): case.check(lambda x: -x)\n@normproof.cases('relu', only='random*')\n"
        "def test_right(case): case.check(lambda x: np.maximum(x, 0))\n")
    listed = run.folder / "known"
    for line in ("test_kernels.py::test_wrong*", "*::test_wrong[[]quick/relu/random*",
                 "test_kernels.py::test_wrong[quick/relu/random-3x5x6-float32]"):
        listed.write_text(line + "\n")
        status, text = run("--normproof-xfail", str(listed))
        assert status == 0 and "1 passed, 1 xfailed" in text, text
    for content, arguments in (("*::test_wrong*\n*::test_other*\n", ("test_kernels.py::test_wrong",)),
                               ("*::test_wrong*\ntest_others.py::*\n", ("test_kernels.py",))):
        listed.write_text(content)
        status, text = run("--normproof-xfail", str(listed), *arguments)
        assert status == 0 and "1 xfailed" in text, text
    listed.write_text("*::test_wrong*\ntest_others.py::*\n")
    status, text = run("--normproof-xfail", str(listed))
    assert status == 4 and "test_others.py::* matches no case" in text
    listed.write_text("test_kernels.py::test_*\n")
    status, text = run("--normproof-xfail", str(listed))
    assert status == 1 and "[XPASS(strict)] --normproof-xfail: test_kernels.py::test_*" in text


def test_expected_failures_must_fail_and_match_a_case(run):
    listed = run.folder / "known"
    listed.write_text("*/layer_norm/variance*  # a comment\n*/layer_norm/odd*\n")
    status, text = run("--normproof-xfail", str(listed))
    assert f"{WRONG} XFAIL" in text
    listed.write_text("*/layer_norm/*\n*/rms_norm/odd*\n")
    status, text = run("--normproof-xfail", str(listed))
    assert status == 1 and "[XPASS(strict)] --normproof-xfail: */rms_norm/odd*" in text
    listed.write_text("*/layer_norm/nothing*\n")
    status, text = run("--normproof-xfail", str(listed))
    assert status == 4 and "*/layer_norm/nothing* matches no case" in text
    status, text = run("--normproof-xfail", str(run.folder / "absent"))
    assert status == 4 and "No such file" in text


@pytest.mark.parametrize("content, sentence", [
    ("\ufeff*/layer_norm/variance*\n".encode(), "known: it begins with a byte order mark; expected UTF-8 without one"),
    ("*/layer_norm/variance*\n".encode("utf-16"), "known: it begins with a byte order mark; expected UTF-8 without one"),
    (b"*/layer_norm/\xe4*\n", "known: byte 13 is not UTF-8; expected a glob a line")])
def test_the_file_of_expected_failures_must_be_plain_utf8(run, content, sentence):
    (run.folder / "known").write_bytes(content)
    status, text = run("--normproof-xfail", str(run.folder / "known"), "-k", "odd")
    assert status == 4 and sentence in text and "Traceback" not in text


@pytest.mark.parametrize("text, sentence", [
    ("import normproof\n@normproof.cases('layer_nrom')\ndef test_a(case): pass\n", "is unknown; expected 'layer_norm'"),
    ("import normproof\n@normproof.cases('relu')\ndef test_a(): pass\n", "needs the argument `case`"),
    ("import normproof\n@normproof.cases('relu', dtype='f33')\ndef test_a(case): pass\n", "dtype='f33'; expected one")])
def test_wrong_usage_is_reported_in_one_sentence(run, text, sentence):
    (run.folder / "test_kernels.py").write_text(text)
    status, said = run()
    assert status != 0 and sentence in said
