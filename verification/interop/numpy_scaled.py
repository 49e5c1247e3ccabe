"""Operations of float32 whose inputs and outputs have 8 bits and scales: docs/guide/formats.md, 8 bits with scales."""
import dataclasses

import numpy as np

import protocol

OPERATIONS = ("layer_norm", "rms_norm", "softmax", "silu", "swiglu")
BLOCK = 32
LARGEST = {"float8_e4m3fn": 448, "float8_e5m2": 57344}
LARGEST_POWER = {"float8_e4m3fn": 8, "float8_e5m2": 15}  # the exponent of the largest power of two


def over_elements(scales, shape):
    """Returns a scale for each element, from one scale for all or one per block of the last axis."""
    if scales.size == 1 and scales.ndim == 1:
        return scales[0]
    return np.repeat(scales, BLOCK, axis=-1)[..., :shape[-1]]


def dequantized(case):
    """Returns the case in float32, where every tensor of 8 bits is multiplied by its scale."""
    tensors, dtypes = {}, {}
    for name, values in case.tensors.items():
        if name.endswith("_scale") or "_scale_" in name:
            continue
        if case.dtypes[name] in protocol.EIGHT_BITS:
            values = values * over_elements(case[f"{name}_scale"], values.shape)
        tensors[name] = values
        dtypes[name] = "float32" if values.dtype.kind == "f" else case.dtypes[name]
    return dataclasses.replace(case, dtype="float32", tensors=tensors, dtypes=dtypes)


def scales_of_blocks(values, dtype):
    """Returns 2^(floor(log2 max|v|) - emax) for each block, and at least 2^-127."""
    lanes = -values.shape[-1] % BLOCK
    padded = np.pad(np.abs(values), [(0, 0)] * (values.ndim - 1) + [(0, lanes)])
    largest = padded.reshape((*values.shape[:-1], -1, BLOCK)).max(-1)
    exponents = np.where(largest > 0, np.frexp(largest)[1] - 1, -1000) - LARGEST_POWER[dtype]
    return np.ldexp(np.float32(1), np.clip(exponents, -127, 127))


def float32_scales(values, case):
    """Returns a float32 scale for each group of columns, and the scale of each element."""
    group = int(case["y_scale_group"][0])
    lanes = -values.shape[-1] % group
    padded = np.pad(np.abs(values), [(0, 0)] * (values.ndim - 1) + [(0, lanes)])
    largest = padded.reshape((*values.shape[:-1], -1, group)).max(-1).astype(np.float32)
    if "y_scale_ub" in case.tensors:
        largest = np.minimum(largest, case["y_scale_ub"][0])
    scales = largest / np.float32(LARGEST[case.dtype])
    least = case["y_scale_min"][0] if "y_scale_min" in case.tensors else np.float32(0)
    scales = np.where(scales > least, scales, least if least > 0 else np.float32(1)).astype(np.float32)
    return scales, np.repeat(scales, group, axis=-1)[..., :values.shape[-1]]


def step(case, step_float32):
    """Returns the outputs of a kernel that computes in float32, by step_float32, and stores 8 bits and scales."""
    outputs = step_float32(dequantized(case))
    for name in [name for name in outputs if f"{name}_scale" in case.tensors]:
        dtype = case.dtype if name == "y" else "float8_e5m2"
        outputs[name] = protocol.stored(outputs[name] / case[f"{name}_scale"][0], dtype)
    if "y_scale_group" in case.tensors:
        outputs["y_scale"], by = float32_scales(outputs["y"], case)
        outputs["y"] = protocol.stored(outputs["y"] / by, case.dtype)
    elif "y_scale" not in case.tensors:
        outputs["y_scale"] = scales = scales_of_blocks(outputs["y"], case.dtype)
        by = over_elements(scales, outputs["y"].shape).astype(np.float64)
        outputs["y"] = protocol.stored(outputs["y"] / by, case.dtype)
    return outputs
