"""What a Report writes: the bytes of the program, and what is said of a failing case."""
import json
import os
import subprocess

import kernels
import numpy as np
import pytest

import normproof

ADAPTER = '''
import sys; sys.path[:0] = [{interop!r}, {here!r}]
from protocol import serve
import kernels
def step(case):
    import numpy as np
    x = case["x"]
    return {{"y": kernels.eps_outside(x, case.get("gamma", np.ones(x.shape[-1], x.dtype)),
                                      case.get("beta", np.zeros(x.shape[-1], x.dtype)), case.options["eps"])}}
serve(step)
'''


@pytest.fixture(scope="module")
def report():
    return normproof.check(kernels.eps_outside, "layer_norm", only="[!z]*")


@pytest.mark.parametrize("form", ["json", "junit", "sarif"])
def test_reports_are_those_of_the_program(report, form, tmp_path):
    here = os.path.dirname(os.path.abspath(__file__))
    interop = os.path.join(here, "../../../verification/interop")
    (tmp_path / "adapter.py").write_text(ADAPTER.format(interop=interop, here=here))
    theirs, ours = tmp_path / "theirs", tmp_path / "ours"
    done = subprocess.run([os.environ["NORMPROOF_PROGRAM"], "golden", "check", "--golden", os.environ["NORMPROOF_CORPUS"],
                           "--pipe", f"/usr/bin/python3 {tmp_path}/adapter.py", "--outputs", "y", "--only",
                           "quick/layer_norm/[!z]*-float32", "--" + form, str(theirs)], capture_output=True, text=True)
    assert done.returncode == 1, done.stderr
    text = getattr(report, form)(ours)
    assert ours.read_text() == text

    def without_repro(written):
        return [line for line in _lines(written, form)]
    assert without_repro(text) == without_repro(theirs.read_text())


def _lines(text, form):
    """The report without the lines that show a case again, which name another command."""
    if form == "json":
        objects = [json.loads(line) for line in text.splitlines()]
        return [{key: value for key, value in entry.items() if key != "repro"} for entry in objects]
    return [line for line in text.splitlines() if "golden check" not in line and "normproof.check" not in line
            and " time=" not in line and "commandLine" not in line]


def test_page_is_alone_and_has_the_worst_case(report, tmp_path):
    report.html(tmp_path / "f.html")
    page = (tmp_path / "f.html").read_text()
    assert page.startswith("<!DOCTYPE html>") and "src=" not in page and "@import" not in page
    assert report.worst.path in page and "eps: outside the root" in page
    shown = report._repr_html_()
    assert "&lt;!DOCTYPE html&gt;" in shown and shown.startswith("<iframe") and "offsetHeight" in shown
    assert "min-width: 20em" in shown  # the page of a narrower frame is many screens long
    assert "<script" not in shown.split("onload")[1]


def test_json_has_every_case(report):
    lines = [json.loads(line) for line in report.json().splitlines()]
    assert [line["path"] for line in lines if "path" in line] == [result.path for result in report.results]


def test_repro_runs_and_fails_again(report, tmp_path):
    text = report.repro()
    assert len(text.splitlines()) == 5
    done = subprocess.run(["/usr/bin/python3", "-c", text], capture_output=True, text=True, cwd=tmp_path)
    assert "agrees with" in done.stdout and report.worst.path in done.stdout, done.stderr


def test_repro_has_the_options_of_the_call():
    report = normproof.check(kernels.eps_outside, "layer_norm", only="variance*", seconds=7, accumulation="float32",
                             backward=kernels.layer_norm_backward, arguments={"eps": lambda case: case.eps})
    text = report.repro()
    call = text.splitlines()[-2]
    assert "backward=layer_norm_backward, arguments=arguments, seconds=7" in call and 'accumulation="float32"' in call
    assert "from kernels import layer_norm_backward" in text and "# arguments: as it was given" in text
    assert f'repro: print({call.removeprefix("report = ")})'.replace('"float32", tier', '["float32"], tier') in str(report)
    with pytest.raises(normproof.UsageError, match="is no case of the report"):
        report.repro("quick/layer_norm/odd-13x17-float32")


def test_repro_of_a_case_without_beta_asks_the_same_case_again(tmp_path):
    report = normproof.check(kernels.eps_outside_rms, "rms_norm", only="odd*")
    assert report.failures[0].path.startswith("own/")
    done = subprocess.run(["/usr/bin/python3", "-c", report.repro()], capture_output=True, text=True, cwd=tmp_path)
    assert report.failures[0].path in done.stdout and "FAILED: 0 of 1 case passed" in done.stdout, done.stderr


def test_shares_are_those_of_the_elements():
    report = normproof.check(kernels.eps_outside, "layer_norm", only="variance*")
    shares = report.shares(report.results[0].path)
    for path, output, sentence in ((report.results[0].path, "yy", "unknown output 'yy'"),
                                   ("odd", "y", "is not the last case")):
        with pytest.raises(normproof.UsageError, match=sentence):
            report.shares(path, output)
    assert shares.size == 7 * 16 and np.isclose(shares.max(), report.results[0].ratio)


def test_file_is_replaced_as_a_whole(report, tmp_path):
    (tmp_path / "r.json").write_text("before")
    report.json(tmp_path / "r.json")
    assert [path.name for path in tmp_path.iterdir()] == ["r.json"]
    for write in (report.json, report.html):
        with pytest.raises(normproof.OutputError, match="r cannot be written: No such file"):
            write(tmp_path / "absent" / "r")
