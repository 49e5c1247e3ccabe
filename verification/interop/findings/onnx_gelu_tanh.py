#!/usr/bin/env python3
"""Gelu of ONNX 20 with approximate="tanh" in float64, onnxruntime 1.32 and onnx.reference 1.23: the function body of the
standard has 2/pi and 0.044715 as float32, whatever x is: half of the digits of float64 are lost. Erf of the reference
returns float32, which has the same effect with approximate="none".
"""
import numpy as np
import onnxruntime
from mpmath import erf, mpf, pi, sqrt, tanh
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

from truth import print_error

x = np.array([-1.5])
value = mpf(-1.5)
EXACT = {"tanh": value / 2 * (1 + tanh(sqrt(2 / pi) * (value + mpf("0.044715") * value ** 3))),
         "none": value / 2 * (1 + erf(value / sqrt(2)))}
for approximate, exact in EXACT.items():
    graph = helper.make_graph([helper.make_node("Gelu", ["x"], ["y"], approximate=approximate)], "g", [
        helper.make_tensor_value_info("x", TensorProto.DOUBLE, [1])], [helper.make_tensor_value_info("y", TensorProto.DOUBLE, None)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
    print_error(f"onnx.reference, {approximate}", ReferenceEvaluator(model).run(None, {"x": x})[0][0], exact, "float64")
    if approximate == "tanh":  # onnxruntime has no Erf of float64
        y = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"]).run(None, {"x": x})[0]
        print_error("onnxruntime, tanh", y[0], exact, "float64")
