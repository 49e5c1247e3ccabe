"""Tests that each operation is understood when it is called by the signature that users give to it."""
import functools
import pathlib
import sys

import kernels
import numpy as np
import pytest

import normproof

sys.path.insert(0, str(pathlib.Path(__file__).parents[4] / "verification" / "interop"))
import numpy_formulas  # noqa: E402
import protocol  # noqa: E402

# The parameters of a function in the usual order. "a/b" is a parameter b that stands for the name a of the corpus.
NORM = "x, gamma/weight=None, beta/bias=None, eps=1e-5"
RESIDUAL = NORM.replace("x,", "x, residual,")
ADAM = ("parameter/params, grad_parameter/grad, first_moment/exp_avg, second_moment/exp_avg_sq, iterations/step, learning_rate/lr, "
        "beta1, beta2, eps")
STATE = "running_mean, running_variance/running_var"
SIGNATURES = {
    **dict.fromkeys(("relu", "gelu", "gelu_tanh", "silu", "relu_squared", "sigmoid", "log_sigmoid", "tanh", "mish"), "x/input"),
    "softplus": "x/input, beta, threshold", "swiglu": "x/gate, gate/up, limit=None, alpha=1.0, beta=0.0", "geglu": "x, gate",
    **dict.fromkeys(("softmax", "log_softmax", "log_sum_exp"), "x/input, /dim=-1"), "l2_norm": "x/input, eps, eps_placement",
    "layer_norm": f"{NORM}, zero_centred_gamma=False", "rms_norm": NORM.replace(" beta/bias=None,", ""),
    "scale_norm": "x, gamma/scale, eps", "group_norm": "x, groups/num_groups, gamma/weight=None, beta/bias=None, eps=1e-5",
    "instance_norm": NORM, "group_scaling": "x, groups/num_groups, eps", "dyt": "x, alpha, gamma/weight, beta/bias, alpha0=0.5",
    "add_layer_norm": RESIDUAL, "add_rms_norm": RESIDUAL.replace(" beta/bias=None,", ""),
    "batch_norm": f"x/input, {STATE}, gamma/weight=None, beta/bias=None, /training=False, running_decay=0.9, eps=1e-5, "
                  "unbiased_running_variance=True",
    "batch_renorm": f"x, {STATE}, gamma/weight, beta/bias, /training, running_decay, eps, r_max, d_max",
    "power_norm_v": "x, running_psi2, gamma/weight, beta/bias, /training, running_decay, eps",
    "power_norm": "x, running_psi2, nu, iterations, gamma/weight, beta/bias, /training, eps, alpha_forward, alpha_backward, "
                  "warmup_iterations",
    "power_norm_released": "x, running_psi2, nu, iterations, gamma/weight, beta/bias, /training, **others",
    "gated_rms_norm": "x/hidden_states, gate/z, gamma/weight=None, beta/bias=None, eps=1e-5, groups=1, "
                      "gate_position='after', gate_activation='silu'",
    "rope": "x/q, cos, sin, interleaved=False",
    "attention": "q/query, k/key, v/value, causal/is_causal=False, scale=None, sinks/s_aux=None, bias/attn_bias=None",
    "merge_attention_states": "o/outputs, log_sum_exp/lse, log_sum_exp_base=\"e\"",
    "cross_entropy": "logits/input, targets/target, class_weights/weight=None, label_smoothing=0.0",
    "sgd": "parameter/param, grad_parameter/grad, learning_rate/lr, momentum, velocity=None", "adam": ADAM,
    "adamw": ADAM + ", weight_decay",
    "encoder_layer": "x/src, num_heads, valid=None, /training=True, **parameters",
    "decoder_layer": "x/tgt, memory, num_heads, valid=None, memory_valid=None, /training=True, **parameters",
    "encoder": "tokens, labels, valid=None, /training=True, **parameters", "language_model": "tokens, /training=True, **parameters",
    "translator": "/training=True, **parameters", "decoding": "tokens, /training=False, **parameters"}
