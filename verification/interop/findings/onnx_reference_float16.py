#!/usr/bin/env python3
"""onnx.reference 1.23 in float16: LayerNormalization, RMSNormalization and InstanceNormalization square and add in float16,
where the operator says that statistics are float32 (stash_type). Elements of 300 square to infinity, and y is 0.
"""
import numpy as np
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

from truth import layer_norm, print_error, worst_index

x = np.array([[300, -299, 301, -302, 298, -300, 303, -304]], np.float16)
graph = helper.make_graph(
    [helper.make_node("LayerNormalization", ["x", "scale", "bias"], ["y"], axis=-1, stash_type=1)], "g",
    [helper.make_tensor_value_info(name, TensorProto.FLOAT16, shape) for name, shape in (("x", [1, 8]), ("scale", [8]), ("bias", [8]))],
    [helper.make_tensor_value_info("y", TensorProto.FLOAT16, None)])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10)
y = ReferenceEvaluator(model).run(None, {"x": x, "scale": np.ones(8, np.float16), "bias": np.zeros(8, np.float16)})[0]
exact = layer_norm(x[0], 1e-5)
at = worst_index(y[0], exact)
print_error(f"y[{at}] of x = {x[0].tolist()}", y[0, at], exact[at], "float16")
