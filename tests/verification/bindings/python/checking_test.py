"""Tests normproof.check with NumPy: what passes, how failures are named, and invalid arguments."""
import os
import signal
import time
import warnings

import kernels
import numpy as np
import pytest

import normproof
from normproof import corpus
from normproof.corpus import Corpus
from normproof.stored import Stored


def test_a_correct_layer_passes_every_case():
    report = normproof.check(kernels.layer_norm, "layer_norm")
    assert report and len(report.results) > 40
    assert all("zero_centred_gamma" in result.path for result in report.declined), report.declined
    assert 0 < report.worst.ratio <= 1
    assert "PASSED" in str(report) and "forward alone" in str(report)


def test_eps_outside_the_root_is_named_as_the_mistake():
    report = normproof.check(kernels.eps_outside, "layer_norm")
    assert not report
    assert report.mistakes.most_common(1)[0][0] == "eps: outside the root"
    assert "agrees with 'eps: outside the root'" in str(report)


def test_backward_is_judged():
    report = normproof.check(kernels.layer_norm, "layer_norm", backward=kernels.layer_norm_backward, only="[or]*")
    assert report
    assert {tensor["name"] for tensor in report.results[-1].tensors} >= {"y", "grad_x", "grad_gamma", "grad_beta"}

    def without_a_mean(grad_y, x, gamma, beta, eps):
        grad_x, *others = kernels.layer_norm_backward(grad_y, x, gamma, beta, eps)
        return grad_x + 1, *others
    wrong = normproof.check(kernels.layer_norm, "layer_norm", backward=without_a_mean, only="random*")
    assert not wrong and "grad_x" in wrong.failures[0].text


def test_gradients_that_the_function_returns_are_judged():
    def both(x, gamma, beta, eps, grad_y):
        return (kernels.layer_norm(x, gamma, beta, eps), *kernels.layer_norm_backward(grad_y, x, gamma, beta, eps))
    named = "y,grad_x,grad_gamma,grad_beta"
    report = normproof.check(both, "layer_norm", outputs=named)
    assert report and "gradients by the function itself" in str(report)
    of_ones = next(result for result in report.results if "/no_affine" in result.path)
    assert {tensor["name"] for tensor in of_ones.tensors} == set(named.split(","))

    def wrong_of_ones(x, gamma, beta, eps, grad_y):
        y, grad_x, grad_gamma, grad_beta = both(x, gamma, beta, eps, grad_y)
        return y, grad_x, grad_gamma + (gamma == 1).all(), grad_beta
    wrong = normproof.check(wrong_of_ones, "layer_norm", outputs=named, only="no_affine*")
    assert not wrong and "grad_gamma at" in wrong.failures[0].text and "is absent" not in str(wrong)


def test_gradients_of_parameters_that_a_case_lacks_are_optional():
    def without_them(x, gamma, beta, eps, grad_y):
        y = kernels.layer_norm(x, gamma, beta, eps)
        grad_x, grad_gamma, grad_beta = kernels.layer_norm_backward(grad_y, x, gamma, beta, eps)
        of_ones = (gamma == 1).all() and (beta == 0).all()
        return {"y": y, "grad_x": grad_x, **({} if of_ones else {"grad_gamma": grad_gamma, "grad_beta": grad_beta})}
    named = "y,grad_x,grad_gamma,grad_beta"
    assert normproof.check(without_them, "layer_norm", outputs=named, only="no_affine*")

    def without_a_gradient(**given):
        return {name: value for name, value in without_them(**given).items() if name != "grad_gamma"}
    report = normproof.check(lambda x, gamma, beta, eps, grad_y: without_a_gradient(x=x, gamma=gamma, beta=beta, eps=eps,
                             grad_y=grad_y), "layer_norm", outputs=named, only="odd*")
    assert not report and "grad_gamma is absent" in report.failures[0].text


def test_a_case_is_certified_again_without_a_parameter_that_the_function_lacks():
    report = normproof.check(kernels.rms_norm, "rms_norm")
    assert report and "takes no beta" in str(report)
    assert all("zero_centred_gamma" in result.path for result in report.declined), report.declined
    assert report.results[0].path.startswith("own/rms_norm/")
    again = normproof.check(kernels.rms_norm, "rms_norm", only=report.results[0].path)
    assert len(again.results) == 1
    wrong = normproof.check(lambda x, gamma, eps: kernels.rms_norm(x, gamma, 0 * eps), "rms_norm", only="variance*")
    assert not wrong and "variance comparable with eps" in str(wrong) and "caller's own" not in str(wrong)


