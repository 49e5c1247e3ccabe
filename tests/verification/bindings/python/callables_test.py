"""Tests that every kind of callable is understood: kernels that write, classes with __call__, and what they return."""
import kernels
import numpy as np
import pytest

import normproof
from normproof import names


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


class ScaledNorm(Norm):
    def __init__(self, features, eps):
        super().__init__(features, eps)
        self.scale, self.shift = self.__dict__.pop("gain"), np.ones(features, "f")

    def __call__(self, x):
        return kernels.layer_norm(x, self.scale, self.shift, self.eps)


def test_scale_and_shift_are_gamma_and_beta():
    assert normproof.check(ScaledNorm, "layer_norm", only="[or]*")


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
                                      ("swish", "silu"), ("sdpa", "attention"), ("CrossEntropy", "cross_entropy"),
                                      ("BatchNorm2d", "batch_norm"), ("gelu_new", "gelu_tanh")])
def test_operations_have_other_names(name, op):
    needed = list(names.tensor_names(op)[0])
    assert normproof.check(lambda *values, **named: None, name, arguments=needed, only="random*").op == op


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


def test_an_unknown_name_of_an_operation_is_refused_with_the_nearest_one():
    for name in ("layer_nrom", "layer\0norm", "\ud800"):
        with pytest.raises(normproof.UsageError, match="is unknown; expected"):
            normproof.check(lambda x: x, name)


def test_an_accumulation_may_have_a_short_name():
    def sums_in_bfloat16(x):
        y = kernels.rms_norm(x, np.float32(1), np.float32(1e-5))
        return y * np.float32(1.004)
    given = {"only": "random*", "arguments": {"eps": 1e-5}}
    assert not normproof.check(lambda x, eps: sums_in_bfloat16(x), "rms_norm", **given)
    assert normproof.check(lambda x, eps: sums_in_bfloat16(x), "rms_norm", accumulation="bf16", **given)


def adam(p, g, m, v, step, lr, beta1, beta2, eps):
    kind = p.dtype.type
    m, v = kind(beta1) * m + kind(1 - beta1) * g, kind(beta2) * v + kind(1 - beta2) * g * g
    m_hat, v_hat = m / kind(1 - beta1 ** float(step[0])), v / kind(1 - beta2 ** float(step[0]))
    return p - kind(lr) * m_hat / (np.sqrt(v_hat) + kind(eps)), m, v


@pytest.mark.parametrize("counted", [lambda case: case.iterations + 1, lambda case: case.tensors["iterations"].array() + 1])
def test_a_function_of_the_case_reads_what_it_looks_up(counted):
    report = normproof.check(adam, "adam", arguments={"step": counted})
    assert report and not report.declined, str(report)


def test_a_function_of_the_case_that_looks_up_nothing_reads_nothing():
    with pytest.raises(normproof.UsageError, match="takes no iterations, which every case of adam has"):
        normproof.check(adam, "adam", arguments={"step": lambda case: np.ones(1)})


def test_optimizers_have_the_usual_names_and_defaults():
    def adamw(p, g, m, v, t, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, wd=0.01):
        p, m, v = adam(p * p.dtype.type(1 - lr * wd), g, m, v, t + 1, lr, *betas, eps)
        return p, m, v

    def sgd(p, g, buf, lr, momentum):
        buf = p.dtype.type(momentum) * buf + g
        return p - p.dtype.type(lr) * buf, buf
    assert normproof.check(adamw, "adamw") and normproof.check(sgd, "sgd")


def test_a_tensor_that_every_case_has_must_be_received():
    for op, fn, name in (("swiglu", lambda x: x, "gate"), ("add_rms_norm", lambda x, w, eps: x, "residual"),
                         ("adamw", lambda params, lr: params, "first_moment")):
        with pytest.raises(normproof.UsageError, match=f"takes no {name}, which every case of {op} has; expected a function of "):
            normproof.check(fn, op)


@pytest.mark.parametrize("order", ["gate, up", "x, y", "a, b", "x, gate"])
def test_the_operands_of_swiglu_have_many_names(order):
    namespace = {"np": np}
    first, second = order.split(", ")
    exec(f"def swiglu({order}):\n    return {first} / (1 + np.exp(-{first})) * {second}", namespace)
    assert normproof.check(namespace["swiglu"], "swiglu", only="random*")


class HeldNorm:
    """An object that holds its parameters, as a module does."""

    def __init__(self, features):
        self.weight, self.bias = 2 * np.ones(features, np.float32), np.ones(features, np.float32)
        self.eps = 1e-3

    def __call__(self, x):
        return kernels.layer_norm(x, self.weight, self.bias, np.float32(self.eps))


def test_an_object_that_holds_parameters_is_judged_with_them():
    held = HeldNorm(8)
    x = np.random.default_rng(1).standard_normal((4, 8)).astype(np.float32)
    assert normproof.judge(held, "layer_norm", x=x)
    with pytest.raises(normproof.UsageError, match="HeldNorm holds weight, bias of one shape; expected its class, or normproof.judge"):
        normproof.check(held, "layer_norm")


def rotate_half(x):
    half = x.shape[-1] // 2
    return np.concatenate([-x[..., half:], x[..., :half]], -1)


def test_rope_may_take_tables_of_one_element_per_feature():
    def apply_rotary(q, k, cos, sin):
        return q * cos + rotate_half(q) * sin, k * cos + rotate_half(k) * sin
    report = normproof.check(apply_rotary, "rope")
    assert report and len(report.declined) < len(report.results), str(report)
    assert all("interleaved" in result.text or "rotates every feature" in result.text for result in report.declined)
    assert "cos and sin have one element per feature" in str(report)
    x = np.random.default_rng(1).standard_normal((2, 3, 4)).astype(np.float32)
    angles = np.float32([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]])
    assert normproof.judge(apply_rotary, "rope", x=x, cos=np.cos(angles), sin=np.sin(angles))


@pytest.mark.parametrize("rotates", [(True, False), (False, True)])
def test_a_rotation_that_leaves_its_queries_or_its_keys_fails(rotates):
    def apply_rotary(q, k, cos, sin):
        return tuple(one * cos + rotate_half(one) * sin if is_rotated else one for one, is_rotated in zip((q, k), rotates))
    report = normproof.check(apply_rotary, "rope")
    assert not report and "of the results of two parameters that receive x, each case judges one" in str(report)


@normproof.cases("swiglu", only="random*")
def test_a_function_may_read_a_needed_tensor_of_its_case_by_itself(case):
    case.check(lambda x: x / (1 + np.exp(-x)) * case.gate)


def test_a_kernel_that_writes_nothing_is_said_to_write_nothing():
    for kernel in (lambda out, x, gamma, eps: None, lambda x, gamma, eps, out: None):
        report = normproof.check(kernel, "rms_norm", only="random*", dtype=["float32", "float64"])
        assert report.failures and all("writes nothing into the tensor that is y" in result.text for result in report.failures)

    def writes_nan(out, x, gamma, eps):
        out[...] = np.nan
    report = normproof.check(writes_nan, "rms_norm", only="random*")
    assert "every element is NaN" in str(report) and "writes nothing" not in str(report)
