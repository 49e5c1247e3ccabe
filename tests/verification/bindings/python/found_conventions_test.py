"""A function that follows another convention than the default is judged by it, and the report says so."""
import warnings

import kernels
import numpy as np
import pytest

import normproof
from normproof.errors import ConventionWarning


def l2_floor(x, eps):
    return x / np.maximum(np.sqrt((x * x).sum(-1, keepdims=True)), x.dtype.type(eps))


def rms_norm_1e_6(x, weight):
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + np.float32(1e-6)) * weight


def rms_norm_of_gemma(x, weight, eps):
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + x.dtype.type(eps)) * (1 + weight)


def rms_norm_with_eps_outside(x, weight, eps):
    return x / (np.sqrt((x * x).mean(-1, keepdims=True)) + x.dtype.type(eps)) * weight


FOLLOWERS = [(l2_floor, "l2_norm", {"eps_placement": "floor"}), (rms_norm_1e_6, "rms_norm", {"eps": 1e-6}),
             (rms_norm_of_gemma, "rms_norm", {"zero_centred_gamma": True})]


@pytest.mark.parametrize("fn, op, convention", FOLLOWERS)
def test_a_function_with_a_convention_of_libraries_passes_at_the_first_call(fn, op, convention):
    only = ["random*", "near_eps-*", "variance_near_eps*", "no_affine*"]
    with pytest.warns(ConventionWarning, match=next(iter(convention))):
        report = normproof.check(fn, op, only=only)
    assert report and not report.failures
    assert str(report).splitlines()[-2].startswith(f"convention: found_conventions_test.{fn.__name__} follows ")
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # an argument that names the convention stops the warning
        said = normproof.check(fn, op, only=only, **convention)
    assert said and [result.path for result in said.results] == [result.path for result in report.results]
    assert not normproof.check(fn, op, only=only, strict=True)


@pytest.mark.parametrize("fn, op, convention", FOLLOWERS)
def test_judge_finds_the_convention_too(fn, op, convention):
    x = np.random.default_rng(1).normal(size=(6, 8)).astype("f") * np.float32(1e-4)
    gamma = {} if op == "l2_norm" else {"gamma": np.linspace(0.5, 2, 8, dtype="f")}
    eps = {} if "eps" in convention else {"eps": 1e-3}
    with pytest.warns(ConventionWarning, match=next(iter(convention))):
        report = normproof.judge(fn, op, x=x, **gamma, **eps)
    assert report, str(report)
    assert normproof.judge(fn, op, x=x, **gamma, **eps, **convention)
    assert not normproof.judge(fn, op, x=x, **gamma, **eps, strict=True)


def test_the_convention_of_a_large_tensor_is_found_on_a_few_rows():
    x = np.random.default_rng(1).normal(size=(300, 256)).astype("f") * np.float32(1e-4)
    with pytest.warns(ConventionWarning, match="eps=1e-06"):
        report = normproof.judge(rms_norm_1e_6, "rms_norm", x=x, gamma=np.ones(256, "f"))
    assert report and report.results[0].path == "own/rms_norm/own-300x256-float32"


def test_two_conventions_at_once_are_found():
    def fn(x, weight):
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + np.float32(1e-6)) * (1 + weight)
    with pytest.warns(ConventionWarning, match="eps=1e-06, zero_centred_gamma=True"):
        assert normproof.check(fn, "rms_norm", only=["random*", "variance_near_eps*"])


def test_a_mistake_is_no_convention():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        report = normproof.check(rms_norm_with_eps_outside, "rms_norm")
        assert "eps: outside the root" in report.mistakes
        assert not normproof.check(lambda x, weight, eps: rms_norm_of_gemma(x, weight * 2, eps), "rms_norm")
        assert not normproof.check(lambda x, eps: l2_floor(x, 2 * eps), "l2_norm", only="near_eps*")
        assert not normproof.check(lambda x, eps: x * 0, "l2_norm")


def rms_norm_without_eps(x, weight):
    return x / np.sqrt((x * x).mean(-1, keepdims=True)) * weight


def test_an_eps_that_is_not_in_the_code_is_no_convention():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with np.errstate(all="ignore"):
            assert not normproof.check(rms_norm_without_eps, "rms_norm")
            assert not normproof.judge(rms_norm_without_eps, "rms_norm", x=np.full((1, 4), np.float32(1e-3)), gamma=np.ones(4, "f"))
        assert not normproof.check(lambda x, weight: x / np.sqrt((x * x).mean(-1, keepdims=True) + np.float32(0.1)) * weight,
                                   "rms_norm", only="variance_near_eps*")