def test_an_option_that_the_function_lacks_declines_all_but_its_default():
    report = normproof.check(lambda x, gamma, beta: kernels.layer_norm(x, gamma, beta, 1e-5), "layer_norm")
    assert report.declined and not report.failures
    assert "takes no option eps" in report.declined[0].text


def test_dtype_and_only_accept_several_values():
    report = normproof.check(kernels.relu, "relu", dtype=["float64", "float16"], only=["random*", "tails*"])
    assert report and {result.path.rpartition("-")[2] for result in report.results} == {"float64", "float16"}


@pytest.mark.parametrize("returned, sentence", [
    (lambda x: None, "returned nothing; expected y"),
    (lambda x: x[:-1], "y has shape [2, 5, 6]; expected [3, 5, 6]"),
    (lambda x: (x[:1], x), "returned 2 values"),
    (lambda x: "text", "y is a str; expected a tensor of NumPy"),
    (lambda x: x.astype(complex), "y has a dtype complex128; expected a tensor of numbers"),
    (lambda x: 1 / 0, "raised ZeroDivisionError: division by zero"),
    (lambda x: x.astype(np.float16), "float16"),
    (lambda x: exec("import sys; sys.exit(3)"), "raised SystemExit: 3")])
def test_an_invalid_answer_fails_its_case_in_one_sentence(returned, sentence):
    report = normproof.check(returned, "relu", only="random*")
    assert len(report.failures) == 1 and sentence in report.failures[0].text
    assert report.failures[0].path == "quick/relu/random-3x5x6-float32"


def test_an_exception_fails_only_its_own_case():
    def sometimes(x):
        if x.shape[-1] == 31:
            raise RuntimeError("31 features")
        return kernels.relu(x)
    report = normproof.check(sometimes, "relu")
    assert [result.path for result in report.failures] == ["quick/relu/block_edge-3x31-float32"]


def test_a_hanging_case_ends_at_its_time_limit():
    def hangs(x):
        while True:
            pass
    before = time.monotonic()
    report = normproof.check(hangs, "relu", only="random*", seconds=0.5)
    assert "no answer within 0.5 seconds" in report.failures[0].text and time.monotonic() - before < 60


def test_a_forked_child_is_ended_and_reported():
    def forks(x):
        os.fork()
        return kernels.relu(x)
    here = os.getpid()
    report = normproof.check(forks, "relu", only="random*")
    assert os.getpid() == here and "it forked" in report.failures[0].text


def test_printed_output_is_kept(capsys):
    def prints(x):
        print("PASSED")
        return kernels.relu(x)
    assert normproof.check(prints, "relu", only="random*")
    assert capsys.readouterr().out == 3 * "PASSED\n", "the case, and the relation new_numbers"


def test_writing_into_an_input_fails_the_case():
    def in_place(x):
        x[0, 0, 0] = 7
        return x
    report = normproof.check(in_place, "relu", only="random*")
    assert "it wrote into x, at [0, 0, 0]; expected inputs that are unchanged" in report.failures[0].text


@pytest.mark.parametrize("caught", [Exception, BaseException])
def test_the_function_cannot_catch_the_time_limit(caught):
    def hangs(x):
        try:
            while True:
                pass
        except caught:
            return kernels.relu(x)
    report = normproof.check(hangs, "relu", only="random*", seconds=0.3)
    assert "no answer within 0.3 seconds" in report.failures[0].text


def test_the_time_limit_ends_a_function_that_catches_every_exception():
    def hangs(x):
        while True:
            try:
                while True:
                    pass
            except Exception:
                pass
    report = normproof.check(hangs, "relu", only="random*", seconds=0.3)
    assert "no answer within 0.3 seconds" in report.failures[0].text
    assert normproof.check(kernels.relu, "relu", only="random*", seconds=None)


@pytest.mark.parametrize("dtype", [np.float32, np.dtype("float32"), [np.float32, "float64"], float, (np.float16,)])
def test_dtype_accepts_numpy_dtypes(dtype):
    assert normproof.check(kernels.relu, "relu", dtype=dtype, only="random*")


def test_keyword_arguments_receive_the_remaining_names():
    seen = []

    def layer_norm(x, **rest):
        seen.append(sorted(rest))
        return kernels.layer_norm(x, rest["gamma"], rest["beta"], rest["eps"])

    def backward(grad_y, x, **rest):
        seen.append(sorted(rest))
        return kernels.layer_norm_backward(grad_y, x, rest["gamma"], rest["beta"], rest["eps"])
    assert normproof.check(layer_norm, "layer_norm", only="random*", backward=backward)
    assert seen == 3 * [["beta", "eps", "gamma"], ["beta", "eps", "gamma", "y"]]
    assert normproof.check(lambda *x, **rest: kernels.relu(rest["x"]), "relu", only="random*")


