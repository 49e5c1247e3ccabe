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


def attributes_of(case):
    if case.op in FUNCTIONS:
        return FUNCTIONS[case.op]
    o = case.options
    attributes = {"epsilon": o["eps"]}
    if case.op in ("layer_norm", "rms_norm"):
        attributes["axis"] = -1
    if case.op == "group_norm":
        attributes["num_groups"] = int(o["groups"])
        attributes["stash_type"] = TYPES[np.dtype(case.compute_dtype).name]
    if case.op == "batch_norm":
        attributes["training_mode"] = int(case.training)
        if case.training:
            attributes["momentum"] = o["running_decay"]
    if case.dtype == "float64" and any(float(np.float32(value)) != value for value in attributes.values()):
        raise protocol.NotOffered
    return attributes


def inputs_of(case):
    """The operator's inputs by name, in its order."""
    x = case["x"]
    if case.op in FUNCTIONS:
        return {"x": x}
    feature_axis = x.shape[-1]
    if case.op in ("instance_norm", "group_norm"):
        x = np.ascontiguousarray(x.transpose(0, 2, 1))
    elif case.op == "batch_norm":
        x = x.reshape(-1, feature_axis)
    inputs = {"x": x, "gamma": case.get("gamma", np.ones(feature_axis, x.dtype))}
    if case.op != "rms_norm":
        inputs["beta"] = case.get("beta", np.zeros(feature_axis, x.dtype))
    if case.op == "batch_norm":
        inputs.update({name: case[name] for name in ("running_mean", "running_variance")})
    return inputs


def outputs_of(case):
    """The operator's outputs by name, in its order, each with its type."""
    own = TYPES[case.dtype]
    outputs = {"y": own}
    if case.op == "layer_norm":
        outputs.update(mean=TensorProto.FLOAT, rstd=TensorProto.FLOAT)
    if case.op == "batch_norm" and case.training:
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
    if case.masked and case.op in ("batch_norm", "instance_norm", "group_norm", *FUNCTIONS):
        raise protocol.NotOffered
    inputs, names = inputs_of(case), list(outputs_of(case))
    values = run(model_of(case), inputs, names)
    outputs = {name.replace("moved_", ""): np.asarray(value) for name, value in zip(names, values)}
    shape = case["x"].shape
    y = outputs["y"]
    if case.op in FUNCTIONS:
        return outputs
    y = y.transpose(0, 2, 1) if case.op in ("instance_norm", "group_norm") else y.reshape(shape)
    if case.op == "rms_norm" and "beta" in case.tensors:
        y = y + case["beta"]  # the operator has none
    outputs["y"] = y
    for name in ("mean", "rstd"):
        if name in outputs:
            outputs[name] = outputs[name].reshape(shape[:-1])
    if case.op == "batch_norm" and case.training and case.options["unbiased_running_variance"]:
        rows = case["x"].size // shape[-1]
        outputs["running_variance"] = protocol.other_bias(
            outputs["running_variance"], case["running_variance"], case.options["running_decay"],
            rows / (rows - 1))
    if case.op == "batch_norm" and not case.training:
        outputs.update({name: case[name] for name in ("running_mean", "running_variance")})
    return outputs
