"""Tests the names of dtypes of each framework."""
import numpy as np
import pytest

import normproof
from normproof.dtypes import dtype_name, dtype_names
from normproof.errors import UsageError


class Named:
    """A dtype as tinygrad has them."""

    def __init__(self, name):
        self.name = name


@pytest.mark.parametrize("dtype, name", [
    ("bfloat16", "bfloat16"), (np.float16, "float16"), (np.dtype("f8"), "float64"), (float, "float64"),
    (Named("float"), "float32"), (Named("__bf16"), "bfloat16"), (Named("half"), "float16"), (Named("bfloat16"), "bfloat16")])
def test_one_dtype_is_recognized_by_its_framework_name(dtype, name):
    assert dtype_name(dtype) == name and dtype_names(dtype) == [name]


def test_dtypes_of_pytorch_are_recognized():
    torch = pytest.importorskip("torch")
    assert dtype_names([torch.float, torch.double, torch.half]) == ["float32", "float64", "float16"]
    assert dtype_names(torch.bfloat16) == ["bfloat16"]


@pytest.mark.parametrize("dtype", ["f33", int, np.int16, [np.float32, "int16"], (), None])
def test_an_unsupported_dtype_is_a_usage_error(dtype):
    with pytest.raises(UsageError, match="expected one or several of float64, float32, float16, bfloat16"):
        dtype_names(dtype)


def silu_in_eight_bits(x, y_scale, dtype, x_scale=None):
    """A kernel that saturates, whose scales belong to whole tensors."""
    ml_dtypes = pytest.importorskip("ml_dtypes")
    wide = x.astype(np.float32) * (1 if x_scale is None else x_scale)
    largest = np.float32(ml_dtypes.finfo(dtype).max)
    return np.clip(wide / (1 + np.exp(-wide)) / y_scale, -largest, largest).astype(dtype)


def silu_in_blocks(x, dtype, x_scale=None):
    """A kernel with one scale for each block of 32 elements, which it returns too."""
    ml_dtypes = pytest.importorskip("ml_dtypes")
    wide, largest = x.astype(np.float32), np.float32(ml_dtypes.finfo(dtype).max)
    if x_scale is not None:
        wide = wide * np.repeat(x_scale.astype(np.float32), 32, -1)[..., :wide.shape[-1]]
    y = wide / (1 + np.exp(-wide))
    blocks = np.pad(np.abs(y), ((0, 0), (0, -y.shape[-1] % 32))).reshape(len(y), -1, 32).max(-1)
    exponents = np.floor(np.log2(np.where(blocks > 0, blocks, 1))) - np.floor(np.log2(largest))
    scale = np.where(blocks > 0, np.exp2(exponents), 2.0**-127).astype(np.float32)
    quotient = y / np.repeat(scale, 32, -1)[..., :y.shape[-1]]
    return np.clip(quotient, -largest, largest).astype(dtype), scale.astype(ml_dtypes.float8_e8m0fnu)


def dtype_of_case(case):
    return np.dtype(case.dtype)


@pytest.mark.parametrize("dtype", ["float8_e4m3fn", "float8_e5m2"])
def test_kernels_of_eight_bits_are_judged(dtype):
    narrow = getattr(pytest.importorskip("ml_dtypes"), dtype)
    options = {"dtype": narrow, "framework": "numpy", "arguments": {"dtype": dtype_of_case}}
    report = normproof.check(silu_in_eight_bits, "silu", only="float8*", relations="strides,repeat,rank", **options)
    assert report and "no gradients: forward alone" in str(report)
    found_by_kernel = [result for result in report.declined if any(word in result.path for word in ("_scale", "_group", "_powers"))]
    assert all("y_scale" in result.text for result in found_by_kernel) and found_by_kernel
    assert all("takes no grad_x_scale" in result.text for result in report.declined if result not in found_by_kernel)
    assert len(report.results) - len(report.declined) > 3
    blocks = normproof.check(silu_in_blocks, "silu", only="mxfp8*", **options)
    assert blocks and not blocks.declined

    def wrong(x, y_scale, dtype, x_scale=None):
        return silu_in_eight_bits(x, y_scale * np.float32(1.1), dtype, x_scale)
    assert not normproof.check(wrong, "silu", only="float8*", **options)


