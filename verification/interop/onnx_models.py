"""One-operator ONNX models for the layers and functions that ONNX has; onnxruntime and the reference
share them.

Conventions: tokens are the last axis, [B,D,T]; momentum is the weight of the old value; the running
variance is the biased one, and mapped where the case has the unbiased one; a scale and a bias are
always given. There is no mask. Attributes are float32: a case of float64 whose eps is 1e-5 has no
counterpart.
"""
import numpy as np
from onnx import TensorProto, helper

import protocol

OPERATORS = {"layer_norm": ("LayerNormalization", 17), "batch_norm": ("BatchNormalization", 15),
             "instance_norm": ("InstanceNormalization", 22), "group_norm": ("GroupNormalization", 21),
             "rms_norm": ("RMSNormalization", 23), "softmax": ("Softmax", 13),
             "log_softmax": ("LogSoftmax", 13), "log_sum_exp": ("ReduceLogSumExp", 13),
             "relu": ("Relu", 14), "gelu": ("Gelu", 20), "gelu_tanh": ("Gelu", 20)}
FUNCTIONS = {"softmax": {"axis": -1}, "log_softmax": {"axis": -1},
             "log_sum_exp": {"axes": [-1], "keepdims": 0}, "relu": {}, "gelu": {"approximate": "none"},
             "gelu_tanh": {"approximate": "tanh"}}
TYPES = {"float64": TensorProto.DOUBLE, "float32": TensorProto.FLOAT, "float16": TensorProto.FLOAT16,
         "bfloat16": TensorProto.BFLOAT16}


def of_batch_norm(case):
    momentum = {"momentum": case.options["running_decay"]} if case.training else {}
    return {"training_mode": int(case.training), **momentum}


# Beside epsilon.
ATTRIBUTES = {
    "layer_norm": lambda case: {"axis": -1},
    "rms_norm": lambda case: {"axis": -1},
    "instance_norm": lambda case: {},
    "group_norm": lambda case: {"num_groups": int(case.options["groups"]),
                                "stash_type": TYPES[np.dtype(case.compute_dtype).name]},
    "batch_norm": of_batch_norm,
}
MASKED = (*protocol.AFFINE, "valid", "eps")
TAKES = {
    **dict.fromkeys(("layer_norm", "rms_norm", "instance_norm"), MASKED),
    "group_norm": (*MASKED, "groups"),
    "batch_norm": (*MASKED, *protocol.STATISTICS, "unbiased_running_variance"),
    **dict.fromkeys(FUNCTIONS, ("valid",)),
}
OF_ONE_TYPE = {"layer_norm", "instance_norm", "group_norm"}  # x, scale and bias
TOKENS_LAST = {"instance_norm", "group_norm"}
NO_BIAS = {"rms_norm"}
RETURNS_STATISTICS = {"layer_norm"}


def attributes_of(case):
    if case.op in FUNCTIONS:
        return FUNCTIONS[case.op]
    attributes = {"epsilon": case.options["eps"], **ATTRIBUTES[case.op](case)}
    if case.dtype == "float64" and any(float(np.float32(value)) != value for value in attributes.values()):
        raise protocol.NotOffered("an attribute of ONNX is float32")
    return attributes


def inputs_of(case):
    """The operator's inputs by name, in its order."""
    x = case["x"]
    if case.op in FUNCTIONS:
        return {"x": x}
    feature_axis = x.shape[-1]
    if case.op in TOKENS_LAST:
        x = np.ascontiguousarray(x.transpose(0, 2, 1))
    elif "running_mean" in case.tensors:
        x = x.reshape(-1, feature_axis)
    inputs = {"x": x, "gamma": case.get("gamma", np.ones(feature_axis, x.dtype))}
    if case.op not in NO_BIAS:
        inputs["beta"] = case.get("beta", np.zeros(feature_axis, x.dtype))
    inputs.update(state_of(case))
    return inputs


def state_of(case):
    return {name: case[name] for name in ("running_mean", "running_variance") if name in case.tensors}


def outputs_of(case):
    """The operator's outputs by name, in its order, each with its type."""
    own = TYPES[case.dtype]
    outputs = {"y": own}
    if case.op in RETURNS_STATISTICS:
        outputs.update(mean=TensorProto.FLOAT, rstd=TensorProto.FLOAT)
    if state_of(case) and case.training:
        state = TYPES[np.dtype(case.compute_dtype).name]
        outputs.update(moved_running_mean=state, moved_running_variance=state)
    return outputs


def model_of(case):
    """The model of a case: its operator alone, between two casts where the case is of bfloat16."""
    operator, opset = OPERATORS[case.op]
    inputs, outputs = inputs_of(case), outputs_of(case)
    cast = case.dtype == "bfloat16"
    names = [f"{name}_narrow" if cast else name for name in inputs]
    nodes = []
    if cast:
        nodes = [helper.make_node("Cast", [name], [narrow], to=TYPES["bfloat16"])
                 for name, narrow in zip(inputs, names)]
        outputs["y"] = TensorProto.FLOAT
    results = ["y_narrow" if cast and name == "y" else name for name in outputs]
    nodes.append(helper.make_node(operator, names, results, **attributes_of(case)))
    if cast:
        nodes.append(helper.make_node("Cast", ["y_narrow"], ["y"], to=TensorProto.FLOAT))
    graph = helper.make_graph(
        nodes, case.op,
        [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)
         for name, value in inputs.items()],
        [helper.make_tensor_value_info(name, kind, None) for name, kind in outputs.items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)


def answer(case, run):
    """The outputs of a case; `run` takes a model, its inputs and the names of its outputs."""
    if case.masked and (protocol.over_rows(case.op) or case.op in FUNCTIONS):
        raise protocol.NotOffered("a mask")
    if case.op in OF_ONE_TYPE and any(case.dtypes.get(name, case.dtype) == "float32" != case.dtype
                                      for name in ("gamma", "beta")):
        raise protocol.NotOffered("parameters of another dtype than x")
    inputs, names = inputs_of(case), list(outputs_of(case))
    values = run(model_of(case), inputs, names)
    outputs = {name.replace("moved_", ""): np.asarray(value) for name, value in zip(names, values)}
    shape = case["x"].shape
    y = outputs["y"]
    if case.op in FUNCTIONS:
        return outputs
    y = y.transpose(0, 2, 1) if case.op in TOKENS_LAST else y.reshape(shape)
    if case.op in NO_BIAS and "beta" in case.tensors:
        y = y + case["beta"]  # the operator has none
    outputs["y"] = y
    for name in ("mean", "rstd"):
        if name in outputs:
            outputs[name] = outputs[name].reshape(shape[:-1])
    if case.training and case.options.get("unbiased_running_variance"):
        rows = case["x"].size // shape[-1]
        outputs["running_variance"] = protocol.other_bias(
            outputs["running_variance"], case["running_variance"], case.options["running_decay"],
            rows / (rows - 1))
    if not case.training:
        outputs.update(state_of(case))
    return outputs
