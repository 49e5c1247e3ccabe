#!/usr/bin/env python3
"""Answers with onnx.reference.ReferenceEvaluator, forward only: one operator of ONNX per case."""
import streams  # isort: split; first, because frameworks print when they are imported

import onnx

import package_adapter
from implementations import onnx_piped

THREE = ("float64", "float32", "float16")
NORMS = [("layer_norm", ("float64",)), ("layer_norm", ("float32", "float16")), ("batch_norm", THREE),
         ("instance_norm", THREE), ("group_norm", THREE), ("rms_norm", ("float64", "float32"))]

if __name__ == "__main__":
    package_adapter.main("onnx.reference", onnx.__version__, onnx_piped.functions("reference", NORMS), "numpy")
