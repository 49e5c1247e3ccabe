#!/usr/bin/env python3
"""GroupNormalization of ONNX 21 in onnxruntime 1.32 and onnx.reference 1.23: both evaluate the function body of the
standard, which takes the variance as E[x^2] - E[x]^2. With a mean of 1e4 standard deviations nothing of y is left, and
near 1e6 it is NaN. OpenVINO has an operator of its own, and passes.
"""
import numpy as np
import onnxruntime
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

from truth import layer_norm, print_error, worst_index

x = (np.arange(16, dtype=np.float32) / 4 + 10000).reshape(1, 16, 1)
graph = helper.make_graph(
    [helper.make_node("GroupNormalization", ["x", "scale", "bias"], ["y"], num_groups=1)], "g",
    [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in (("x", x.shape), ("scale", [16]), ("bias", [16]))],
    [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
inputs = {"x": x, "scale": np.ones(16, np.float32), "bias": np.zeros(16, np.float32)}
exact = layer_norm(x.ravel(), 1e-5)
for name, y in (("onnxruntime", onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]).run(None, inputs)[0]),
                ("onnx.reference", ReferenceEvaluator(model).run(None, inputs)[0])):
    at = worst_index(y.ravel(), exact)
    print_error(f"{name}: y[{at}] of x = 10000, 10000.25, ...", y.ravel()[at], exact[at], "float32")