@pytest.mark.parametrize("arguments, sentence", [
    ({"op": "layer_nrom"}, "op='layer_nrom' is unknown; expected 'layer_norm'"),
    ({"dtype": "f33"}, "dtype='f33'; expected one or several of float64"),
    ({"dtype": int}, "dtype=<class 'int'>; expected one or several of float64"),
    ({"dtype": []}, "dtype=[] is empty; expected one or several of float64"),
    ({"only": 3}, "only=3; expected a glob or several, or None for all cases"),
    ({"outputs": 3}, "outputs=3; expected names as 'y,grad_x', a list of them, or None for all"),
    ({"outputs": []}, "outputs=[]; expected names"),
    ({"xfail": 3}, "xfail=3; expected a glob or several, of cases that are known to fail"),
    ({"relations": 3}, "relations=3; expected names of normproof.RELATIONS, or 'all'"),
    ({"arguments": 3}, "arguments=3; expected a mapping from names of arguments to names"),
    ({"flush_subnormals": "yes"}, "flush_subnormals='yes'; expected True or False"),
    ({"accumulation": 3}, "accumulation=3; expected a text"),
    ({"backward": 3}, "backward=3; expected a function of grad_y, or None"),
    ({"fn": np.ones((20, 30))}, "fn=ndarray float64 [20, 30]; expected a function, or a class of modules"),
    ({"op": np.ones((20, 30))}, "op=ndarray float64 [20, 30] is unknown; expected one of adam"),
    ({"seconds": float("inf")}, "seconds=inf; expected a number above 0 and up to 1e+06, or None for no limit"),
    ({"only": []}, "only=[] chooses no case; expected a glob or several"),
    ({"seconds": -1}, "seconds=-1; expected a number above 0 and up to 1e+06, or None for no limit"),
    ({"seconds": 0}, "seconds=0; expected a number above 0"),
    ({"seconds": float("nan")}, "seconds=nan; expected a number above 0"),
    ({"device": "cuda"}, "device='cuda', but arrays of NumPy are on the CPU; expected 'cpu'"),
    ({"fn": lambda *args: args}, "<lambda> takes any arguments; expected arguments=[...]"),
    ({"tier": "slow"}, "tier='slow'; expected one of quick, standard, full"),
    ({"only": ""}, "only='' chooses no case; expected a glob or several, or None for all of them"),
    ({"only": ["random*", ""]}, "only=['random*', ''] chooses no case"),
    ({"xfail": "*/relu/nothing*"}, "xfail: '*/relu/nothing*' matches no case; expected a path, such as quick/relu/"),
    ({"xfail": ["*/relu/random*", "random*"]}, "xfail: 'random*' matches no case; expected a path"),
    ({"only": "nothing*"}, "no case of relu in float32, tier quick, matches quick/relu/nothing*"),
    ({"relations": "twice"}, "relation 'twice'; expected one of strides"),
    ({"layout": "HWCN"}, "layout='HWCN'; expected one of 'channels_first', 'channels_last', 'NC', 'NCL', 'NCHW'"),
    ({"framework": "pandas"}, "framework='pandas'; expected one of torch"),
    ({"outputs": "yy"}, "yy"),
    ({"arguments": {"z": "gamma"}}, "has no argument 'z' that arguments= names"),
    ({"fn": 7}, "fn=7; expected a function, or a class of modules"),
    ({"fn": lambda x, scale_of_all: x}, "its argument 'scale_of_all' is none that relu is known to have")])
def test_an_invalid_argument_is_rejected_in_one_sentence(arguments, sentence):
    given = {"fn": kernels.relu, "op": "relu", **arguments}
    with pytest.raises(normproof.UsageError) as caught:
        normproof.check(given.pop("fn"), given.pop("op"), **given)
    assert sentence in str(caught.value) and "\n" not in str(caught.value)


def test_an_expected_failure_that_passes_fails_the_report():
    known = normproof.check(kernels.eps_outside, "layer_norm", only="variance*", xfail="*/layer_norm/variance*")
    assert known and known.results[0].outcome == "xfail"
    passes = normproof.check(kernels.layer_norm, "layer_norm", only="variance*", xfail="*/layer_norm/variance*")
    assert not passes and passes.results[0].outcome == "xpass"
    elsewhere = normproof.check(kernels.layer_norm, "layer_norm", only="odd*", xfail=["*-bfloat16", "own/*/*float32"])
    assert elsewhere and elsewhere.results[0].outcome == "passed"


