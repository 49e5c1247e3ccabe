"""Tests the package: its import, its library, its corpus and its cache."""
import inspect
import os
import pathlib
import re
import subprocess
import sys
import time

import kernels
import pytest

import normproof
from normproof import corpus, folders

HEAVY = ("numpy", "torch", "jax", "tensorflow", "pytest", "hypothesis")


def run(code, **environment):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, **environment})


def test_import_is_quick_and_imports_no_other_package():
    code = ("import sys, time; t = time.process_time(); import normproof; took = time.process_time() - t; "
            f"print(took, [name for name in {HEAVY} if name in sys.modules])")
    took, loaded = run(code).stdout.split(" ", 1)
    assert float(took) < 0.2 and loaded.strip() == "[]"


def test_every_public_name_exists():
    for name in normproof.__all__:
        assert getattr(normproof, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'chekc'"):
        normproof.chekc
    assert normproof.__version__.count(".") == 2 and "+" in normproof.corpus_version
    assert "layer_norm" in normproof.ops()


def test_every_function_and_argument_is_documented():
    text = (pathlib.Path(__file__).resolve().parents[4] / "docs/guide/python.md").read_text(encoding="utf-8")
    words = " ".join(re.findall(r"`[^`]+`", re.sub(r"```.*?```", "", text, flags=re.DOTALL)) + re.findall(r"^#.*", text, re.M))
    named = set(re.findall(r"[A-Za-z_]+", words))
    functions = [getattr(normproof, name) for name in normproof.__all__ if inspect.isfunction(getattr(normproof, name))]
    of_reports = {name for name in dir(normproof.Report) if not name.startswith("_")} - {"add", "header", "set_invocation"}
    assert len(functions) > 5 and "check" in named
    assert sorted({*normproof.__all__, *of_reports} - named) == []
    assert [(function.__name__, argument) for function in functions for argument in inspect.signature(function).parameters
            if argument not in {*named, "given", "file", "fn", "unnamed"}] == []


@pytest.mark.parametrize("variable, value, sentence", [
    ("NORMPROOF_LIBRARY", "/nowhere/lib.so", "/nowhere/lib.so has no libnormproof.so; expected an installed wheel"),
    ("NORMPROOF_LIBRARY", __file__, "cannot be loaded"),
    ("NORMPROOF_CORPUS", "/nowhere", "NORMPROOF_CORPUS names /nowhere, which has no manifest.json")])
def test_an_absent_library_or_corpus_is_reported_in_one_sentence(variable, value, sentence):
    done = run("import normproof; normproof.check(lambda x: x, 'relu')", **{variable: value})
    assert done.returncode == 1 and sentence in done.stderr.splitlines()[-1]


def test_a_case_can_be_taken_by_its_path_and_checked():
    case = normproof.case("quick/layer_norm/odd-13x17-float32")
    assert case.x.shape == (13, 17) and case.eps == 1e-5 and case.get("running_mean") is None
    assert "gamma" in case and "eps" in case and "running_mean" not in case and "y" not in case
    assert case.check(kernels.layer_norm)
    with pytest.raises(normproof.Mismatch, match="agrees with|got"):
        normproof.case("quick/layer_norm/variance_near_eps-7x16-float32").check(kernels.eps_outside)
    with pytest.raises(AttributeError, match="has no gama; expected one of"):
        case.gama
    for path in ("quick/layer_norm/nothing", "odd"):
        with pytest.raises(normproof.UsageError):
            normproof.case(path)


def test_a_tier_is_made_once_and_kept(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("NORMPROOF_CACHE", str(tmp_path))
    report = normproof.check(kernels.relu, "relu", tier="standard")
    assert report and all(result.path.startswith("standard/") for result in report.results)
    assert "making standard/relu" in capsys.readouterr().err
    made = time.time()
    assert normproof.check(kernels.relu, "relu", tier="standard")
    assert capsys.readouterr().err == "" and os.path.getmtime(folders.tier_folder("standard", "relu")) <= made
    assert not [name for _, names, _ in os.walk(tmp_path) for name in names if name.startswith(".making")]


def test_a_library_that_describes_no_functions_is_rejected(monkeypatch):
    corpus.layer_descriptions.cache_clear()
    monkeypatch.setattr(corpus.Corpus, "layers", lambda self: [{"name": "layer_norm"}])
    with pytest.raises(normproof.CorpusError, match="describes no functions; expected a library as new as this package"):
        corpus.layer_descriptions()
    corpus.layer_descriptions.cache_clear()


@pytest.mark.parametrize("path, names", [
    ("quick/decoding/chunk_power_norm-3x2-float64", ("num_heads", "num_layers", "norm.warmup_iterations")),
    ("quick/encoder/two_layers_pre_power_norm-2x3-float64", ("num_heads", "num_layers", "norm.warmup_iterations")),
    ("quick/group_norm/random-3x5x6-float32", ("groups",))])
def test_options_that_are_whole_numbers_are_integers(path, names):
    case = normproof.case(path)
    for name in names:
        assert type(case.options[name]) is int and type(getattr(case, name)) is int and type(case.get(name)) is int
    assert all(type(value) is not int for name, value in case.options.items() if name not in names)


def test_strategies_are_imported_on_first_use_only(tmp_path):
    (tmp_path / "hypothesis.py").write_text("class strategies:\n    composite = staticmethod(lambda fn: fn)\n")
    done = run("import sys, normproof; assert 'normproof.strategies' not in sys.modules; print(normproof.strategies.inputs)",
               PYTHONPATH=f"{tmp_path}:{os.environ['PYTHONPATH']}")
    assert "function inputs" in done.stdout, done.stderr
    (tmp_path / "hypothesis.py").write_text("raise ImportError(\"No module named 'hypothesis'\")\n")
    done = run("import normproof; normproof.strategies", PYTHONPATH=f"{tmp_path}:{os.environ['PYTHONPATH']}")
    assert done.stderr.splitlines()[-1] == "ImportError: No module named 'hypothesis'"
    assert run("from normproof import *", PYTHONPATH=f"{tmp_path}:{os.environ['PYTHONPATH']}").returncode == 0
