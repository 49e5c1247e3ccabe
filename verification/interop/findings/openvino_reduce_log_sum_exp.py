#!/usr/bin/env python3
"""OpenVINO 2026.4, ReduceLogSumExp of ONNX in opsets 13 to 17, where the axes are an attribute: it is not read, and all
axes are reduced, so that y has no axis left. In opsets 11 and 18 the same model has the right shape; onnxruntime has it
in all three.
"""
import numpy as np
import openvino
from mpmath import exp, log, mpf
from onnx import TensorProto, helper

from truth import print_error

x = np.arange(6, dtype=np.float32).reshape(2, 3)
core = openvino.Core()
for opset in (11, 13):
    graph = helper.make_graph([helper.make_node("ReduceLogSumExp", ["x"], ["y"], axes=[-1], keepdims=0)], "g", [
        helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 3])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10).SerializeToString()
    y = np.array(core.compile_model(core.read_model(model), "CPU")([x])[0])
    print(f"opset {opset}: y has shape {list(y.shape)}; expected [2]")
    print_error("  y[0]", y.ravel()[0], log(sum(exp(mpf(v)) for v in range(3))), "float32")
