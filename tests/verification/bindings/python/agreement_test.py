"""Tests normproof.agree: equal bits, or which of two functions is more accurate."""
import html

import kernels
import numpy as np
import pytest

import normproof


def wide(x, gamma, beta, eps):
    return kernels.layer_norm(x.astype(np.float64), gamma, beta, eps).astype(x.dtype)


def test_a_function_agrees_with_itself_bit_for_bit():
    agreement = normproof.agree(kernels.layer_norm, kernels.layer_norm, "layer_norm")
    assert agreement and "SAME BITS" in str(agreement) and agreement.nearer == {"a": 0, "b": 0, "": 0}


def test_the_wider_computation_is_more_accurate():
    agreement = normproof.agree(kernels.layer_norm, wide, "layer_norm", only=["random*", "odd*", "offset*"])
    assert not agreement and agreement.nearer["b"] > 0 and agreement.nearer["a"] == 0
    assert "nearer the truth: a in 0" in str(agreement)
    assert all(output.error_b < 1 for output in agreement.outputs)


def test_a_wrong_function_exceeds_the_bound():
    agreement = normproof.agree(kernels.eps_outside, kernels.layer_norm, "layer_norm", only="exact*")
    assert agreement.outputs[0].error_a > 1e3 and agreement.outputs[0].nearer == "b"


def test_different_shapes_and_exceptions_are_reported_in_a_sentence():
    agreement = normproof.agree(kernels.relu, lambda x: x[:-1], "relu", only="random*")
    assert not agreement and "y is [3, 5, 6] and [2, 5, 6]; expected [3, 5, 6]" in str(agreement)
    agreement = normproof.agree(kernels.relu, lambda x: 1 / 0, "relu", only="random*")
    assert not agreement and "ZeroDivisionError" in str(agreement)


def test_a_parameter_that_one_function_lacks_is_left_out_for_both():
    agreement = normproof.agree(kernels.rms_norm, lambda x, gamma, beta, eps: kernels.rms_norm(x, gamma, eps) + beta,
                                "rms_norm", only=["random*", "odd*"])
    assert agreement and len(agreement.outputs) == 2 and agreement.outputs[0].path.startswith("own/rms_norm/")


def test_losses_are_compared():
    def loss(logits, targets):
        return np.array([(np.log(np.exp(logits).sum(-1)) - logits[np.arange(len(targets)), targets]).mean()])
    agreement = normproof.agree(loss, lambda logits, targets: loss(logits, targets)[0], "cross_entropy", only="random*",
                                dtype=np.float64)
    assert agreement and agreement.outputs[0].output == "loss"


def test_functions_without_a_common_case_are_a_usage_error():
    with pytest.raises(normproof.UsageError, match="is offered by both .*: .* takes no option eps"):
        normproof.agree(lambda x, gamma, beta: x, kernels.layer_norm, "layer_norm", only="exact*")


def test_logits_of_decoding_are_compared():
    def of_zeros(case):
        return kernels.exact(case)["logits"] * 0
    agreement = normproof.agree(lambda case: kernels.exact(case)["logits"], of_zeros, "decoding")
    assert not agreement and agreement.nearer["a"] >= 1 and not agreement.nearer["b"] and agreement.outputs[0].output == "logits"


def test_outputs_selects_the_compared_outputs():
    def answered(case):
        return {name: kernels.exact(case)[name] for name in ("y", "mean")}

    def with_another_mean(case):
        return {"y": kernels.exact(case)["y"], "mean": kernels.exact(case)["mean"] + 1}
    assert not normproof.agree(answered, with_another_mean, "layer_norm", only="odd*")
    for outputs in ("y", ["y"]):
        agreement = normproof.agree(answered, with_another_mean, "layer_norm", only="odd*", outputs=outputs)
        assert agreement and [one.output for one in agreement.outputs] == ["y"]
    lacking = normproof.agree(answered, answered, "layer_norm", only="odd*", outputs="y,rstd")
    assert not lacking and "answered returned no rstd; expected y, rstd" in str(lacking)


def test_missing_and_unknown_outputs_are_reported_in_a_sentence():
    agreement = normproof.agree(lambda x: {"yy": x}, lambda x: {"yy": x}, "relu", only="random*")
    assert not agreement and "returned no y; expected y" in str(agreement)
    with pytest.raises(normproof.UsageError, match="unknown output 'yy'"):
        normproof.agree(kernels.relu, kernels.relu, "relu", only="random*", outputs="yy")
    with pytest.raises(normproof.UsageError, match="is offered by both .*: none has grad_head.weight"):
        normproof.agree(kernels.exact, kernels.exact, "translator", only="tied*", dtype="float64", outputs="grad_head.weight")


def test_the_page_has_the_facts_and_a_row_for_each_output(tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1000000000")
    agreement = normproof.agree(kernels.layer_norm, wide, "layer_norm", only=["random*", "odd*"])
    page, text = agreement.html(tmp_path / "page"), agreement.markdown(tmp_path / "text")
    assert (tmp_path / "page").read_text() == page and (tmp_path / "text").read_text() == text
    assert page.startswith("<!DOCTYPE html>") and "src=" not in page and "<script" not in page
    assert "<dt>date</dt><dd>2001-09-09T01:46:40Z</dd>" in page and "- date: `2001-09-09T01:46:40Z`" in text
    assert "<dt>a</dt><dd>kernels.layer_norm, NumPy" in page and "- operation: `layer_norm`" in text
    command = 'normproof.agree(layer_norm, wide, "layer_norm", only=["random*", "odd*"], dtype=["float32"], tier="quick")'
    assert command in text and html.escape(command) in page
    for output in agreement.outputs:
        assert f"<td>{output.path}</td>" in page and f"| {output.path} | y | " in text
    assert "&lt;!DOCTYPE html&gt;" in agreement._repr_html_() and agreement.verdict() in str(agreement)


def test_the_page_shows_failures_in_one_line_each():
    def raises(x):
        raise ValueError("<b>\n\x1b[31m`")
    agreement = normproof.agree(kernels.relu, raises, "relu", only="random*")
    assert "&lt;b&gt; \\x1b[31m`</li>" in agreement.html() and "- `` quick/relu/random" in agreement.markdown()


def test_a_compiled_function_is_named_as_such():
    torch = pytest.importorskip("torch")
    if not hasattr(torch, "compile"):
        pytest.skip("this PyTorch has no compiler")

    def softmax(x):
        return torch.softmax(x, -1)
    agreement = normproof.agree(softmax, torch.compile(softmax, backend="eager"), "softmax", only="random*")
    assert str(agreement).startswith("a: softmax\nb: torch.compile(softmax)\n")
