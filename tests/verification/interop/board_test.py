"""Tests verification/interop/board without a network: rows that pass, fail, hang or cannot be installed."""
import json
import os
import pathlib
import subprocess
import sys

import pytest

TOP = pathlib.Path(__file__).resolve().parents[3]
INTEROP = TOP / "verification/interop"
sys.path.insert(0, str(INTEROP))

import board_page  # noqa: E402
import board_record  # noqa: E402

WRONG = '''
import numpy as np
from implementations.entries import Entry

def layer_norm(x, eps, gamma=None, beta=None):
    wide = x.astype(np.float64)
    centred = wide - wide.mean(-1, keepdims=True)
    y = centred / (np.sqrt(np.mean(centred ** 2, -1, keepdims=True)) + eps)
    return (y * (1 if gamma is None else gamma) + (0 if beta is None else beta)).astype(x.dtype)

def entries():
    return [Entry("outside", "layer_norm", layer_norm, ("float32",), {"framework": "numpy", "only": ["random*", "variance_near_eps*", "eps_1e_3*"]})]
'''
SLOW = '''
import time
from implementations.entries import Entry

def entries():
    yield Entry("doubled", "relu", lambda x: 2 * x, ("float32",), {"framework": "numpy"})
    time.sleep(600)
'''


def board(tmp_path, *arguments):
    return subprocess.run([INTEROP / "board", "--venvs", tmp_path / "venvs", *map(str, arguments)], capture_output=True,
                          text=True, timeout=300)


def make_rows(tmp_path, source="", expected="{}", **row):
    """Makes a folder of rows with one row, whose module has the given source."""
    folder = tmp_path / "made_rows"
    (folder / "requirements").mkdir(parents=True, exist_ok=True)
    (folder / "__init__.py").touch()
    (folder / "kernel.py").write_text(source)
    (folder / "rows.json").write_text(json.dumps(
        [{"row": "wrong", "library": "numpy", "module": "kernel", "environment": "debian", **row}]))
    (folder / "expected.json").write_text(expected)
    return folder


def recorded(**fields):
    return {"what": "outside", "cases": "*", "failed": 1, "class": "finding", "reason": "eps", **fields}


def test_the_numpy_row_passes_and_every_form_is_written(tmp_path):
    done = board(tmp_path, "--only", "numpy", "--markdown", tmp_path / "b.md", "--html", tmp_path / "b.html")
    assert done.returncode == 0, done.stderr
    assert "1 of 1 rows ran; all is as recorded" in done.stderr
    result = json.loads((tmp_path / "venvs/results/numpy.json").read_text())
    assert result["ran"] and result["reason"] == "" and len(result["held"]) == 4
    assert all(held["passed"] > 5 and held["failed"] == 0 for held in result["held"])
    markdown = (tmp_path / "b.md").read_text()
    assert "| numpy | " + result["version"] in markdown and "torch: not run: it was not asked" in markdown
    assert "layer_norm (f32 f16)" in done.stdout
    assert "<title>normproof: board</title>" in (tmp_path / "b.html").read_text()


def test_a_new_failure_is_named_and_a_recorded_one_accepted(tmp_path):
    done = board(tmp_path, "--rows", make_rows(tmp_path, WRONG))
    assert done.returncode == 1
    assert "wrong: new: outside fails quick/layer_norm/random" in done.stderr
    assert "of the bound, eps: outside the root)" in done.stderr
    assert "eps: outside the root" in done.stdout and "NEW" in done.stdout
    failed = json.loads((tmp_path / "venvs/results/wrong.json").read_text())["held"][0]["failed"]
    assert failed > 1
    known = json.dumps({"wrong": [recorded(failed=failed, reason="eps stands outside of the root")]})
    done = board(tmp_path, "--rows", make_rows(tmp_path, WRONG, known))
    assert done.returncode == 0, done.stderr
    assert "finding: eps stands outside of the root" in done.stdout
    done = board(tmp_path, "--rows", make_rows(tmp_path, WRONG, json.dumps({"wrong": [recorded(failed=failed + 1)]})))
    assert done.returncode == 1
    assert f"{failed} fail, {failed + 1} are recorded" in done.stderr