def test_the_state_of_a_sequence_is_passed_from_step_to_step():
    def batch_norm(x, gamma, beta, running_mean, running_variance, running_decay, eps, training, valid,
                   unbiased_running_variance):
        if not valid.all():
            raise normproof.NotOffered("a mask")
        axes = tuple(range(x.ndim - 1))
        with np.errstate(all="ignore"):
            mean, variance = (x.mean(axes), x.var(axes)) if training else (running_mean, running_variance)
            y = gamma * ((x - mean) / np.sqrt(variance + x.dtype.type(eps))) + beta
            if not training:
                return y, running_mean, running_variance
            n = x.size // x.shape[-1]
            factor = n / (n - 1) if unbiased_running_variance else 1
            decay = x.dtype.type(running_decay)
            return (y, decay * running_mean + (1 - decay) * mean,
                    decay * running_variance + (1 - decay) * x.dtype.type(factor) * variance)
    report = normproof.check(batch_norm, "batch_norm", outputs="y,running_mean,running_variance",
                             only=["*steps*", "random*", "*inference*"])
    assert report and any("steps" in result.path for result in report.results)


def test_a_corpus_can_be_closed_when_ctypes_is_gone(monkeypatch):
    opened = corpus.Corpus()
    monkeypatch.setattr(corpus, "C", None)  # as modules are then
    opened.close()
    opened.close()


@pytest.mark.parametrize("seconds", [1e-9, 1e-6])
def test_a_time_limit_that_expires_at_once_fails_the_case(seconds):
    report = normproof.check(kernels.layer_norm, "layer_norm", only="random*", seconds=seconds)
    assert "no answer within" in report.failures[0].text
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


def plain_layer_norm(x, gamma, beta, eps):
    centered, variance = kernels.row_statistics(x)
    return gamma * (centered / np.sqrt(variance + x.dtype.type(eps))) + beta


@pytest.mark.parametrize("options", [{}, {"isolate": True}, {"relations": "repeat"}])
def test_numpy_does_not_warn_of_cases_with_nan_or_infinity(options, recwarn, capfd):
    assert normproof.check(plain_layer_norm, "layer_norm", only=["*nan*", "*inf*"], **options).results
    assert [str(one.message) for one in recwarn] == [] and "RuntimeWarning" not in capfd.readouterr().err


def test_other_warnings_remain(recwarn):
    def overflows(x):
        return np.maximum(x, 0) + 0 * np.exp(np.full(x.shape, 1e4, x.dtype))
    normproof.check(overflows, "relu", only="random*")
    assert "overflow encountered in exp" in str(recwarn.list[0].message)

    def warns(x):
        warnings.warn("of the user")
        return np.maximum(x, 0)
    normproof.check(warns, "relu", only="*nan*")
    assert "of the user" in str(recwarn.list[-1].message)


def diagnoses(opened, fn):
    """Judges y of fn, to which gamma and beta are applied, for every case of a handle. Returns each diagnosis."""
    found = []
    for index in range(len(opened)):
        case = opened.select(index)
        with np.errstate(all="ignore"):
            y = fn(case.tensors["x"].data, np.float32(case.options["eps"]))
        for name, apply in (("gamma", np.multiply), ("beta", np.add)):
            y = apply(y, case.tensors[name].data) if name in case.tensors else y
        opened.answer("y", Stored("float32", np.asarray(y, np.float32)))
        found.append(opened.judge().json.get("diagnosis"))
    return found


def test_a_second_candidate_of_a_handle_is_diagnosed_as_if_it_were_the_first():
    def biased(x, eps):
        return x / np.sqrt((x * x).sum(-1, keepdims=True) / (x.shape[-1] - 1) + eps)

    def biased_in_wide_rows(x, eps):
        return biased(x, eps) if x.shape[-1] > 6 else x / np.sqrt((x * x).mean(-1, keepdims=True) + eps)

    def unknown_mistake(x, eps):
        return biased(x, eps) * np.where(np.arange(x.shape[-1]) % 2, 1.01, 0.993)
    folder, glob = os.environ["NORMPROOF_CORPUS"], "quick/rms_norm/[nor]*-float32"
    with Corpus(folder, glob) as first, Corpus(folder, glob) as both:
        for opened in (first, both):
            opened.set("outputs", "y")
        diagnoses(both, unknown_mistake)
        expected = diagnoses(first, biased_in_wide_rows)
        assert sum("n - 1" in str(found) for found in expected) > 1, expected
        assert diagnoses(both, biased_in_wide_rows) == expected
