"""Models of one operator of ONNX, for every runtime that reads ONNX: forward only.

Attributes of ONNX are float32, so a case of float64 whose eps is no float32 is declined. So is a case with parameters of
another dtype than x. BOARD_RUNTIME names the runtime of the board's row. The CPU plugin of OpenVINO computes float64 in
float32, and is not asked.
"""
import dataclasses
import os

import numpy as np
from onnx import TensorProto, helper

import normproof
from implementations.entries import Entry

TYPES = {"float64": TensorProto.DOUBLE, "float32": TensorProto.FLOAT, "float16": TensorProto.FLOAT16}


@dataclasses.dataclass(frozen=True)
class Norm:
    """The operator of a norm.

    channels    the axis of x that has the features
    last_axis   whether an attribute says that it normalizes the last axis
    groups      whether it has groups
    bias        whether it has a bias
    """
    operator: str
    opset: int
    channels: int = -1
    last_axis: bool = False
    groups: bool = False
    bias: bool = True


NORMS = {"layer_norm": Norm("LayerNormalization", 17, last_axis=True),
         "rms_norm": Norm("RMSNormalization", 23, last_axis=True, bias=False),
         "group_norm": Norm("GroupNormalization", 21, channels=1, groups=True),
         "instance_norm": Norm("InstanceNormalization", 22, channels=1)}
FUNCTIONS = {"softmax": ("Softmax", 13, {"axis": -1}), "log_softmax": ("LogSoftmax", 13, {"axis": -1}),
             "log_sum_exp": ("ReduceLogSumExp", 13, {"axes": [-1], "keepdims": 0}), "relu": ("Relu", 14, {}),
             "gelu": ("Gelu", 20, {"approximate": "none"}), "gelu_tanh": ("Gelu", 20, {"approximate": "tanh"})}


def model(operator, opset, inputs, attributes, outputs=("y",), cast_to=None):
    """Returns a model of one operator as bytes.

    inputs    arrays by name, in the order of the operator
    outputs   names, or {name: type}; an output without a type has that of x
    cast_to   a type that the model casts its float32 inputs to, and y back from; None for no casts
    """
    own = TYPES.get(inputs["x"].dtype.name)
    types = {name: (outputs[name] if isinstance(outputs, dict) else own) for name in outputs}
    names = [f"{name}_narrow" if cast_to else name for name in inputs]
    results = ["y_narrow" if cast_to and name == "y" else name for name in outputs]
    nodes = [helper.make_node(operator, names, results, **attributes)]
    if cast_to:
        nodes = [*(helper.make_node("Cast", [name], [narrow], to=cast_to) for name, narrow in zip(inputs, names)), *nodes,
                 helper.make_node("Cast", ["y_narrow"], ["y"], to=TensorProto.FLOAT)]
    graph = helper.make_graph(
        nodes, "board",
        [helper.make_tensor_value_info(name, TYPES[value.dtype.name], value.shape) for name, value in inputs.items()],
        [helper.make_tensor_value_info(name, kind, None) for name, kind in types.items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10).SerializeToString()


def require_one_dtype(inputs):
    """Declines arrays of different dtypes, or of a dtype that is not in TYPES."""
    dtypes = {value.dtype.name for value in inputs.values()}
    if len(dtypes) > 1 or not dtypes <= set(TYPES):
        raise normproof.NotOffered("parameters of another dtype than x")


def require_float32_attributes(dtype, attributes):
    """Declines a case of float64 with an attribute that float32 does not hold."""
    if dtype == "float64" and any(float(np.float32(value)) != value for value in attributes.values()):
        raise normproof.NotOffered("an attribute of ONNX is float32")


def runner(runtime):
    """Returns run(model, inputs, names), which returns the outputs of these names as arrays.

    runtime   "onnxruntime", "openvino" or "reference"
    """
    if runtime == "onnxruntime":
        import onnxruntime
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.log_severity_level = 1, 3

        def run(written, inputs, names):
            try:
                session = onnxruntime.InferenceSession(written, options, providers=["CPUExecutionProvider"])
            except onnxruntime.capi.onnxruntime_pybind11_state.NotImplemented as reason:
                raise normproof.NotOffered(str(reason).rsplit(":", 1)[-1].strip()) from None
            return session.run(names, inputs)
    elif runtime == "openvino":
        import openvino
        core = openvino.Core()

        def run(written, inputs, names):
            compiled = core.compile_model(core.read_model(written), "CPU", {
                "INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1})
            found = compiled(inputs)
            return [np.array(found[place]) for place in range(len(names))]
    else:
        import onnx
        from onnx.reference import ReferenceEvaluator

        def run(written, inputs, names):
            return ReferenceEvaluator(onnx.load_from_string(written)).run(names, inputs)
    return run


def norm_call(kind, x, eps, gamma, beta, groups):
    """Returns the inputs and the attributes of a norm. A scale and a bias are always given."""
    features, dtype = x.shape[kind.channels], x.dtype.name
    inputs = {"x": x, "gamma": np.ones(features, x.dtype) if gamma is None else gamma}
    if kind.bias:
        inputs["beta"] = np.zeros(features, x.dtype) if beta is None else beta
    attributes = {"epsilon": eps, **({"axis": -1} if kind.last_axis else {})}
    if kind.groups:
        attributes.update(num_groups=groups, stash_type=TYPES["float64" if dtype == "float64" else "float32"])
    return inputs, attributes


def norm(run, kind):
    """Returns a norm as a function of NumPy arrays, with the parameters that its operator has."""
    def normed(x, eps, gamma, beta=None, groups=None):
        require_float32_attributes(x.dtype.name, {"epsilon": eps})
        inputs, attributes = norm_call(kind, x, eps, gamma, beta, groups)
        require_one_dtype(inputs)
        return run(model(kind.operator, kind.opset, inputs, attributes), inputs, ["y"])[0]

    if kind.groups:
        return lambda x, eps, groups, gamma=None, beta=None: normed(x, eps, gamma, beta, groups)
    if kind.bias:
        return lambda x, eps, gamma=None, beta=None: normed(x, eps, gamma, beta)
    return lambda x, eps, gamma=None: normed(x, eps, gamma)


def function(run, op):
    """Returns a function of x as a function of a NumPy array."""
    operator, opset, attributes = FUNCTIONS[op]

    def evaluated(x):
        require_one_dtype({"x": x})
        return run(model(operator, opset, {"x": x}, attributes), {"x": x}, ["y"])[0]
    return evaluated


def entries():
    run, dtypes = runner(os.environ["BOARD_RUNTIME"]), ("float64", "float32", "float16")
    dtypes = dtypes[1:] if os.environ["BOARD_RUNTIME"] == "openvino" else dtypes
    found = []
    for op, kind in NORMS.items():
        layout = {} if kind.channels < 0 else {"layout": "channels_first"}
        found.append(Entry(kind.operator, op, norm(run, kind), dtypes, {"framework": "numpy", "outputs": "y", **layout}))
    for op, (operator, _, attributes) in FUNCTIONS.items():
        what = operator + (" tanh" if attributes.get("approximate") == "tanh" else "")
        found.append(Entry(what, op, function(run, op), dtypes, {"framework": "numpy", "outputs": "y"}))
    return found
