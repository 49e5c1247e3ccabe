"""Tests verification/interop/false_alarms: its questions are reproducible, its counts add up, and it finds injected faults."""
import functools
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import types

import numpy as np
import pytest

INTEROP = pathlib.Path(__file__).resolve().parents[3] / "verification/interop"
sys.path.insert(0, str(INTEROP))

import false_alarm_findings as findings  # noqa: E402
import false_alarm_page as page  # noqa: E402
import false_alarm_study as study_module  # noqa: E402
import protocol  # noqa: E402
from false_alarm_implementations import NAMES, Implementation, shape_of_operand  # noqa: E402
from false_alarm_questions import draw_question  # noqa: E402
from false_alarm_values import FOUR, REGIMES, available_dtypes, draw_values, largest_number, range_traits  # noqa: E402

SEED = 5


def false_alarms(*arguments):
    return subprocess.run([sys.executable, INTEROP / "false_alarms", *map(str, arguments)], capture_output=True, text=True,
                          timeout=300, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})


def same_questions(one, other):
    return (one.options, one.mode, one.traits) == (other.options, other.mode, other.traits) and (
        one.tensors.keys() == other.tensors.keys()) and all(
        value.tobytes() == other.tensors[name].tobytes() for name, value in one.tensors.items())


IN_FLOAT32 = {"quantize", "dequantize"}  # whose kernels compute in float32: they are not asked in float64


@pytest.mark.parametrize("op", protocol.OPERATIONS)
def test_a_question_follows_from_its_seed_operation_dtype_and_index(op):
    if op in IN_FLOAT32:
        pytest.importorskip("ml_dtypes")
    assert same_questions(draw_question(op, "float32", SEED, 3), draw_question(op, "float32", SEED, 3))
    others = [draw_question(op, "float32", SEED + 1, 3), draw_question(op, "float32", SEED, 4)]
    assert not any(same_questions(draw_question(op, "float32", SEED, 3), other) for other in others)


@pytest.mark.parametrize("dtype", available_dtypes())
def test_every_regime_draws_finite_numbers_in_the_range_of_its_dtype(dtype):
    generator = np.random.default_rng(SEED)
    for regime in dict.fromkeys(REGIMES):
        for _ in range(20):
            drawn = draw_values(generator, (3, 5), dtype, regime)
            assert drawn.shape == (3, 5) and np.abs(drawn).max() <= 8 * largest_number(dtype)


def test_a_wrong_kernel_fails_and_its_failures_have_no_reason():
    def softmax(x):
        e = np.exp(x - x.max(-1, keepdims=True))
        return e / e.sum(-1, keepdims=True) * x.dtype.type(1.01)
    wrong = Implementation(softmax, ("float32",), "numpy", lambda fn, dtype: fn)
    result = study_module.Study("numpy", SEED, {"softmax": wrong}).run(6)
    unknown = [failure for failure in result["failures"] if findings.find(failure) is None]
    assert unknown and page.false_alarms(result)
    assert {failure["evidence"]["wider"] for failure in unknown} == {"failed"}
    assert "## Failures without a known reason" in page.render([result])
    assert unknown[0]["repro"] == f"verification/interop/false_alarms numpy --seed {SEED} --only {unknown[0]['path']}"


def test_a_bound_that_is_too_small_is_found_as_a_false_alarm(monkeypatch):
    judge = study_module.normproof.judge

    def judge_too_strictly(*arguments, **others):
        report = judge(*arguments, **others)
        tensors = [{**tensor, "failures": 1, "bound": 0.0, "ratio": "inf"} for tensor in report.results[0].tensors]
        result = types.SimpleNamespace(declined=False, failed=True, tensors=tensors, text="y off", json={"problem": ""})
        return types.SimpleNamespace(results=[result], passed=False, followed="",
                                     invocation=types.SimpleNamespace(declared_options={}))
    study = study_module.Study("numpy", SEED)
    assert not study.run(3, ["silu"])["failures"]
    monkeypatch.setattr(study_module.normproof, "judge", judge_too_strictly)
    result = study.run(3, ["silu"])
    assert len(page.false_alarms(result)) == 3
    assert "| NumPy | 3 | 0 | 0 | 0 | 0 | 3 | 0 | 3 |" in page.render([result])


ASKED = sorted(set(protocol.OPERATIONS) - {"none"})


@pytest.fixture(name="study", scope="module", params=NAMES)
def study_of(request):
    """The study of each framework that is installed. PyTorch before 2.4 lacks two of the functions."""
    framework = pytest.importorskip(request.param)
    if request.param == "torch" and not hasattr(framework.nn.functional, "rms_norm"):
        pytest.skip("this PyTorch has no rms_norm")
    return study_module.Study(request.param, SEED)


