"""One operator of ONNX a model, for every runtime that reads ONNX: forward alone.

Attributes are float32: a case of float64 whose eps is none is declined, and one with parameters of another dtype
than x. BOARD_RUNTIME says which runtime runs it: the CPU plugin of OpenVINO
computes float64 in float32, and is not asked.
"""
import dataclasses
import os

import numpy as np
from onnx import TensorProto, helper

import normproof
from implementations.held import Held

TYPES = {"float64": TensorProto.DOUBLE, "float32": TensorProto.FLOAT, "float16": TensorProto.FLOAT16}


@dataclasses.dataclass(frozen=True)
class Norm:
    operator: str
    opset: int
    channels: int = -1  # the axis of x that has the features
    last_axis: bool = False  # whether an attribute says that it normalizes the last
    groups: bool = False
    bias: bool = True


NORMS = {"layer_norm": Norm("LayerNormalization", 17, last_axis=True),
         "rms_norm": Norm("RMSNormalization", 23, last_axis=True, bias=False),
         "group_norm": Norm("GroupNormalization", 21, channels=1, groups=True),
         "instance_norm": Norm("InstanceNormalization", 22, channels=1)}
FUNCTIONS = {"softmax": ("Softmax", 13, {"axis": -1}), "log_softmax": ("LogSoftmax", 13, {"axis": -1}),
             "log_sum_exp": ("ReduceLogSumExp", 13, {"axes": [-1], "keepdims": 0}), "relu": ("Relu", 14, {}),
             "gelu": ("Gelu", 20, {"approximate": "none"}), "gelu_tanh": ("Gelu", 20, {"approximate": "tanh"})}


def model(operator, opset, inputs, attributes):
    """One operator, as the bytes of a model; y has the type of x."""
    types = {name: TYPES.get(value.dtype.name) for name, value in inputs.items()}
    if None in types.values() or len(set(types.values())) > 1:
        raise normproof.NotOffered("parameters of another dtype than x")
    graph = helper.make_graph(
        [helper.make_node(operator, list(inputs), ["y"], **attributes)], "board",
        [helper.make_tensor_value_info(name, types[name], value.shape) for name, value in inputs.items()],
        [helper.make_tensor_value_info("y", types["x"], None)])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10).SerializeToString()


def runner():
    """A function of a model and its inputs that returns y, by the runtime of BOARD_RUNTIME."""
    runtime = os.environ["BOARD_RUNTIME"]
    if runtime == "onnxruntime":
        import onnxruntime
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.log_severity_level = 1, 3

        def run(bytes_of, inputs):
            try:
                session = onnxruntime.InferenceSession(bytes_of, options, providers=["CPUExecutionProvider"])
            except onnxruntime.capi.onnxruntime_pybind11_state.NotImplemented as reason:
                raise normproof.NotOffered(str(reason).rsplit(":", 1)[-1].strip()) from None
            return session.run(["y"], inputs)[0]
    elif runtime == "openvino":
        import openvino
        core = openvino.Core()

        def run(bytes_of, inputs):
            compiled = core.compile_model(core.read_model(bytes_of), "CPU", {
                "INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1})
            return np.array(compiled(inputs)[0])
    else:
        import onnx
        from onnx.reference import ReferenceEvaluator

        def run(bytes_of, inputs):
            return ReferenceEvaluator(onnx.load_from_string(bytes_of)).run(["y"], inputs)[0]
    return run


def norm(run, kind):
    def normed(x, eps, gamma, beta=None, groups=None):
        dtype = x.dtype.name
        if dtype == "float64" and float(np.float32(eps)) != eps:
            raise normproof.NotOffered("an attribute of ONNX is float32")
        features = x.shape[kind.channels]
        inputs = {"x": x, "gamma": np.ones(features, x.dtype) if gamma is None else gamma}
        if kind.bias:
            inputs["beta"] = np.zeros(features, x.dtype) if beta is None else beta
        attributes = {"epsilon": eps, **({"axis": -1} if kind.last_axis else {})}
        if kind.groups:
            attributes.update(num_groups=groups, stash_type=TYPES["float64" if dtype == "float64" else "float32"])
        return run(model(kind.operator, kind.opset, inputs, attributes), inputs)

    if kind.groups:
        return lambda x, eps, groups, gamma=None, beta=None: normed(x, eps, gamma, beta, groups)
    if kind.bias:
        return lambda x, eps, gamma=None, beta=None: normed(x, eps, gamma, beta)
    return lambda x, eps, gamma=None: normed(x, eps, gamma)


def function(run, op):
    operator, opset, attributes = FUNCTIONS[op]
    return lambda x: run(model(operator, opset, {"x": x}, attributes), {"x": x})


def held():
    run, dtypes = runner(), ("float64", "float32", "float16")
    dtypes = dtypes[1:] if os.environ["BOARD_RUNTIME"] == "openvino" else dtypes
    found = []
    for op, kind in NORMS.items():
        layout = {} if kind.channels < 0 else {"layout": "channels_first"}
        found.append(Held(kind.operator, op, norm(run, kind), dtypes, {"framework": "numpy", "outputs": "y", **layout}))
    for op, (operator, _, attributes) in FUNCTIONS.items():
        what = operator + (" tanh" if attributes.get("approximate") == "tanh" else "")
        found.append(Held(what, op, function(run, op), dtypes, {"framework": "numpy", "outputs": "y"}))
    return found