def silu_with_scales(exponents):
    """Returns silu whose blocks have the scales 2^exponents(M, emax, largest)."""
    ml_dtypes = pytest.importorskip("ml_dtypes")

    def silu(x, dtype, x_scale=None):
        wide = x.astype(np.float32)
        if x_scale is not None:
            wide = wide * np.repeat(x_scale.astype(np.float32), 32, -1)[..., :x.shape[-1]]
        with np.errstate(all="ignore"):
            y = wide / (1 + np.exp(-wide))
            padded = np.pad(np.abs(y), [(0, 0)] * (y.ndim - 1) + [(0, -y.shape[-1] % 32)])
            largest = padded.reshape(*y.shape[:-1], -1, 32).max(-1)
            limit, emax = float(ml_dtypes.finfo(dtype).max), ml_dtypes.finfo(dtype).maxexp - 1
            exponent = np.clip(np.where(largest > 0, exponents(largest, emax, np.float32(limit)), -127), -127, 127)
        scales = np.exp2(exponent).astype(np.float32)
        stored = np.clip(y / np.repeat(scales, 32, -1)[..., :y.shape[-1]], -limit, limit)
        return stored.astype(dtype), scales.astype(ml_dtypes.float8_e8m0fnu)
    return silu


ROUNDINGS = {
    "floor": lambda m, emax, limit: np.frexp(m)[1] - 1 - emax,
    "up": lambda m, emax, limit: np.ceil(np.log2(m / limit)),
    "nearest": lambda m, emax, limit: np.round(np.log2(m / limit)),
    "ceil": lambda m, emax, limit: np.frexp(m)[1] - 1 + (np.frexp(m)[0] > 0.5) - emax,
}


@pytest.mark.parametrize("rounding", ROUNDINGS)
def test_the_rounding_of_scales_is_declared_or_suggested(rounding):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    if not hasattr(ml_dtypes, "float8_e8m0fnu"):
        pytest.skip("ml_dtypes before 0.5")
    options = {"dtype": "float8_e4m3fn", "only": "mxfp8*", "framework": "numpy",
               "arguments": {"dtype": lambda case: getattr(ml_dtypes, case.dtype)}}
    kernel = silu_with_scales(ROUNDINGS[rounding])
    declared = normproof.check(kernel, "silu", scale_rounding=rounding, **options)
    assert declared and not declared.declined, str(declared)
    silent = normproof.check(kernel, "silu", strict=rounding != "floor", **options)  # without conventions of libraries
    assert bool(silent) is (rounding == "floor")
    if rounding != "floor":
        assert f'pass scale_rounding="{rounding}"' in str(silent), str(silent)
        assert all("the answer is right for scale_rounding=" in str(result.json["diagnosis"]) for result in silent.failures)
    other = "up" if rounding != "up" else "floor"
    assert not normproof.check(kernel, "silu", scale_rounding=other, **options)


def silu_of_groups(x, dtype, group_size, scale_ub=None, min_scaling_factor=None):
    """Returns silu with a float32 scale for each group of columns, as kernels before a product in 8 bits have it."""
    limit, width = np.float32(pytest.importorskip("ml_dtypes").finfo(dtype).max), x.shape[-1]
    wide = x.astype(np.float32)
    y = wide / (1 + np.exp(-wide))
    padded = np.pad(np.abs(y), [(0, 0)] * (y.ndim - 1) + [(0, -width % group_size)])
    largest = padded.reshape(*y.shape[:-1], -1, group_size).max(-1)
    if scale_ub is not None:
        largest = np.minimum(largest, scale_ub)
    scales = largest / limit
    scales = np.maximum(scales, 1e-12 if min_scaling_factor is None else min_scaling_factor).astype(np.float32)
    stored = np.clip(y / np.repeat(scales, group_size, -1)[..., :width], -limit, limit)
    return stored.astype(dtype), scales


def silu_of_rows(x, dtype, scale_ub=None, min_scaling_factor=None):
    return silu_of_groups(x, dtype, x.shape[-1], scale_ub, min_scaling_factor)


