"""Operations of float32 whose inputs and outputs have 8 bits and scales: docs/guide/formats.md, 8 bits with scales."""
import dataclasses

import numpy as np

import protocol

OPERATIONS = ("layer_norm", "rms_norm", "add_layer_norm", "add_rms_norm", "softmax", "silu", "swiglu", "quantize",
              "dequantize")
WITH_WIDE_Y = ("dequantize",)  # whose x alone has 8 bits
WITHOUT_INT8 = ("softmax",)  # of which there are cases of float8 alone
WITH_FOUR_BITS = ("quantize",)
BLOCK, BLOCK_OF_TWO_SCALES = 32, 16  # of mxfp8 and mxfp4, and of nvfp4
LARGEST = {"float8_e4m3fn": 448, "float8_e5m2": 57344, "int8": 127, "float4_e2m1fn": 6}
LARGEST_POWER = {"float8_e4m3fn": 8, "float8_e5m2": 15, "float4_e2m1fn": 2}  # the exponent of the largest power of two


def asks():
    """Returns the rows of the operations, by the dtypes of y in which they have cases."""
    stored = [op for op in OPERATIONS if op not in WITH_WIDE_Y]
    return (protocol.asks(WITH_WIDE_Y, ("float32", "float16", "bfloat16"))
            + protocol.asks(stored, ("float8_e4m3fn", "float8_e5m2"))
            + protocol.asks([op for op in stored if op not in WITHOUT_INT8], ("int8",))
            + protocol.asks(WITH_FOUR_BITS, ("float4_e2m1fn",)))


def over_elements(scales, shape, size=BLOCK):
    """Returns a scale for each element, from one scale for all or one per `size` elements of the last axis."""
    if scales.size == 1 and scales.ndim == 1:
        return scales[0]
    return np.repeat(scales, size, axis=-1)[..., :shape[-1]]


def has_eight_bits(case):
    """Whether y or an input has 8 bits."""
    return case.dtype in protocol.EIGHT_BITS or case.dtypes.get("x") in protocol.EIGHT_BITS


def dequantized(case):
    """Returns the case without tensors of 8 bits: each is multiplied by its scale, and y is of float32 instead."""
    tensors, dtypes = {}, {}
    for name, values in case.tensors.items():
        if name.endswith("_scale") or "_scale_" in name:
            continue
        if case.dtypes[name] in protocol.EIGHT_BITS:
            of_tensor = case.get(f"{name}_tensor_scale", [np.float32(1)])[0]
            size = int(case.get(f"{name}_scale_group", [BLOCK if f"{name}_tensor_scale" not in case else BLOCK_OF_TWO_SCALES])[0])
            values = values * (over_elements(case[f"{name}_scale"], values.shape, size) * of_tensor)
        tensors[name] = values
        dtypes[name] = "float32" if values.dtype.kind == "f" else case.dtypes[name]
    dtype = "float32" if case.dtype in protocol.EIGHT_BITS else case.dtype
    return dataclasses.replace(case, dtype=dtype, tensors=tensors, dtypes=dtypes)


def scales_of_blocks(values, dtype):
    """Returns 2^(floor(log2 max|v|) - emax) for each block, and at least 2^-127."""
    lanes = -values.shape[-1] % BLOCK
    padded = np.pad(np.abs(values), [(0, 0)] * (values.ndim - 1) + [(0, lanes)])
    largest = padded.reshape((*values.shape[:-1], -1, BLOCK)).max(-1)
    exponents = np.where(largest > 0, np.frexp(largest)[1] - 1, -1000) - LARGEST_POWER[dtype]
    return np.ldexp(np.float32(1), np.clip(exponents, -127, 127))


def largest_of_groups(values, group):
    """Returns the largest magnitude of each group of columns; of all elements if `group` is -1."""
    if group == -1:
        return np.abs(values).max(keepdims=True).reshape(1)
    lanes = -values.shape[-1] % group
    padded = np.pad(np.abs(values), [(0, 0)] * (values.ndim - 1) + [(0, lanes)])
    return padded.reshape((*values.shape[:-1], -1, group)).max(-1)


def float32_scales(values, case):
    """Returns a float32 scale for each group of columns, and the scale of each element."""
    group = int(case["y_scale_group"][0])
    largest = largest_of_groups(values, group).astype(np.float32)
    if "y_scale_ub" in case.tensors:
        largest = np.minimum(largest, case["y_scale_ub"][0])
    scales = largest / np.float32(LARGEST[case.dtype])
    if "y_scale_min" in case.tensors:
        scales = np.maximum(scales, case["y_scale_min"][0])
    if case.get("y_scale_power_of_two", [False])[0]:
        significands, exponents = np.frexp(scales)  # scales are significands * 2^exponents, and a significand is at least 0.5
        scales = np.where(scales > 0, np.ldexp(np.float32(1), exponents - (significands == 0.5)), scales)
    scales = np.where(scales > 0, scales, np.float32(1)).astype(np.float32)
    return scales, over_elements(scales, values.shape, group)


def scales_of_tensor_blocks(values, case):
    """Returns the e4m3 scale of each block of nvfp4, at least 2^-9, and the scale of each element."""
    of_tensor = case["y_tensor_scale"][0]
    largest = largest_of_groups(values, BLOCK_OF_TWO_SCALES).astype(np.float32)
    quotients = largest / np.float32(LARGEST[case.dtype]) / of_tensor
    scales = np.maximum(protocol.to_eight_bits(quotients, "float8_e4m3fn"), np.float32(2 ** -9))
    return scales, over_elements(scales * of_tensor, values.shape, BLOCK_OF_TWO_SCALES)


def step(case, step_float32):
    """Returns the outputs of a kernel that computes in float32, by step_float32, and stores 8 bits and scales."""
    outputs = step_float32(dequantized(case))  # of dequantize as they are stored
    for name in [name for name in outputs if f"{name}_scale" in case.tensors]:
        dtype = case.dtype if name == "y" else "float8_e5m2"
        outputs[name] = protocol.stored(outputs[name] / case[f"{name}_scale"][0], dtype)
    if "y_scale_group" in case.tensors or "y_tensor_scale" in case.tensors:
        find_scales = float32_scales if "y_scale_group" in case.tensors else scales_of_tensor_blocks
        outputs["y_scale"], by = find_scales(outputs["y"], case)
        outputs["y"] = protocol.stored(outputs["y"] / by, case.dtype)
    elif case.dtype in protocol.EIGHT_BITS and "y_scale" not in case.tensors:
        outputs["y_scale"] = scales = scales_of_blocks(outputs["y"], case.dtype)
        by = over_elements(scales, outputs["y"].shape).astype(np.float64)
        outputs["y"] = protocol.stored(outputs["y"] / by, case.dtype)
    return outputs
