"""Tests the forms of a Report, which equal those of the program, and the lines that repeat a case."""
import html
import json
import os
import re
import subprocess
import xml.etree.ElementTree as tree

import kernels
import numpy as np
import pytest

import normproof
from normproof.provenance import add_facts

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


# How each form escapes a text.
WRITTEN = {"json": lambda text: json.dumps(text)[1:-1], "sarif": lambda text: json.dumps(text)[1:-1],
           "junit": lambda text: text, "markdown": lambda text: text,
           "html": lambda text: html.escape(text).replace("&#x27;", "&#39;")}


@pytest.fixture(scope="module")
def program_reports(tmp_path_factory):
    """The folder of the reports that the program writes about the same answers, each named after its form."""
    here, folder = os.path.dirname(os.path.abspath(__file__)), tmp_path_factory.mktemp("program")
    interop = os.path.join(here, "../../../../verification/interop")
    (folder / "adapter.py").write_text(ADAPTER.format(interop=interop, here=here))
    forms = [word for form in WRITTEN for word in ("--" + form, str(folder / form))]
    done = subprocess.run([os.environ["NORMPROOF_PROGRAM"], "golden", "check", "--golden", os.environ["NORMPROOF_CORPUS"],
                           "--pipe", f"/usr/bin/python3 {folder}/adapter.py", "--outputs", "y", "--only",
                           "quick/layer_norm/[!z]*-float32", *forms], capture_output=True, text=True)
    assert done.returncode == 1, done.stderr
    return folder


def repros(text):
    return [json.loads(line)["repro"] for line in text.splitlines() if "repro" in json.loads(line)]


@pytest.mark.parametrize("form", list(WRITTEN))
def test_reports_equal_those_program_reports(report, program_reports, form, tmp_path):
    """They are equal byte for byte, except for the facts of the run, and for the lines that repeat a case."""
    expected = (program_reports / form).read_bytes().decode()
    theirs, ours = repros((program_reports / "json").read_text()), repros(report.json())
    assert len(theirs) == len(ours) == len(report.results)
    for command, call in sorted(zip(theirs, ours), key=lambda pair: -len(pair[0])):
        assert command.startswith("normproof golden check") and "normproof.check(" in call
        expected = expected.replace(WRITTEN[form](command), WRITTEN[form](call))
    assert "normproof.check(" in expected and "golden check --golden" not in expected
    text = getattr(report, form)(tmp_path / "ours")
    assert (tmp_path / "ours").read_bytes() == text.encode() == add_facts(form, expected, report.facts).encode()


FACTS = {"candidate": "kernels.eps_outside", "framework": "NumPy", "version": np.__version__, "device": "cpu",
         "date": "2001-09-09T01:46:40Z"}


def test_every_form_has_the_facts_of_the_run(monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1000000000")
    report = normproof.check(kernels.eps_outside, "layer_norm", only=["odd*", "variance*"])
    command = ("python3 -c 'import normproof; from kernels import eps_outside; print(normproof.check(eps_outside, "
               '"layer_norm", only=["odd*", "variance*"], dtype=["float32"], tier="quick"))\'')
    facts = {**FACTS, "command": command, "conventions": "; ".join(report.conventions)}
    assert "no gradients: forward alone" in facts["conventions"]
    for line in report.json().splitlines():
        assert {name: json.loads(line)[name] for name in facts} == facts
    suite, = tree.fromstring(report.junit().encode()).iter("testsuite")
    properties = [(entry.get("name"), entry.get("value")) for entry in suite.find("properties")]
    assert dict(properties).items() >= facts.items() and len(dict(properties)) == len(properties)
    assert [child.tag for child in suite][0] == "properties"
    page = report.html()
    for name, fact in FACTS.items():
        assert f"<dt>{name}</dt><dd>{fact}</dd>" in page and f"- {name}: `{fact}`\n" in report.markdown()
    assert f"<pre>{html.escape(command)}</pre>" in page and f"```\n{command}\n```\n" in report.markdown()


def test_facts_are_added_to_a_suite_without_properties():
    report = normproof.judge(lambda x: x, "relu", x=np.ones((2, 3), np.float32))
    suite, = tree.fromstring(report.junit().encode()).iter("testsuite")
    assert {entry.get("name") for entry in suite.find("properties")} == {*FACTS, "command", "conventions"}
    assert report.facts["command"] == 'print(normproof.judge(lambda x: x, "relu", x=x))'


def test_the_date_is_the_current_one_or_that_of_the_environment(monkeypatch):
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    report = normproof.check(kernels.relu, "relu", only="random*")
    assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ", report.facts["date"])
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "yesterday")
    with pytest.raises(normproof.UsageError, match="SOURCE_DATE_EPOCH is 'yesterday'; expected a number of seconds since 1970"):
        normproof.check(kernels.relu, "relu", only="random*")


