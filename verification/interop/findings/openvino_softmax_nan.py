#!/usr/bin/env python3
"""OpenVINO 2026.4, Softmax of ONNX on the CPU in float32: a row with a NaN comes out as zeros, or without it, where every
element of the row is NaN. What went wrong before it can no longer be seen behind it.
"""
import numpy as np
import openvino
from onnx import TensorProto, helper

x = np.array([[1, 2, np.nan, 4, 5, 6]], np.float32)
graph = helper.make_graph([helper.make_node("Softmax", ["x"], ["y"], axis=-1)], "g", [
    helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 6])], [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=10).SerializeToString()
core = openvino.Core()
y = core.compile_model(core.read_model(model), "CPU", {"INFERENCE_PRECISION_HINT": "f32"})([x])[0]
print(f"softmax({x.tolist()})\n  got   {np.array(y).tolist()}\n  exact NaN in every element: the sum of exponentials is NaN")