def test_every_operation_is_asked_in_every_dtype(study):
    optional = {"sgd", "adam", "adamw"} if study.name == "jax" and importlib.util.find_spec("optax") is None else set()
    if study.name == "numpy" and "bfloat16" not in available_dtypes():
        optional |= IN_FLOAT32
    if study.name == "torch" and not hasattr(importlib.import_module("torch"), "float8_e8m0fnu"):
        optional |= IN_FLOAT32
    assert sorted(study.offered) == sorted(set(ASKED) - optional)
    expected = {*available_dtypes()} if study.name == "numpy" else {*FOUR}
    assert not {op for op, offered in study.offered.items() if {*offered.dtypes} != expected - (
        {"float64"} if op in IN_FLOAT32 else set())}


@pytest.mark.parametrize("op", ["power_norm", "power_norm_released", "power_norm_v", "batch_renorm", "scale_norm",
                                "group_scaling", "l2_norm", "rope", "encoder_layer", "decoder_layer", "encoder", "sgd",
                                "quantize", "dequantize"])
def test_formulas_of_each_framework_pass_in_every_dtype(study, op):
    if op not in study.offered:
        pytest.skip("the framework lacks what it needs, such as optax")
    result = study.run(8, [op])
    assert not page.false_alarms(result), page.false_alarms(result)[0]["text"]
    assert sum(row["passed"] + row["not_verified"] for row in result["rows"]) >= 4
    assert not [sentence for sentence in result["refused"] if "expected one of" in sentence]


@pytest.mark.parametrize("op, output", [("power_norm", "nu"), ("power_norm_released", "nu"),
                                        ("batch_renorm", "running_variance")])
def test_a_wrong_state_of_a_formula_fails(study, op, output):
    right = study.offered[op]

    @functools.wraps(right.fn)
    def wrong(*positional, **named):
        outputs = right.fn(*positional, **named)
        return {**outputs, output: outputs[output] * 1.5} if output in outputs else outputs
    asked = [study.draw(op, "float64", index) for index in range(12)]
    outcomes = {study_module.ask(question, right, wrong).outcome for question in asked if question.mode == "training"}
    assert "failed" in outcomes


def test_counts_add_up_and_every_operation_of_numpy_understands_its_questions():
    result = study_module.Study("numpy", SEED).run(2)
    assert {row["op"] for row in result["rows"]} >= {"layer_norm", "attention", "translator", "adamw"}
    counts = {outcome: sum(row[outcome] for row in result["rows"]) for outcome in study_module.OUTCOMES}
    assert all(row["questions"] == sum(row[outcome] for outcome in study_module.OUTCOMES) for row in result["rows"])
    assert sum(counts.values()) == 2 * len({row["op"] for row in result["rows"]})
    assert counts["failed"] == len(result["failures"]) and counts["refused"] == sum(result["refused"].values())
    assert not [sentence for sentence in (*result["refused"], *result["declined"]) if "expected one of" in sentence]
    assert not [failure["text"] for failure in result["failures"] if " raised " in failure["text"]]


@pytest.mark.parametrize("op, forward_only", [("softmax", False), ("log_sum_exp", True), ("attention", True),
                                              ("layer_norm", True)])
def test_numpy_is_judged_with_gradients_if_there_is_a_grad_y(op, forward_only):
    study = study_module.Study("numpy", SEED)
    finite = (question for question in (draw_question(op, "float64", SEED, index) for index in range(200))
              if not any("special" in trait for trait in question.traits))
    asked = next(question for question in finite if ("grad_y" not in question.tensors) == forward_only)
    judged = {tensor["name"] for tensor in study_module.ask(asked, study.offered[op]).report.results[0].tensors}
    assert "y" in judged and any(name.startswith("grad_") for name in judged) != forward_only


@pytest.mark.parametrize("op, gradient", [("cross_entropy", "grad_logits"), ("encoder", "grad_head.bias"),
                                          ("language_model", "grad_embedding.weight"), ("translator", "grad_head.bias")])
def test_numpy_is_judged_with_the_gradients_of_a_loss(op, gradient):
    study = study_module.Study("numpy", SEED)
    answers = (study_module.ask(study.draw(op, "float64", index), study.offered[op]) for index in range(20))
    reports = [answered.report for answered in answers if answered.report is not None]
    assert all(gradient in {tensor["name"] for tensor in report.results[0].tensors} for report in reports) and len(reports) > 5