STATE_NAMES = ("running_mean", "running_variance", "running_psi2", "iterations", "velocity", "first_moment", "second_moment")
MAIN = ("y", "loss", "parameter", "logits")


def options_by_name(op):
    return {name: protocol.parse_option(text) for name, text in normproof.names.default_options(op).items()}


@functools.lru_cache(maxsize=None)
def cases(op):
    with normproof.corpus.Corpus(normproof.folders.tier_folder("quick", op), f"quick/{op}/*-float64") as corpus:
        return [corpus.select(index) for index in range(len(corpus))]


def certified(op, training, given):
    """Returns the certified outputs of the case that has these tensors and options."""
    def agrees(case, name, value):
        return np.array_equal(case.tensors[name].data, value) if name in case.tensors else case.options.get(name) == value
    for case in cases(op):
        if case.training == training and all(agrees(case, name, value) for name, value in given.items()):
            return {name: value for name, value in kernels.exact(case).items() if not name.startswith("grad_")}
    raise normproof.NotOffered("a case that is not in the corpus")


def answer(op, training=True, **given):
    """Returns the outputs of the forward, and the state if it changes, by the formulas of verification/interop."""
    given = {name: value for name, value in given.items() if value is not None}
    if op in ("encoder_layer", "decoder_layer", "encoder"):  # of which there are no such formulas
        return certified(op, training, given)
    tensors = {name: np.asarray(value) for name, value in given.items() if isinstance(value, np.ndarray)}
    options = {**options_by_name(op), **{name: value for name, value in given.items() if name not in tensors}}
    if tensors.get("x") is not None:
        tensors.setdefault("grad_y", np.zeros(tensors["x"].shape))
        if op.startswith("add_"):
            tensors.setdefault("grad_sum", np.zeros(tensors["x"].shape))
    if "o" in tensors:
        tensors["grad_y"] = np.zeros(tensors["o"].shape[1:])
    if "q" in tensors:
        tensors["grad_y"] = np.zeros((*tensors["q"].shape[:-1], tensors["v"].shape[-1]))
    if op == "sgd":
        tensors["iterations"] = np.zeros(1, np.int64)
    if op == "log_sum_exp":
        tensors["grad_y"] = np.zeros(tensors["x"].shape[:-1])
    case = protocol.Case(f"quick/{op}/natural-float64", op, training, False, options, "float64", tensors,
                         {name: str(array.dtype).replace("bool", "boolean") for name, array in tensors.items()})
    outputs = numpy_formulas.step(case)
    kept = {name: value for name, value in outputs.items()
            if name in (*MAIN, "sum") or op == "merge_attention_states" and name == "log_sum_exp" or name.rpartition(".")[2] in STATE_NAMES}
    if op == "sgd":
        del kept["iterations"]  # the function does not receive them
    return kept


def function_with(op, signature):
    """Returns a function with that signature, which passes its arguments to `answer` under the names of the corpus."""
    parameters, passed = [], []
    for one in signature.split(", "):
        known, _, rest = one.rpartition("/") if "/" in one else (one.split("=")[0], "", one)
        parameters.append(rest)
        if one.startswith("**"):
            passed.append(one)
        elif known or rest.startswith("training"):
            passed.append(f"{known or 'training'}={rest.split('=')[0]}")
    namespace = {"answer": answer}
    exec(f"def kernel({', '.join(parameters)}):\n    return answer({op!r}, {', '.join(passed)})", namespace)
    return namespace["kernel"]


def test_every_operation_has_a_natural_signature():
    # dtypes_test.py has the functions that convert to 8 bits and from 8 bits.
    assert {*SIGNATURES, "quantize", "dequantize"} == set(normproof.ops())


@pytest.mark.parametrize("op", SIGNATURES)
def test_an_operation_is_understood_by_its_natural_signature(op):
    report = normproof.check(function_with(op, SIGNATURES[op]), op, dtype="float64")
    passed = [result for result in report.results if result.passed]
    assert report and 2 * len(passed) >= len(report.results), str(report)
