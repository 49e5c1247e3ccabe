#!/usr/bin/env python3
"""OpenVINO 2026.4, Gelu of ONNX on the CPU in float32: the same numbers as PyTorch 2.15's F.gelu, from an erf that is
several units of 2^-24 off near -1.
"""
import numpy as np
import openvino
from mpmath import erf, mpf, sqrt
from onnx import TensorProto, helper

from truth import print_error, worst_index

x = np.linspace(-4, -2, 512, dtype=np.float32)
graph = helper.make_graph([helper.make_node("Gelu", ["x"], ["y"])], "g", [
    helper.make_tensor_value_info("x", TensorProto.FLOAT, [512])], [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10).SerializeToString()
core = openvino.Core()
y = core.compile_model(core.read_model(model), "CPU", {"INFERENCE_PRECISION_HINT": "f32"})([x])[0]
exact = [mpf(float(v)) / 2 * (1 + erf(mpf(float(v)) / sqrt(2))) for v in x]
at = worst_index(y, exact)
print_error(f"Gelu({x[at]!r})", y[at], exact[at], "float32")