@pytest.mark.parametrize("path", ["translator/float64/4", "translator/float32/65"])
def test_the_published_gelu_tanh_passes_in_a_model(path):
    op, dtype, index = path.split("/")
    study = study_module.Study("numpy", 20261127)
    question = study.draw(op, dtype, int(index))
    assert question.options["activation"] == "gelu_tanh"
    answered = study_module.ask(question, study.offered[op])
    assert answered.outcome in findings.HELD, answered.text


def test_the_shape_of_an_absent_grad_y_follows_from_the_letters_of_its_description():
    x, q, k, v = (np.zeros(shape) for shape in ((2, 3), (1, 4, 5, 6), (1, 2, 7, 6), (1, 2, 7, 8)))
    assert shape_of_operand("layer_norm", "grad_y", {"x": x}) == (2, 3)
    assert shape_of_operand("log_sum_exp", "grad_y", {"x": x}) == (2,)
    assert shape_of_operand("attention", "grad_y", {"q": q, "k": k, "v": v}) == (1, 4, 5, 8)
    assert shape_of_operand("adam", "grad_y", {}) is None


def failure_of(**fields):
    return {"implementation": "torch", "op": "softmax", "dtype": "float32", "traits": [], "text": "y off", "tensors": [],
            "evidence": {}, **fields}


@pytest.mark.parametrize("fields, name", [
    ({"dtype": "bfloat16", "evidence": {"wider": "passed"}}, "torch_16_bits"),
    ({"dtype": "bfloat16", "evidence": {"wider": "failed"}}, None),
    ({"dtype": "float32", "evidence": {"wider": "passed"}}, None),
    ({"implementation": "jax", "evidence": {"flushed": "not_verified"}}, "jax_flushes"),
    ({"op": "group_norm", "evidence": {"folded": "passed"}}, "torch_folded"),
    ({"op": "gelu", "evidence": {"folded": "passed"}}, None),
    ({"traits": ["valid:empty_row"], "evidence": {"numpy": "passed"}}, "masked_row"),
    ({"traits": ["valid:empty_row"], "evidence": {"numpy": "failed"}}, None),
    ({"op": "layer_norm", "traits": ["x:square_overflows"], "evidence": {"numpy": "passed"},
      "tensors": [{"name": "y", "got": "nan"}]}, "torch_square_overflows"),
    ({"op": "layer_norm", "traits": ["x:square_overflows"], "evidence": {"numpy": "passed"},
      "tensors": [{"name": "y", "got": "1.0"}]}, None),
    ({"op": "rms_norm", "traits": ["x:cube_of_rstd_underflows"], "evidence": {"numpy": "passed"},
      "tensors": [{"name": "grad_x", "got": "1.0"}]}, "rsqrt_derivative"),
    ({"implementation": "jax", "op": "attention", "traits": ["q:sees_no_key"], "evidence": {"numpy": "passed"}},
     "jax_masked_query"),
    ({"implementation": "jax", "op": "attention", "traits": [], "evidence": {"numpy": "passed"}}, None),
    ({"op": "cross_entropy", "traits": ["logits:special"], "evidence": {"numpy": "passed"},
      "tensors": [{"name": "grad_logits", "got": "nan", "exact": "0.0"}]}, "torch_ignored_rows"),
    ({"op": "cross_entropy", "traits": ["logits:special"], "evidence": {"numpy": "passed"},
      "tensors": [{"name": "grad_logits", "got": "nan", "exact": "1.0"}]}, None),
    ({"implementation": "jax", "op": "adam", "evidence": {"wider": "passed"}, "tensors": [{"name": "second_moment", "got": "inf"}]},
     "optax_square_overflows"),
    ({"implementation": "jax", "op": "adam", "evidence": {"wider": "passed"}, "tensors": [{"name": "second_moment", "got": "1.0"}]},
     None),
    ({"op": "rms_norm", "traits": ["x:cube_of_rstd_underflows"], "evidence": {"numpy": "passed"},
      "tensors": [{"name": "grad_x", "got": "1.0"}, {"name": "y", "got": "1.0"}]}, None),
    ({"implementation": "jax", "op": "dyt", "dtype": "float64", "evidence": {"numpy": "passed"},
      "tensors": [{"name": "grad_x", "got": "1.0", "ratio": "1.5"}]}, "jax_tanh"),
    ({"implementation": "jax", "op": "dyt", "dtype": "float64", "evidence": {"numpy": "passed"},
      "tensors": [{"name": "grad_x", "got": "1.0", "ratio": "1.5"}, {"name": "y", "got": "1.0", "ratio": "5"}]}, None),
    ({"traits": ["x:special"], "tensors": [{"got": "nan", "exact": "1.0"}]}, None),
    ({"traits": ["x:ordinary"], "tensors": [{"got": "nan", "exact": "1.0"}]}, None)])
