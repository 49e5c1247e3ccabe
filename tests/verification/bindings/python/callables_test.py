"""Tests that every kind of callable is understood: kernels that write, classes with __call__, and what they return."""
import kernels
import numpy as np
import pytest

import normproof


def rms(x, w, eps):
    with np.errstate(all="ignore"):
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + x.dtype.type(eps)) * w


def conventions(report):
    return "; ".join(report.conventions)


def test_a_kernel_may_write_its_first_argument():
    def kernel(out, x, w, eps):
        out[...] = rms(x, w, eps)
    report = normproof.check(kernel, "rms_norm")
    assert report and "out receives y" in conventions(report)

    def wrong(out, x, w, eps):
        out[:, ..., :-1] = rms(x, w, eps)[..., :-1]
    assert not normproof.check(wrong, "rms_norm"), "an element that is not written is NaN"


def test_writes_names_the_output_of_an_argument():
    def kernel(destination, source, w, eps):
        destination[...] = rms(source, w, eps)
    report = normproof.check(kernel, "rms_norm", writes={"destination": "y"}, arguments={"source": "x"})
    assert report and "destination receives y" in conventions(report)
    with pytest.raises(normproof.UsageError, match="has no argument 'dst' that writes= names; it has"):
        normproof.check(rms, "rms_norm", writes={"dst": "y"})


def test_a_kernel_that_overwrites_its_inputs_is_recognized():
    def fused_add_rms_norm(x, residual, w, eps):
        with np.errstate(all="ignore"):
            residual += x
        x[...] = rms(residual, w, eps)
    report = normproof.check(fused_add_rms_norm, "fused_add_rms_norm")
    assert report and "it overwrites x with y" in conventions(report) and "it overwrites residual with sum" in conventions(report)

    def without_the_sum(x, residual, w, eps):
        with np.errstate(all="ignore"):
            x[...] = rms(x + residual, w, eps)
        residual *= 2
    assert not normproof.check(without_the_sum, "add_rms_norm")


def test_a_function_that_returns_a_value_may_still_not_write_its_inputs():
    def kernel(x, w, eps):
        y = rms(x, w, eps)
        x[...] = 0
        return y
    assert "wrote into x" in normproof.check(kernel, "rms_norm", only="random*").failures[0].text


def test_judge_recognizes_a_kernel_that_overwrites_x():
    def kernel(x, w, eps):
        x[...] = rms(x, w, eps)
    x = np.random.default_rng(1).normal(size=(4, 8)).astype("f")
    assert normproof.judge(kernel, "rms_norm", x=x, gamma=np.ones(8, "f"))
    assert not normproof.judge(lambda x, w, eps: None, "rms_norm", x=x, gamma=np.ones(8, "f"))


def with_rstd(x, gamma, beta, eps):
    with np.errstate(all="ignore"):
        variance = kernels.row_statistics(x)[1]
        return kernels.layer_norm(x, gamma, beta, eps), 1 / np.sqrt(variance + x.dtype.type(eps))


def test_the_first_of_several_returned_values_is_judged():
    report = normproof.check(with_rstd, "layer_norm", only="[or]*")
    assert report and "of 2 returned values the first is judged, as y" in conventions(report)
    assert not normproof.check(lambda x, gamma, beta, eps: (x, x), "layer_norm", only="random*")


def test_an_underscore_stands_for_a_value_that_is_not_judged():
    report = normproof.check(with_rstd, "layer_norm", only="[or]*", outputs="y,_")
    assert report and "returned values" not in conventions(report)
    with pytest.raises(normproof.UsageError, match="expected the name of an output that is judged, such as 'y,_'"):
        normproof.check(with_rstd, "layer_norm", outputs="_,_")


def test_a_statistic_may_keep_its_axis():
    report = normproof.check(with_rstd, "layer_norm", only="random*", outputs="y,rstd")
    assert report and "rstd" in str(report.results[0].tensors)


class Norm:
    """A LayerNorm without a framework."""

    def __init__(self, features, eps):
        self.gain, self.shift, self.eps = np.ones(features, "f"), np.zeros(features, "f"), np.float32(eps)

    def __call__(self, x):
        return kernels.layer_norm(x, self.gain, self.shift, self.eps)


def test_an_object_of_an_own_class_holds_the_parameters():
    members = {"gain": "gamma", "shift": "beta"}
    report = normproof.check(Norm, "layer_norm", only="[or]*", arguments=members)
    assert report and "gain is gamma" in conventions(report)
    assert not normproof.check(Norm, "layer_norm", only="random*", arguments={"gain": "beta", "shift": "gamma"})


def test_a_parameter_of_an_object_that_is_not_understood_is_named():
    with pytest.raises(normproof.UsageError, match="has a parameter 'gain' that stands for nothing known; expected arguments="):
        normproof.check(Norm, "layer_norm")
    with pytest.raises(normproof.UsageError, match="has no argument and no member 'weight' that arguments= names; it has gain, shift"):
        normproof.check(Norm, "layer_norm", arguments={"weight": "gamma"})