def test_a_row_that_takes_too_long_keeps_its_first_results(tmp_path):
    # How soon the first answers are there is the machine's: the limit grows until they are.
    for seconds in (8, 32, 128):
        done = board(tmp_path, "--rows", make_rows(tmp_path, SLOW, seconds=seconds))
        assert done.returncode == 1
        if "no row ran" not in done.stderr:
            break
    assert f"wrong: ended after {seconds} seconds" in done.stderr and "new: doubled fails" in done.stderr


@pytest.mark.parametrize("row, said", [
    ({"environment": "absent"}, "does not install"), ({"environment": "broken"}, "does not install: pip: "),
    ({"module": "nothing"}, "No module named 'made_rows.nothing'")])
def test_a_row_that_cannot_run_is_reported_and_no_row_is_an_error(tmp_path, row, said):
    folder = make_rows(tmp_path, WRONG, **row)
    (folder / "requirements/broken.txt").write_text("nothing @ file:///no/such/wheel.whl\n")
    done = board(tmp_path, "--rows", folder)
    assert done.returncode == 1
    assert said in done.stderr and "no row ran" in done.stderr
    assert "wrong: not run: " in done.stdout
    assert not list((tmp_path / "venvs").glob("broken-*/complete"))


def test_invalid_input_is_rejected_in_one_sentence(tmp_path):
    def refused(status, said, *arguments):
        done = board(tmp_path, *arguments)
        assert (done.returncode, done.stdout) == (status, "")
        assert said in done.stderr and done.stderr.count("\n") == 1
    refused(2, "--only tortch: there is no such row; expected one of numpy, torch-1.13", "--only", "tortch")
    refused(3, "absent; expected what --golden names", "--golden", tmp_path)
    folder = make_rows(tmp_path)
    refused(3, "wrong[0] has class 'odd'", "--rows", make_rows(tmp_path, expected=json.dumps({"wrong": [recorded(**{"class": "odd"})]})))
    (folder / "rows.json").write_text("[{}]")
    refused(3, "row 0 has no environment, library, module, row", "--rows", folder)
    (folder / "rows.json").write_text("")
    refused(3, "expected a JSON file", "--rows", folder)


def failing(path):
    return {"path": path, "ratio": 2.0, "mistakes": [], "text": "y off"}


def result_of(*paths, reason=""):
    held = {"what": "f", "op": "gelu", "dtype": "float32", "cases": 3, "passed": 3 - len(paths), "failed": len(paths),
            "not_offered": 0, "worst": 2.0, "failures": list(map(failing, paths)), "problem": ""}
    return {"row": "r", "version": "1", "corpus": "c", "ran": True, "reason": reason, "held": [held]}


def test_new_gone_and_miscounted_failures_are_reported():
    known = {"r": [recorded(what="f", cases="*/a-*", failed=2)]}
    assert board_record.compare("r", result_of("q/gelu/a-1", "q/gelu/a-2"), known) == []
    assert "1 fail, 2 are recorded" in board_record.compare("r", result_of("q/gelu/a-1"), known)[0]
    assert board_record.compare("r", result_of(), known)[0].startswith("r: gone: f, */a-*: 0 fail, 2")
    told = board_record.compare("r", result_of("q/gelu/a-1", "q/gelu/a-2", "q/gelu/b-1"), known)
    assert len(told) == 1 and "new: f fails q/gelu/b-1 (2.0 of the bound)" in told[0]


FLUSHES = '''
import numpy as np
from implementations.entries import Entry

def flushed(x):
    y = np.where(x > 0, x, x * 0)
    return np.where(np.abs(y) < np.finfo(x.dtype).tiny, y * 0, y)

def shifted(x):
    return x + 1

def entries():
    return [Entry("relu", "relu", KERNEL, ("float32",), {"framework": "numpy", "only": "subnormal*"})]
'''


