"""quantize and dequantize in JAX, with every kind of scale, for the study of false alarms (docs/specification/eight_bits.md)."""
import jax.numpy as jnp

from numpy_scaled import BLOCK, BLOCK_OF_TWO_SCALES, LARGEST, LARGEST_POWER


def to_codes(quotient, dtype):
    """Rounds quotients to a dtype, ties to even and with saturation."""
    limited = jnp.clip(quotient, -LARGEST[dtype], LARGEST[dtype])
    return (jnp.round(limited) if dtype == "int8" else limited).astype(dtype)


def largest_of_blocks(values, size):
    padded = jnp.pad(jnp.abs(values), [(0, 0)] * (values.ndim - 1) + [(0, -values.shape[-1] % size)])
    return padded.reshape((*values.shape[:-1], -1, size)).max(-1)


def over_elements(scales, size, width):
    return jnp.repeat(scales.astype(jnp.float32), size, -1)[..., :width]


def powers_of_two(largest, dtype):
    """Returns the bits of float8_e8m0fnu, because the CPU flushes 2^-127, which is subnormal in float32."""
    exponents = jnp.frexp(largest)[1] - 1 - LARGEST_POWER[dtype]
    exponents = jnp.clip(jnp.where(largest > 0, exponents, -127), -127, 127)
    return exponents, (exponents + 127).astype(jnp.uint8).view(jnp.float8_e8m0fnu)


def float32_scales(largest, dtype, upper, least, are_powers_of_two):
    scales = (largest if upper is None else jnp.minimum(largest, upper)) / jnp.float32(LARGEST[dtype])
    if least is not None:
        scales = jnp.maximum(scales, least)
    if are_powers_of_two:
        significands, exponents = jnp.frexp(scales)
        scales = jnp.where(scales > 0, jnp.ldexp(jnp.float32(1), exponents - (significands == 0.5)), scales)
    return jnp.where(scales > 0, scales, 1)


def quantize(x, case, y_scale=None, y_scale_group=None, y_scale_ub=None, y_scale_min=None, y_scale_power_of_two=False,
             y_tensor_scale=None):
    dtype, wide = case.dtype, x.astype(jnp.float32)
    if y_scale is not None:
        return to_codes(wide / y_scale, dtype)
    rows = wide.reshape(1, -1) if y_scale_group == -1 else wide
    size = rows.shape[-1] if y_scale_group == -1 else y_scale_group or (BLOCK if y_tensor_scale is None else BLOCK_OF_TWO_SCALES)
    largest, width = largest_of_blocks(rows, size), rows.shape[-1]
    if y_tensor_scale is not None:
        scales = jnp.clip(largest / 6 / y_tensor_scale, 2.0**-9, 448).astype(jnp.float8_e4m3fn)
        quotient = rows / over_elements(scales.astype(jnp.float32) * y_tensor_scale, size, width)
    elif y_scale_group is None:
        exponents, scales = powers_of_two(largest, dtype)
        quotient = jnp.ldexp(rows, -jnp.repeat(exponents, size, -1)[..., :width])
    else:
        scales = float32_scales(largest, dtype, y_scale_ub, y_scale_min, y_scale_power_of_two)
        quotient = rows / over_elements(scales, size, width)
    return to_codes(quotient.reshape(x.shape), dtype), scales.reshape(1) if y_scale_group == -1 else scales


def dequantize(x, case, x_scale, x_scale_group=None, x_tensor_scale=None):
    numbers = x.astype(jnp.float32)
    if x_scale_group is None and x_scale.dtype == jnp.float32 or x_scale_group == -1:
        factors = x_scale
    else:
        size = x_scale_group or (BLOCK if x_tensor_scale is None else BLOCK_OF_TWO_SCALES)
        factors = over_elements(x_scale, size, numbers.shape[-1])
    return (numbers * (factors if x_tensor_scale is None else factors * x_tensor_scale)).astype(case.dtype)
