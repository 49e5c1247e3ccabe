"""quantize and dequantize in PyTorch, with every kind of scale, for the study of false alarms (docs/specification/eight_bits.md)."""
import torch
import torch.nn.functional as F

import normproof

LARGEST = {"float8_e4m3fn": 448.0, "float8_e5m2": 57344.0, "int8": 127.0, "float4_e2m1fn": 6.0}
LARGEST_POWER = {"float8_e4m3fn": 8, "float8_e5m2": 15, "float4_e2m1fn": 2}
NUMBERS_OF_4_BITS = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
BLOCK, BLOCK_OF_TWO_SCALES = 32, 16


def to_codes(quotient, dtype):
    """Rounds quotients to a dtype, ties to even and with saturation. Two elements of 4 bits fill a byte."""
    limited = quotient.clamp(-LARGEST[dtype], LARGEST[dtype])
    if dtype == "int8":
        return limited.round().to(torch.int8)
    if dtype != "float4_e2m1fn":
        return limited.to(getattr(torch, dtype))
    if not hasattr(torch, "float4_e2m1fn_x2"):
        raise normproof.NotOffered("this PyTorch has no float4_e2m1fn_x2")
    codes = torch.zeros_like(limited, dtype=torch.uint8)
    for code, (low, high) in enumerate(zip(NUMBERS_OF_4_BITS, NUMBERS_OF_4_BITS[1:])):
        middle = (low + high) / 2
        codes += (limited.abs() >= middle if code % 2 else limited.abs() > middle).to(torch.uint8)
    codes += 8 * (limited < 0).to(torch.uint8)
    return (codes[..., ::2] | codes[..., 1::2] << 4).contiguous().view(torch.float4_e2m1fn_x2)


def from_codes(codes, dtype):
    if dtype != "float4_e2m1fn":
        return codes.float()
    halves = torch.stack((codes.view(torch.uint8) & 15, codes.view(torch.uint8) >> 4), -1).flatten(-2).long()
    return torch.tensor(NUMBERS_OF_4_BITS)[halves & 7] * (1 - 2 * (halves >> 3))


def largest_of_blocks(values, size):
    padded = F.pad(values.abs(), (0, -values.shape[-1] % size))
    return padded.reshape(*values.shape[:-1], -1, size).amax(-1)


def over_elements(scales, size, width):
    return scales.float().repeat_interleave(size, -1)[..., :width]


def powers_of_two(largest, dtype):
    exponents = torch.frexp(largest)[1] - 1 - LARGEST_POWER[dtype]
    exponents = torch.where(largest > 0, exponents, -127).clamp(-127, 127)
    return torch.ldexp(torch.ones_like(largest), exponents).to(torch.float8_e8m0fnu)


def float32_scales(largest, dtype, upper, least, are_powers_of_two):
    scales = (largest if upper is None else torch.minimum(largest, upper)) / LARGEST[dtype]
    if least is not None:
        scales = torch.maximum(scales, least)
    if are_powers_of_two:
        significands, exponents = torch.frexp(scales)
        scales = torch.where(scales > 0, torch.ldexp(torch.ones_like(scales), exponents - (significands == 0.5).int()), scales)
    return torch.where(scales > 0, scales, 1.0)


def quantize(x, case, y_scale=None, y_scale_group=None, y_scale_ub=None, y_scale_min=None, y_scale_power_of_two=False,
             y_tensor_scale=None):
    dtype, wide = case.dtype, x.float()
    if y_scale is not None:
        return to_codes(wide / y_scale, dtype)
    rows = wide.reshape(1, -1) if y_scale_group == -1 else wide
    size = rows.shape[-1] if y_scale_group == -1 else y_scale_group or (BLOCK if y_tensor_scale is None else BLOCK_OF_TWO_SCALES)
    largest = largest_of_blocks(rows, size)
    if y_tensor_scale is not None:
        scales = (largest / 6 / y_tensor_scale).clamp(2.0**-9, 448).to(torch.float8_e4m3fn)
        by = over_elements(scales.float() * y_tensor_scale, size, rows.shape[-1])
    elif y_scale_group is None:
        scales = powers_of_two(largest, dtype)
        by = over_elements(scales, size, rows.shape[-1])
    else:
        scales = float32_scales(largest, dtype, y_scale_ub, y_scale_min, y_scale_power_of_two)
        by = over_elements(scales, size, rows.shape[-1])
    codes = to_codes((rows / by).reshape(x.shape), dtype)
    return codes, scales.reshape(1) if y_scale_group == -1 else scales


def dequantize(x, case, x_scale, x_scale_group=None, x_tensor_scale=None):
    numbers = from_codes(x, case.tensors["x"].dtype)
    if x_scale_group is None and x_scale.dtype == torch.float32:
        factors = x_scale
    else:
        size = x_scale_group or (BLOCK if x_tensor_scale is None else BLOCK_OF_TWO_SCALES)
        factors = x_scale if size == -1 else over_elements(x_scale, size, numbers.shape[-1])
    if x_tensor_scale is not None:
        factors = factors * x_tensor_scale
    return (numbers * factors).to(getattr(torch, case.dtype))