def test_scales_of_rows_and_groups_are_judged():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    options = {"framework": "numpy", "arguments": {"dtype": lambda case: getattr(ml_dtypes, case.dtype)},
               "only": ["float8_row_scales*", "float8_group*", "float8_bounded*", "float8_least*", "float8_zero*"]}
    for dtype, count in (("float8_e4m3fn", 6), ("float8_e5m2", 2)):
        report = normproof.check(silu_of_groups, "silu", dtype=dtype, **options)
        assert report and not report.declined and len(report.results) == count, str(report)
        rows = normproof.check(silu_of_rows, "silu", dtype=dtype, **options)
        assert rows and len(rows.results) - len(rows.declined) == {6: 3, 2: 1}[count], str(rows)

    def zeros_over_zero(x, dtype, group_size):
        with np.errstate(all="ignore"):
            return silu_of_groups(x, dtype, group_size, None, 0)
    failed = normproof.check(zeros_over_zero, "silu", dtype="float8_e4m3fn", **{**options, "only": "float8_zero*"})
    assert not failed and "scale of a group of zeros of y: 0, so that its elements are NaN" in str(failed), str(failed)


def test_a_rounding_of_scales_without_scales_is_refused_in_one_sentence():
    with pytest.raises(UsageError, match="scale_rounding is up, and no case of gelu has scales of blocks; expected floor"):
        normproof.check(lambda x: x, "gelu", scale_rounding="up")
    with pytest.raises(UsageError, match="unknown scale rounding 'rceil'"):
        normproof.check(lambda x: x, "silu", scale_rounding="rceil")


def test_tensors_of_eight_bits_of_pytorch_are_recognized():
    torch = pytest.importorskip("torch")
    if not hasattr(torch, "float8_e5m2"):
        pytest.skip("PyTorch before 2.1")

    def softmax(x, x_scale, y_scale):
        y = torch.softmax(x.float() * x_scale, -1) / y_scale
        largest = torch.finfo(x.dtype).max
        return y.clamp(-largest, largest).to(x.dtype)
    for dtype in (torch.float8_e4m3fn, torch.float8_e5m2):
        assert normproof.check(softmax, "softmax", dtype=dtype, only=["float8_random*", "float8_saturated*"])


@pytest.mark.parametrize("op, dtype, sentence", [
    ("gelu", "e4m3", "no case of gelu in float8_e4m3fn, tier quick; expected one of add_layer_norm, add_rms_norm, "
     "layer_norm, quantize, rms_norm, silu, softmax, swiglu, which have cases of 8 bits"),
    ("silu", ["fp32", "e5m2"], "expected dtypes of 8 bits, which have scales and no gradients by the framework, in a call of their own"),
    ("silu", "float8_e4m3fnuz", "expected one or several of float64, float32, float16, bfloat16, float8_e4m3fn, float8_e5m2, int8")])
def test_dtypes_of_eight_bits_without_cases_are_refused_in_one_sentence(op, dtype, sentence):
    with pytest.raises(UsageError, match=sentence):
        normproof.check(lambda x: x, op, dtype=dtype)


def test_agree_takes_no_tensors_of_eight_bits():
    with pytest.raises(UsageError, match="agree: dtype='float8_e5m2'; expected one or several of float64"):
        normproof.agree(lambda x: x, lambda x: x, "silu", dtype="float8_e5m2")


def largest_of(dtype):
    return np.float32(127 if dtype == "int8" else pytest.importorskip("ml_dtypes").finfo(dtype).max)


def stored_in(dtype, quotient):
    """Rounds quotients to float8 or to int8, which has no -128."""
    limit = largest_of(dtype)
    return np.clip(np.rint(quotient) if dtype == "int8" else quotient, -limit, limit).astype(dtype)


def quantize_statically(x, scale, dtype):
    return stored_in(dtype, x.astype(np.float32) / scale)


def quantize_by_groups(x, group_size, dtype, scale_ub=None, min_scaling_factor=None, use_ue8m0=False):
    """Returns codes and float32 scales of rows, of groups of columns, or of the tensor (group_size -1)."""
    wide = x.astype(np.float32)
    rows = wide.reshape(1, -1) if group_size == -1 else wide
    size = rows.shape[-1] if group_size == -1 else group_size
    padded = np.pad(np.abs(rows), [(0, 0)] * (rows.ndim - 1) + [(0, -rows.shape[-1] % size)])
    largest = padded.reshape(*rows.shape[:-1], -1, size).max(-1)
    if scale_ub is not None:
        largest = np.minimum(largest, scale_ub)
    scales = np.maximum(largest / largest_of(dtype), 1e-30 if min_scaling_factor is None else min_scaling_factor)
    scales = scales.astype(np.float32)
    if use_ue8m0:
        scales = np.exp2(np.ceil(np.log2(scales)))
    quotient = rows / np.repeat(scales, size, -1)[..., :rows.shape[-1]]
    return stored_in(dtype, quotient.reshape(x.shape)), scales.reshape(1) if group_size == -1 else scales