def test_cases_recorded_as_flushed_are_repeated_with_flushing(tmp_path):
    known = json.dumps({"wrong": [recorded(what="relu", cases="*/subnormal_*", **{"class": "convention"}, flushed=True)]})
    done = board(tmp_path, "--rows", make_rows(tmp_path, FLUSHES.replace("KERNEL", "flushed"), known))
    assert done.returncode == 0, done.stderr
    failure, = json.loads((tmp_path / "venvs/results/wrong.json").read_text())["held"][0]["failures"]
    assert failure["flushed"] is True
    done = board(tmp_path, "--rows", make_rows(tmp_path, FLUSHES.replace("KERNEL", "shifted"), known))
    assert done.returncode == 1
    assert "with flush_subnormals=True too; recorded is that it passes (eps)" in done.stderr


def test_results_of_another_corpus_are_reported(tmp_path):
    folder = make_rows(tmp_path, expected=json.dumps({"corpus": {"r": "2.0.0+aa"}}))
    assert board_record.read_expected(folder) == {}
    assert board_record.other_corpus(folder, [result_of()]) == (
        "r is recorded on corpus 2.0.0+aa, run on c: numbers of cases may differ")
    assert board_record.other_corpus(folder, [{**result_of(), "corpus": "2.0.0+aa"}]) == ""


def test_a_row_may_be_recorded_as_not_running():
    known = {"r": [{"not_run": "does not install*"}]}
    assert board_record.compare("r", {**result_of(), "ran": False, "held": [], "reason": "does not install: pip"}, known) == []
    assert "it runs" in board_record.compare("r", result_of(), known)[0]
    assert board_record.compare("r", result_of(reason="ended by SIGSEGV"), {}) == ["r: ended by SIGSEGV"]


def test_the_table_joins_dtypes_and_gives_reasons():
    held = result_of("q/gelu/a-1")["held"][0]
    result = {**result_of(), "held": [held, {**held, "dtype": "bfloat16", "failed": 0, "passed": 3, "failures": [], "worst": 0.5,
                                             "not_offered": 0}]}
    known = {"r": [recorded(what="f", **{"class": "convention"})]}
    row, = board_page.document([{"row": "r"}], [result], known, [])["parts"][2]["rows"]
    assert row["cells"] == ["r", "1", "c", "f (f32 bf16)", "gelu", "6", "5", "1", "0", "2", "float32 1 of 3", "", "convention: eps"]
    assert row["tone"] == "expected"
    row, = board_page.document([{"row": "r"}], [result], {}, [])["parts"][2]["rows"]
    assert row["tone"] == "bad" and row["cells"][-1] == "NEW"


def test_one_page_shows_rows_of_two_corpora(tmp_path):
    results = tmp_path / "venvs/results"
    results.mkdir(parents=True)
    kept = {**result_of(), "row": "kept", "library": "b", "corpus": "2.9.0+aa", "version": "7"}
    (results / "kept.json").write_text(json.dumps(kept))
    folder = make_rows(tmp_path, WRONG)
    rows = json.loads((folder / "rows.json").read_text())
    (folder / "rows.json").write_text(json.dumps([*rows, {**rows[0], "row": "kept", "seconds": 600}]))
    done = board(tmp_path, "--rows", folder, "--only", "wrong", "--markdown", tmp_path / "b.md")
    written = (tmp_path / "b.md").read_text()
    assert "| kept | 7 | 2.9.0 | f (f32) |" in written and "2.9.0+aa (1 rows)" in written
    assert "A row has 600 or 1,800 seconds." in written and "board: wrong: " in done.stderr
    again = board(tmp_path, "--rows", folder, "--page", "--markdown", tmp_path / "c.md")
    assert "wrong ..." not in again.stderr and "| kept | 7 | 2.9.0 |" in (tmp_path / "c.md").read_text()


def test_every_recorded_finding_has_a_program():
    known = board_record.read_expected(INTEROP / "implementations")
    named = {one["finding"] for entries in known.values() for one in entries if "finding" in one}
    assert named and named <= {path.stem for path in (INTEROP / "findings").glob("*.py")}
    rows = {row["row"] for row in json.loads((INTEROP / "implementations/rows.json").read_text())}
    assert set(known) <= rows