def test_a_reason_explains_only_what_its_evidence_shows(fields, name):
    reason = findings.find(failure_of(**fields))
    assert (reason and reason.name) == name
    assert findings.is_false_alarm(failure_of(**fields)) == (name is None)


def test_the_traits_of_a_range_say_which_powers_of_x_leave_it():
    def traits(x, dtype, **others):
        return range_traits({"x": np.asarray(x), **others}, dtype, {})
    assert traits([1e12, -1.0], "float32") == [] and traits([np.inf, np.nan, 1.0], "float32") == []
    assert traits([-5e12], "bfloat16") == ["x:cube_of_rstd_underflows"]
    assert traits([1e20], "float32") == ["x:square_overflows", "x:cube_of_rstd_underflows"]
    assert traits([1e102], "float64") == [] and traits([1e103], "float64") == ["x:cube_of_rstd_underflows"]
    assert traits([0.0], "float32", residual=np.array([-5e12])) == ["x:cube_of_rstd_underflows"]
    assert traits([[1.0], [2.0]], "float32", valid=np.array([[True], [False]])) == ["valid:empty_row"]


def test_the_traits_of_attention_say_whether_a_query_sees_no_key():
    q, k, valid = np.zeros((1, 1, 3, 2)), np.zeros((1, 1, 2, 2)), np.array([[True, False]])
    assert range_traits({"q": q, "k": k}, "float32", {"causal": True}) == ["q:sees_no_key"]
    assert range_traits({"q": q, "k": k}, "float32", {}) == range_traits({"q": k, "k": k}, "float32", {"causal": True}) == []
    assert range_traits({"q": k, "k": k, "valid": ~valid}, "float32", {"causal": True}) == ["q:sees_no_key"]
    assert range_traits({"q": k, "k": k, "valid": valid}, "float32", {"causal": True}) == []


def test_one_line_repeats_a_question_and_the_page_reads_what_json_wrote(tmp_path):
    done = false_alarms("numpy", "--questions", 3, "--op", "silu", "--op", "softmax", "--json", tmp_path / "n.json",
                        "--seed", SEED)
    assert done.returncode == 0, done.stdout + done.stderr
    written = json.loads((tmp_path / "n.json").read_text())
    assert sum(row["questions"] for row in written["rows"]) == 6
    repeated = false_alarms("numpy", "--seed", SEED, "--only", "silu/float32/1")
    assert repeated.returncode == 0 and "silu/float32/1: mode training" in repeated.stdout and "PASSED" in repeated.stdout
    shown = false_alarms("--page", tmp_path / "n.json", "--markdown", tmp_path / "n.md")
    assert shown.returncode == 0 and (tmp_path / "n.md").read_text() == done.stdout


def test_the_page_joins_results_of_one_implementation_and_the_later_file_counts():
    study = study_module.Study("numpy", SEED)
    first, later = study.run(4, ["silu", "l2_norm"]), study.run(4, ["l2_norm", "relu"])
    (joined,) = page.merge([first, later])
    assert [row["op"] for row in joined["rows"]] == [row["op"] for row in (*study.run(4, ["silu"])["rows"], *later["rows"])]
    assert joined["ops"] == ["l2_norm", "relu", "silu"] and joined["refused"] == {**first["refused"], **later["refused"]}
    assert len(page.merge([first, {**later, "seed": SEED + 1}])) == 2
    assert page.merge([study.run(1, study.offered), study.run(1, ["relu"])])[0]["ops"] == []


@pytest.mark.parametrize("arguments, sentence", [
    (("numpy", "--only", "silu/int8/1"), "expected OP/DTYPE/INDEX"),
    (("numpy", "--only", "softmin/float32/1"), "expected OP/DTYPE"),
    (("--page", "absent.json"), "expected files that --json wrote"), ((), "expected an implementation or --page"),
    (("numpy", "--questions", 0), "expected at least 1 question")])
def test_wrong_usage_is_rejected_in_one_sentence(arguments, sentence):
    done = false_alarms(*arguments)
    assert done.returncode == 2 and sentence in done.stderr and not done.stdout


@pytest.mark.skipif(importlib.util.find_spec("jax") is not None, reason="JAX is installed")
def test_an_absent_framework_is_skipped():
    done = false_alarms("jax", "--questions", 1)
    assert done.returncode == 77 and done.stdout.startswith("skipped: jax: ")


def test_an_option_that_an_implementation_lacks_declines_the_question():
    question = draw_question("l2_norm", "float32", 20261127, 3)
    lacking = Implementation(lambda x: x, FOUR, "numpy", None)
    question.options = {"eps": 0.5}
    assert study_module.ask(question, lacking).outcome == "declined"