@pytest.mark.parametrize("dtype", ["float8_e4m3fn", "float8_e5m2", "int8"])
def test_kernels_that_only_quantize_are_judged(dtype):
    pytest.importorskip("ml_dtypes")
    options = {"dtype": dtype, "framework": "numpy", "arguments": {"dtype": lambda case: case.dtype}}
    static = normproof.check(quantize_statically, "quantize", **options)
    assert static and "scale is y_scale" in str(static), str(static)
    assert any("_ties" in result.path and result.passed for result in static.results)
    found = normproof.check(quantize_by_groups, "quantize", **options)
    assert found and len(found.results) - len(found.declined) >= 3, str(found)
    assert any("tensor_scale" in result.path and result.passed for result in found.results)


def test_mistakes_of_kernels_that_only_quantize_are_named():
    options = {"dtype": "int8", "framework": "numpy"}

    def half_away(x, scale):
        quotient = x.astype(np.float32) / scale
        return np.clip(np.copysign(np.floor(np.abs(quotient) + np.float32(0.5)), quotient), -127, 127).astype(np.int8)

    def truncated(x, scale):
        return np.clip(x.astype(np.float32) / scale, -127, 127).astype(np.int8)

    def to_minus_128(x, scale):
        return np.clip(np.rint(x.astype(np.float32) / scale), -128, 127).astype(np.int8)
    for kernel, words in ((half_away, "ties away from 0"), (truncated, "truncated"), (to_minus_128, "-128")):
        report = normproof.check(kernel, "quantize", **options)
        assert not report and words in str(report), str(report)


def test_kernels_that_only_dequantize_are_judged():
    pytest.importorskip("ml_dtypes")

    def by_groups(x, scale, group_size=None):
        factors = scale.astype(np.float32)
        if factors.ndim == x.ndim:
            size = group_size or (x.shape[-1] if factors.shape[-1] == 1 else 32)
            factors = np.repeat(factors, size, -1)[..., :x.shape[-1]]
        return x.astype(np.float32) * factors
    report = normproof.check(by_groups, "dequantize", dtype="float32", framework="numpy")
    assert report and all("x_tensor_scale" in result.text for result in report.declined), str(report)
    wrong = normproof.check(lambda x, scale: x.astype(np.float32) / scale, "dequantize", dtype="float32",
                            framework="numpy", only="*one_scale*")
    assert not wrong and "scale of x: divided by instead of multiplied" in str(wrong), str(wrong)


def test_judge_takes_tensors_of_eight_bits_with_their_scales():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x = np.random.default_rng(5).normal(size=(3, 96)).astype("f")
    for dtype in ("float8_e4m3fn", "int8"):
        arguments = {"dtype": lambda case: case.dtype}
        given = {"x": x, "y_dtype": dtype, "framework": "numpy", "arguments": arguments}
        for options in ({"y_scale_group": 96}, {"y_scale_group": 32}, {"y_scale_group": -1}, {"y_scale_group": 64, "y_scale_ub": 1.5},
                        {"y_scale_group": 32, "use_ue8m0": True}):
            report = normproof.judge(quantize_by_groups, "quantize", **given, **options)
            assert report, str(report)
        assert normproof.judge(quantize_statically, "quantize", **given, y_scale=0.05)
        assert not normproof.judge(quantize_statically, "quantize", **{**given, "arguments": {
            "dtype": lambda case: case.dtype, "scale": lambda case: np.float32([0.1])}}, y_scale=0.05)
    codes = stored_in("float8_e4m3fn", x / np.float32(0.01))
    for y_dtype in ("float32", ml_dtypes.bfloat16):
        narrow = np.dtype(y_dtype)
        assert normproof.judge(lambda x, x_scale: (x.astype(np.float32) * x_scale).astype(narrow), "dequantize", x=codes,
                               x_scale=0.01, y_dtype=y_dtype, framework="numpy")
    assert normproof.judge(silu_in_eight_bits, "silu", x=codes, x_scale=0.01, y_scale=0.02, framework="numpy",
                           arguments={"dtype": lambda case: case.dtype})