def test_a_name_with_line_breaks_and_escapes_writes_nothing_of_its_own(tmp_path):
    def fn(x):
        return -x
    fn.__name__ = fn.__qualname__ = "f\n# injected\x1b[31m\u2028``` | <b>\ud800"
    fn.__module__ = "made\nup"
    report = normproof.check(fn, "relu", only="random*", backward=None)
    for text in (str(report), report.json(), report.junit(), report.markdown(), report.html(), report.repro(),
                 report.facts["candidate"]):
        assert "\x1b" not in text and "\u2028" not in text and "\n# injected" not in text
        text.encode()
    tree.fromstring(report.junit().encode())
    compile(report.repro(), "repro", "exec")


def test_the_page_is_self_contained_and_shows_the_worst_case(report, tmp_path):
    report.html(tmp_path / "f.html")
    page = (tmp_path / "f.html").read_text()
    assert page.startswith("<!DOCTYPE html>") and "src=" not in page and "@import" not in page
    assert report.worst.path in page and "eps: outside the root" in page
    shown = report._repr_html_()
    assert "&lt;!DOCTYPE html&gt;" in shown and shown.startswith("<iframe") and "offsetHeight" in shown
    assert "min-width: 20em" in shown  # in a narrower frame the page would be many screens long
    assert "<script" not in shown.split("onload")[1]


def test_a_failed_assertion_shows_the_last_line_of_the_report(report):
    assert repr(report) == f"<kernels.eps_outside, layer_norm: {str(report).splitlines()[-1]}>" and "FAILED: " in repr(report)


def test_json_lists_every_case(report):
    lines = [json.loads(line) for line in report.json().splitlines()]
    assert [line["path"] for line in lines if "path" in line] == [result.path for result in report.results]


def test_repro_repeats_the_failure(report, tmp_path):
    text = report.repro()
    assert len(text.splitlines()) == 5
    done = subprocess.run(["/usr/bin/python3", "-c", text], capture_output=True, text=True, cwd=tmp_path)
    assert "agrees with" in done.stdout and report.worst.path in done.stdout, done.stderr


def test_repro_includes_the_options_of_the_call():
    report = normproof.check(kernels.eps_outside, "layer_norm", only="variance*", seconds=7, accumulation="float32",
                             backward=kernels.layer_norm_backward, arguments={"eps": lambda case: case.eps})
    text = report.repro()
    call = text.splitlines()[-2]
    assert "backward=layer_norm_backward, arguments={\"eps\": lambda case: case.eps}, seconds=7" in call and 'accumulation="float32"' in call
    assert "from kernels import layer_norm_backward" in text
    shown = call.removeprefix("report = ").replace('"float32", tier', '["float32"], tier')
    assert f"print({shown})'" in str(report)
    with pytest.raises(normproof.UsageError, match="is no case of the report"):
        report.repro("quick/layer_norm/odd-13x17-float32")


def test_repro_of_a_case_without_beta_repeats_the_same_case(tmp_path):
    report = normproof.check(kernels.eps_outside_rms, "rms_norm", only="odd*")
    assert report.failures[0].path.startswith("own/")
    done = subprocess.run(["/usr/bin/python3", "-c", report.repro()], capture_output=True, text=True, cwd=tmp_path)
    assert report.failures[0].path in done.stdout and "FAILED: 0 of 1 case passed" in done.stdout, done.stderr


def test_shares_has_the_error_over_the_bound_of_each_element():
    report = normproof.check(kernels.eps_outside, "layer_norm", only="variance*")
    shares = report.shares(report.results[0].path)
    for path, output, sentence in ((report.results[0].path, "yy", "unknown output 'yy'"),
                                   ("odd", "y", "is not the last case")):
        with pytest.raises(normproof.UsageError, match=sentence):
            report.shares(path, output)
    assert shares.size == 7 * 16 and np.isclose(shares.max(), report.results[0].ratio)


def test_a_file_is_replaced_completely_or_left_unchanged(report, tmp_path):
    (tmp_path / "r.json").write_text("before")
    report.json(tmp_path / "r.json")
    assert [path.name for path in tmp_path.iterdir()] == ["r.json"]
    for write in (report.json, report.html):
        with pytest.raises(normproof.OutputError, match="r cannot be written: No such file"):
            write(tmp_path / "absent" / "r")
