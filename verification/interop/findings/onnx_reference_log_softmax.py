#!/usr/bin/env python3
"""onnx.reference 1.23, LogSoftmax: it is the logarithm of Softmax, -inf where the exponential vanishes. Onnxruntime,
OpenVINO, PyTorch and JAX subtract logarithms.
"""
import numpy as np
from mpmath import exp, log
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

from truth import print_error

graph = helper.make_graph([helper.make_node("LogSoftmax", ["x"], ["y"], axis=-1)], "g", [
    helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 2])], [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=10)
y = ReferenceEvaluator(model).run(None, {"x": np.array([[0, -160]], np.float32)})[0]
print_error("log_softmax(0, -160)[1]", y[0, 1], -160 - log(1 + exp(-160)), "float32")