@pytest.mark.parametrize("dtype", ["float8_e4m3fn", "int8"])
def test_judge_takes_tensors_of_eight_bits_of_pytorch(dtype):
    torch = pytest.importorskip("torch")
    if not hasattr(torch, "float8_e5m2"):
        pytest.skip("PyTorch before 2.1")
    kind = getattr(torch, dtype)
    limit = 127 if dtype == "int8" else torch.finfo(kind).max

    def quantize(x, group_size):
        groups = x.float().unflatten(-1, (-1, group_size))
        scales = groups.abs().amax(-1) / limit
        codes = (groups / scales[..., None]).clamp(-limit, limit)
        return (codes.round() if dtype == "int8" else codes).to(kind).flatten(-2), scales

    def dequantize(x, scale, group_size):
        return (x.float().unflatten(-1, (-1, group_size)) * scale[..., None]).flatten(-2).to(torch.bfloat16)
    x = torch.randn(3, 96, generator=torch.Generator().manual_seed(3)).to(torch.bfloat16)
    assert normproof.judge(quantize, "quantize", x=x, y_dtype=kind, y_scale_group=32)
    codes, scales = quantize(x, 32)
    assert normproof.judge(dequantize, "dequantize", x=codes, x_scale=scales, x_scale_group=32, y_dtype=torch.bfloat16)
    wrong = normproof.judge(lambda x, group_size: quantize(x.roll(1, 0), group_size), "quantize", x=x, y_dtype=kind, y_scale_group=32)
    assert not wrong


@pytest.mark.parametrize("op, given, sentence", [
    ("silu", {"x": "e5m2"}, "x has dtype float8_e5m2, and tensors of 8 bits have scales; expected x_scale="),
    ("gelu", {"x": "e5m2"}, "x has dtype float8_e5m2; expected one of float64, float32, float16, bfloat16, as only layer_norm"),
    ("quantize", {"x": "f4"}, "quantize needs y_dtype=, which is not given; expected one of float8_e4m3fn, float8_e5m2, int8, float4_e2m1fn"),
    ("quantize", {"x": "f4", "y_dtype": "float16"}, "y_dtype='float16'; expected one of float8_e4m3fn, float8_e5m2, int8, float4_e2m1fn"),
    ("quantize", {"x": "f4", "y_dtype": "int8"}, "y of int8 has no scales of blocks; expected y_scale or y_scale_group"),
    ("quantize", {"x": "f4", "y_dtype": "int8", "y_scale_group": -2}, "y_scale_group is -2; expected a finite number above 0"),
    ("quantize", {"x": "f4", "y_dtype": "int8", "y_scale": np.ones(3, "f")}, r"y_scale is float32 \[3\]; expected float32 \[1\]"),
    ("dequantize", {"x": "e4m3fn", "x_scale": np.ones(3, "f")}, r"is float32 \[3\]; expected float32 \[1\], or float8_e8m0fnu")])
def test_scales_that_do_not_fit_are_refused_in_one_sentence(op, given, sentence):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    dtype = given["x"] if given["x"] == "f4" else getattr(ml_dtypes, f"float8_{given['x']}")
    with pytest.raises(UsageError, match=sentence):
        normproof.judge(lambda x: x, op, **{**given, "x": np.ones((2, 3), dtype)})


def rms_in_eight_bits(x, weight, eps, scale, dtype, x_scale):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    wide = x.astype(np.float32) * x_scale
    y = wide / np.sqrt((wide * wide).mean(-1, keepdims=True) + np.float32(eps)) * weight / scale
    largest = np.float32(ml_dtypes.finfo(dtype).max)
    return np.clip(y, -largest, largest).astype(dtype)


def test_a_kernel_of_eight_bits_needs_no_scales_of_gradients_and_may_call_its_scale_so():
    pytest.importorskip("ml_dtypes")
    report = normproof.check(rms_in_eight_bits, "rms_norm", dtype="float8_e4m3fn", arguments={"dtype": lambda case: case.dtype})
    assert report and "scale is y_scale" in str(report), str(report)
    assert any("float8_gradients" in result.path for result in report.results if result.passed)
    assert not [result for result in report.results if result.path.endswith("float32")]  # certified again in another dtype


def test_a_kernel_of_eight_bits_without_the_scale_of_x_is_told_to_take_it():
    pytest.importorskip("ml_dtypes")
    report = normproof.check(lambda x, weight, eps, y_scale: x, "rms_norm", dtype="float8_e4m3fn")
    assert not report and "in the cases of 8 bits x has 8 bits too: take x_scale" in str(report)
