#!/usr/bin/env python3
"""onnx.reference.ReferenceEvaluator, forward alone: the models of onnx_models.py."""
import streams  # isort: split; first, for frameworks print when they are imported

import onnx
from onnx.reference import ReferenceEvaluator

import onnx_models
import protocol


def run(model, inputs, names):
    return ReferenceEvaluator(model).run(names, inputs)


if __name__ == "__main__":
    three = ("float64", "float32", "float16")
    rows = (protocol.asks(["layer_norm"], ["float64"], "y")
            + protocol.asks(["layer_norm"], ["float32", "float16"], "y,mean,rstd")
            + protocol.asks(["batch_norm"], three, "y,running_mean,running_variance")
            + protocol.asks(["instance_norm", "group_norm"], three, "y")
            + protocol.asks(["rms_norm"], ["float64", "float32"], "y")
            + protocol.asks(onnx_models.FUNCTIONS, three, "y"))
    protocol.main("onnx.reference", onnx.__version__, rows, lambda case: onnx_models.answer(case, run),
                  onnx_models.TAKES)