def test_an_eps_of_the_code_may_be_a_default_a_variable_or_that_of_a_library():
    outer = 1e-6

    def by_default(x, weight, small=1e-6):
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + np.float32(small)) * weight

    def by_closure(x, weight):
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + np.float32(outer)) * weight
    for fn, sources in ((by_closure, None), (by_default, {"small": 1e-6})):
        with pytest.warns(ConventionWarning, match="eps=1e-06"):
            assert normproof.check(fn, "rms_norm", only="variance_near_eps*", arguments=sources)


def test_a_function_of_matrices_is_judged_by_matrices():
    def batch_norm(x, gamma, beta, eps):
        return (x - x.mean(0)) / np.sqrt(x.var(0) + np.float32(eps)) * gamma + beta
    with pytest.warns(ConventionWarning, match='layout="NC"'):
        assert normproof.check(batch_norm, "batch_norm", only=["random*", "odd*"])


def test_options_that_calls_show_are_said_in_a_warning():
    def attention(q, k, v):
        scores = q @ k.swapaxes(-1, -2) / np.sqrt(np.float32(q.shape[-1]))
        scores = np.where(np.tril(np.ones(scores.shape[-2:], bool)), scores, -np.inf)
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        return weights / weights.sum(-1, keepdims=True) @ v
    with pytest.warns(ConventionWarning, match='causal=True, mask_corner="top_left", as calls of it show'):
        report = normproof.check(attention, "attention", only=["random*", "causal*"])
    assert report and "convention: " in str(report)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert normproof.check(attention, "attention", only=["random*", "causal*"], causal=True, mask_corner="top_left")


def test_a_convention_that_the_caller_says_is_not_replaced():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not normproof.check(l2_floor, "l2_norm", eps_placement="inside", only="near_eps*")
        assert not normproof.check(rms_norm_1e_6, "rms_norm", eps=1e-5, only="variance_near_eps*")
        assert not normproof.judge(rms_norm_1e_6, "rms_norm", x=np.full((2, 4), np.float32(1e-4)), gamma=np.ones(4, "f"), eps=1e-5)


def test_the_command_of_a_report_says_the_convention():
    with pytest.warns(ConventionWarning):
        report = normproof.check(l2_floor, "l2_norm", only="near_eps-*")
    assert 'eps_placement="floor"' in report.facts["command"] and 'eps_placement="floor"' in report.repro()


def test_each_case_is_certified_again_with_an_option_that_a_function_has():
    report = normproof.check(lambda x, gamma, beta: kernels.layer_norm(x, gamma, beta, np.float32(1e-3)), "layer_norm", eps=1e-3,
                             only=["random*", "eps*"])
    assert report and not report.declined and "eps is 0.001" in report.conventions
    assert any(result.path.startswith("own/layer_norm/eps_0") for result in report.results)


def test_a_case_of_pytest_is_certified_again_with_the_options_of_the_function():
    case = normproof.case("quick/l2_norm/near_eps-7x16-float32")
    assert case.check(lambda x: l2_floor(x, 0.5), eps=0.5, eps_placement="floor").passed
    with pytest.raises(normproof.Mismatch, match="right for eps_placement='floor'"):
        case.check(l2_floor)
    with pytest.raises(normproof.UsageError, match="l2_norm has no 'groups'"):
        case.check(l2_floor, groups=3)


def test_relations_are_asked_of_the_case_that_was_certified_again():
    report = normproof.check(lambda x: l2_floor(x, 0.5), "l2_norm", eps=0.5, eps_placement="floor", relations="repeat,batch",
                             only="random-3x5x6*")
    assert report and not [one for one in report.relations if one.outcome == "declined"]


@pytest.mark.parametrize("options, sentence", [
    ({"eps_placement": "middle"}, "middle"), ({"eps": "small"}, "eps='small'; expected a number"),
    ({"x": np.ones(3)}, "x= is a tensor of l2_norm"), ({"groups": 3}, "l2_norm has no 'groups'"), ({"eps": -1.0}, "eps")])
def test_an_option_that_no_function_can_have_is_refused_in_one_sentence(options, sentence):
    with pytest.raises(normproof.UsageError, match=sentence) as found:
        normproof.check(l2_floor, "l2_norm", **options)
    assert "\n" not in str(found.value)