def test_an_instance_and_a_method_are_functions():
    class Engine:
        def __call__(self, x, weight, bias, eps):
            return kernels.layer_norm(x, weight, bias, eps)

        def run(self, x, weight, bias, eps):
            return self(x, weight, bias, eps)
    for fn in (Engine, Engine(), Engine().run):
        assert normproof.check(fn, "layer_norm", only="[or]*")


def test_a_call_that_does_not_fit_is_refused_in_one_sentence():
    def kernel(x, gamma, *rest):
        return rest[0](x)
    with pytest.raises(normproof.UsageError, match="cannot be called with x, gamma, eps: TypeError: .*; expected arguments="):
        normproof.check(lambda x, w: x, "rms_norm", arguments=["x", "gamma", "eps"])
    assert "raised IndexError" in normproof.check(kernel, "rms_norm", only="random*").failures[0].text


def test_a_momentum_that_is_an_option_is_passed():
    def sgd(p, grad, lr, momentum, velocity=None):
        if velocity is None:
            return p - p.dtype.type(lr) * grad
        moved = p.dtype.type(momentum) * velocity + grad
        return {"parameter": p - p.dtype.type(lr) * moved, "velocity": moved}
    report = normproof.check(sgd, "sgd")
    assert report and not report.declined, str(report)


@pytest.mark.parametrize("name, op", [("LayerNorm", "layer_norm"), ("layernorm", "layer_norm"), ("RMS-Norm", "rms_norm"),
                                      ("swish", "silu"), ("sdpa", "attention"), ("CrossEntropy", "cross_entropy")])
def test_operations_have_other_names(name, op):
    assert normproof.check(lambda *values, **named: None, name, arguments=["x"], only="random*").op == op


@pytest.mark.parametrize("name, dtype", [("fp32", "float32"), ("bf16", "bfloat16"), ("half", "float16"), ("FP64", "float64")])
def test_dtypes_have_short_names(name, dtype):
    from normproof.dtypes import dtype_names
    assert dtype_names(name) == [dtype]


def test_a_state_that_is_not_returned_is_said_not_to_be_judged():
    def batch_norm(x, running_mean, running_variance, gamma, beta, training, eps):
        rows = x.reshape(-1, x.shape[-1])
        with np.errstate(all="ignore"):
            mean, variance = (rows.mean(0), rows.var(0)) if training else (running_mean, running_variance)
            return (x - mean) / np.sqrt(variance + x.dtype.type(eps)) * gamma + beta
    report = normproof.check(batch_norm, "batch_norm", only="random*")
    assert "state not judged: running_mean and running_variance" in conventions(report)


def test_an_optimizer_may_return_its_moments_in_a_tuple():
    def adamw(p, grad, exp_avg, exp_avg_sq, step, lr, beta1, beta2, eps, weight_decay):
        t, dtype = float(step[0]) + 1, p.dtype.type
        m = exp_avg * dtype(beta1) + dtype(1 - beta1) * grad
        v = exp_avg_sq * dtype(beta2) + dtype(1 - beta2) * grad * grad
        root = np.sqrt(v / dtype(1 - beta2 ** t)) + dtype(eps)
        return p * dtype(1 - lr * weight_decay) - dtype(lr) * (m / dtype(1 - beta1 ** t)) / root, m, v
    report = normproof.check(adamw, "adamw")
    assert report, str(report)

    def without_moments(p, grad, exp_avg, exp_avg_sq, step, lr, beta1, beta2, eps, weight_decay):
        return adamw(p, grad, exp_avg, exp_avg_sq, step, lr, beta1, beta2, eps, weight_decay)[0], exp_avg, exp_avg_sq
    assert not normproof.check(without_moments, "adamw")


def test_gate_and_up_are_the_operands_of_swiglu():
    def silu(x):
        return x / (1 + np.exp(-x))
    for fn in (lambda gate, up: silu(gate) * up, lambda up, gate: silu(gate) * up, lambda x, gate: silu(x) * gate):
        assert normproof.check(fn, "swiglu", only="random*")
    assert not normproof.check(lambda gate, up: gate * silu(up), "swiglu", only="random*")


def test_a_kernel_that_overwrites_x_must_write_the_sum_too():
    def kernel(x, residual, w, eps):
        with np.errstate(all="ignore"):
            x[...] = rms(x + residual, w, eps)
    assert not normproof.check(kernel, "add_rms_norm", only="random*")
    assert normproof.check(kernel, "add_rms_norm", only="random*", outputs="y")


@pytest.mark.parametrize("source", ["gama", 1.0, lambda case: case.gamma])
def test_a_member_holds_a_tensor_or_keeps_its_value(source):
    with pytest.raises(normproof.UsageError, match="expected the name of a tensor that it holds, of gamma, beta, alpha"):
        normproof.check(Norm, "layer_norm", arguments={"gain": source, "shift": "beta"})


def test_a_misspelled_name_in_arguments_is_a_usage_error():
    with pytest.raises(normproof.UsageError, match="arguments= names 'gama'; expected 'gamma'"):
        normproof.check(rms, "rms_norm", arguments={"w": "gama"})


@pytest.mark.parametrize("name", ["d", "n_embd", "hidden_dim", "embedding_dim", "width", "units"])
def test_constructors_have_many_names_for_the_number_of_features(name):
    from normproof.names import meaning
    assert meaning(name, {"x", "gamma", "eps"}, constructor=True) == "features"
