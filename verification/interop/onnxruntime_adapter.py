#!/usr/bin/env python3
"""onnxruntime on the CPU, forward alone: one operator of ONNX a case."""
import streams  # isort: split; first, for frameworks print when they are imported

import onnxruntime

import onnx_models
import protocol


def run(model, inputs, names):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model.SerializeToString(), options,
                                           providers=["CPUExecutionProvider"])
    return session.run(names, inputs)


if __name__ == "__main__":
    three = ("float64", "float32", "float16")
    rows = (protocol.asks(["layer_norm"], ["float64"], "y")
            + protocol.asks(["layer_norm"], ["float32", "float16", "bfloat16"], "y,mean,rstd")
            + protocol.asks(["batch_norm"], three, "y,running_mean,running_variance")
            + protocol.asks(["instance_norm"], ["float32", "float16"], "y")
            + protocol.asks(["group_norm"], three, "y")
            + protocol.asks(["rms_norm"], ["float64", "float32"], "y")
            + protocol.asks([name for name in onnx_models.FUNCTIONS if name != "gelu"], three, "y")
            + protocol.asks(["gelu"], ["float32", "float16"], "y"))  # there is no Erf of float64
    protocol.main("onnxruntime", onnxruntime.__version__, rows,
                  lambda case: onnx_models.answer(case, run), onnx_models.TAKES)
