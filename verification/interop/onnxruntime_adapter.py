#!/usr/bin/env python3
"""Answers with onnxruntime on the CPU, forward only: one operator of ONNX per case."""
import streams  # isort: split; first, because frameworks print when they are imported

import onnxruntime

import package_adapter
from implementations import onnx_piped

NORMS = [("layer_norm", ("float64",)), ("layer_norm", ("float32", "float16", "bfloat16")),
         ("batch_norm", ("float64", "float32", "float16")), ("instance_norm", ("float32", "float16")),
         ("group_norm", ("float64", "float32", "float16")), ("rms_norm", ("float64", "float32"))]
NOT_IN_FLOAT64 = ("gelu",)  # there is no Erf of float64

if __name__ == "__main__":
    package_adapter.main("onnxruntime", onnxruntime.__version__,
                         onnx_piped.functions("onnxruntime", NORMS, NOT_IN_FLOAT64), "numpy")
