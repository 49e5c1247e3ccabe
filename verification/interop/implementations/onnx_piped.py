"""The operators of ONNX that the pipe adapters offer: those of the board, and batch norm, statistics and bfloat16.

Momentum is the weight of the old value. The running variance is the biased one, and converted if a case has the unbiased
one. There is no mask, and no image.
"""
import numpy as np
from onnx import TensorProto

import normproof
from implementations import onnx_operators as operators
from package_adapter import Piped

THREE = ("float64", "float32", "float16")
WITH_RUNNING_STATISTICS = {"batch_norm"}
WITH_STATISTICS = {"layer_norm"}
FEATURES_BEHIND_SAMPLES = ("instance_norm", "group_norm")
SAME_DTYPE = ("layer_norm", "instance_norm", "group_norm")  # x, scale and bias must have one dtype
STATE_TYPES = {"float64": TensorProto.DOUBLE, "float32": TensorProto.FLOAT, "float16": TensorProto.FLOAT}


def widened(value):
    """Returns bfloat16 as float32, which ONNX runtimes can read from NumPy. The model casts it back."""
    return value.astype(np.float32) if value is not None and value.dtype.name == "bfloat16" else value


def norm(run, op, statistics):
    """Returns a norm as a function of NumPy arrays. `statistics`: whether it returns mean and rstd, too."""
    kind = operators.NORMS[op]

    def normed(x, eps, gamma=None, beta=None, groups=None):
        if kind.channels == 1 and x.ndim > 3:
            raise normproof.NotOffered("no images")
        cast_to = TensorProto.BFLOAT16 if x.dtype.name == "bfloat16" else None
        operators.require_float32_attributes(x.dtype.name, {"epsilon": eps})
        given = [None if value is None else value.dtype.name for value in (gamma, beta)]
        if op in SAME_DTYPE and "float32" in given and x.dtype.name != "float32":
            raise normproof.NotOffered("parameters of another dtype than x")
        wide, gamma, beta = map(widened, (x, gamma, beta))
        inputs, attributes = operators.norm_call(kind, wide, eps, gamma, beta, groups)
        types = {"y": operators.TYPES[wide.dtype.name]}
        if statistics:
            types.update(mean=TensorProto.FLOAT, rstd=TensorProto.FLOAT)
        written = operators.model(kind.operator, kind.opset, inputs, attributes, types, cast_to)
        outputs = dict(zip(types, run(written, inputs, list(types))))
        if not kind.bias and beta is not None:
            outputs["y"] = outputs["y"] + beta  # the operator has no bias
        for name in ("mean", "rstd"):
            if name in outputs:
                outputs[name] = outputs[name].reshape(x.shape[:-1])
        return outputs

    if kind.groups:
        return lambda x, eps, groups, gamma=None, beta=None: normed(x, eps, gamma, beta, groups)
    return lambda x, eps, gamma=None, beta=None: normed(x, eps, gamma, beta)


def batch_norm(run):
    """Returns a function for BatchNormalization over rows, which also returns the state."""
    def normed(x, eps, training, running_mean, running_variance, running_decay, unbiased_running_variance, gamma=None,
               beta=None):
        rows, features, dtype = x.reshape(-1, x.shape[-1]), x.shape[-1], x.dtype.name
        numbers = {"epsilon": eps, **({"momentum": running_decay} if training else {})}
        operators.require_float32_attributes(dtype, numbers)
        inputs = {"x": rows, "gamma": np.ones(features, x.dtype) if gamma is None else widened(gamma),
                  "beta": np.zeros(features, x.dtype) if beta is None else widened(beta),
                  "running_mean": running_mean, "running_variance": running_variance}
        types = {"y": operators.TYPES[dtype]}
        if training:
            types.update(new_running_mean=STATE_TYPES[dtype], new_running_variance=STATE_TYPES[dtype])
        written = operators.model("BatchNormalization", 15, inputs, {"training_mode": int(training), **numbers}, types)
        y, *state = run(written, inputs, list(types))
        mean, variance = state or (running_mean, running_variance)
        if training and unbiased_running_variance:
            variance = biased_to_unbiased(running_variance, variance, running_decay, len(rows))
        return {"y": y.reshape(x.shape), "running_mean": mean, "running_variance": variance}
    return normed


def biased_to_unbiased(before, after, decay, rows):
    """Returns the running variance as if the step had used the unbiased variance, computed in float64."""
    kept = decay * before.astype(np.float64)
    return (kept + (after.astype(np.float64) - kept) * (rows / (rows - 1))).astype(after.dtype)


def functions(runtime, norms, not_in_float64=()):
    """Returns the operators that a runtime has.

    norms            pairs of a norm and its dtypes. Mean and rstd of layer_norm are judged except in float64
    not_in_float64   functions that the runtime does not have in float64
    """
    run, found = operators.runner(runtime), []
    for op, dtypes in norms:
        if op in WITH_RUNNING_STATISTICS:
            found.append(Piped(op, batch_norm(run), dtypes, "y,running_mean,running_variance"))
            continue
        statistics = op in WITH_STATISTICS
        judged = "y,mean,rstd" if statistics and "float64" not in dtypes else "y"
        layout = "channels_first" if op in FEATURES_BEHIND_SAMPLES else None
        found.append(Piped(op, norm(run, op, statistics), dtypes, judged, layout=layout))
    everywhere = [op for op in operators.FUNCTIONS if op not in not_in_float64]
    return found + [Piped(op, operators.function(run, op), THREE, "y") for op in everywhere] + [
        Piped(op, operators.function(run, op), THREE[1:], "y") for op in not_in_float64]
