"""Tests kernels that store numbers in 4 bits: mxfp4 and nvfp4, in NumPy and PyTorch, and packed into bytes."""
import numpy as np
import pytest

import normproof
from normproof.errors import UsageError
from normproof.stored import Stored, pack_halves, read_bytes_as, unpack_halves

FOUR_BITS = "float4_e2m1fn"


def scales_of_blocks(x, tensor_scale):
    """Returns the scales of blocks in their dtype: e8m0 for 32 elements, or e4m3 for 16 if the tensor has a scale."""
    ml_dtypes = pytest.importorskip("ml_dtypes")
    block = 32 if tensor_scale is None else 16
    padded = np.pad(np.abs(x), [(0, 0)] * (x.ndim - 1) + [(0, -x.shape[-1] % block)])
    largest = padded.reshape(*x.shape[:-1], -1, block).max(-1)
    if tensor_scale is None:
        exponents = np.floor(np.log2(np.where(largest > 0, largest, 1))) - 2
        return np.exp2(np.where(largest > 0, np.maximum(exponents, -127), -127)).astype(ml_dtypes.float8_e8m0fnu), block
    return np.clip(largest / np.float32(6) / tensor_scale, 2.0**-9, 448).astype(ml_dtypes.float8_e4m3fn), block


def over_elements(scales, block, width):
    return np.repeat(scales.astype(np.float32), block, -1)[..., :width]


def quantize(x, y_tensor_scale=None):
    """Returns elements of ml_dtypes and the scales of their blocks."""
    wide = x.astype(np.float32)
    scales, block = scales_of_blocks(wide, y_tensor_scale)
    by = over_elements(scales, block, x.shape[-1]) * (1 if y_tensor_scale is None else y_tensor_scale)
    codes = np.clip(wide / by, -6, 6).astype(pytest.importorskip("ml_dtypes").float4_e2m1fn)
    return codes, scales


def dequantize(x, x_scale, x_tensor_scale=None):
    block = 32 if x_tensor_scale is None else 16
    factors = over_elements(x_scale, block, x.shape[-1]) * (1 if x_tensor_scale is None else x_tensor_scale)
    return x.astype(np.float32) * factors


def test_a_right_kernel_of_four_bits_passes_every_case():
    pytest.importorskip("ml_dtypes")
    report = normproof.check(quantize, "quantize", dtype="fp4", framework="numpy")
    assert report and not report.declined and len(report.results) > 20, str(report)
    report = normproof.check(dequantize, "dequantize", dtype="float32", framework="numpy", only="*fp4*")
    assert report and not report.declined, str(report)


def test_a_kernel_that_returns_packed_bytes_and_bytes_of_scales_passes():
    pytest.importorskip("ml_dtypes")

    def packed(x, y_tensor_scale=None):
        codes, scales = quantize(x, y_tensor_scale)
        return pack_halves(codes.view(np.uint8)), scales.view(np.uint8)
    report = normproof.check(packed, "quantize", dtype=FOUR_BITS, framework="numpy")
    assert report and not report.declined, str(report)


def exchanged(x, y_tensor_scale=None):
    codes, scales = quantize(x, y_tensor_scale)
    return np.ascontiguousarray(codes.reshape(-1, 2)[:, ::-1]).reshape(codes.shape), scales


def without_the_scale_of_the_tensor(x, y_tensor_scale=None):
    return quantize(x, None if y_tensor_scale is None else np.float32([1]))


def truncated_scales(x, y_tensor_scale=None):
    if y_tensor_scale is None:
        return quantize(x)
    scales = quantize(x, y_tensor_scale)[1]
    exact = scales_of_blocks(x.astype(np.float32) * np.float32(0.97), y_tensor_scale)[0]
    by = over_elements(exact, 16, x.shape[-1]) * y_tensor_scale
    return np.clip(x.astype(np.float32) / by, -6, 6).astype(scales.dtype).astype(quantize(x)[0].dtype), exact


@pytest.mark.parametrize("kernel, words", [
    (exchanged, "the two elements of a byte are exchanged"),
    (without_the_scale_of_the_tensor, "tensor scale of y: ignored")])
def test_mistakes_of_kernels_of_four_bits_are_named(kernel, words):
    pytest.importorskip("ml_dtypes")
    report = normproof.check(kernel, "quantize", dtype=FOUR_BITS, framework="numpy")
    assert not report and words in str(report), str(report)


def test_scales_of_another_block_size_or_rounding_fail():
    pytest.importorskip("ml_dtypes")
    assert not normproof.check(truncated_scales, "quantize", dtype=FOUR_BITS, framework="numpy", only="*/nvfp4_random*")


def test_judge_takes_tensors_of_four_bits():
    pytest.importorskip("ml_dtypes")
    x = np.random.default_rng(7).normal(size=(3, 96)).astype("f")
    assert normproof.judge(quantize, "quantize", x=x, y_dtype="fp4", framework="numpy")
    assert normproof.judge(quantize, "quantize", x=x, y_dtype="fp4", y_tensor_scale=0.002, framework="numpy")
    codes, scales = quantize(x, np.float32([0.002]))
    given = {"x": codes, "x_scale": scales, "x_tensor_scale": 0.002, "framework": "numpy"}
    assert normproof.judge(dequantize, "dequantize", **given)
    assert not normproof.judge(lambda x, x_scale: dequantize(x, x_scale, np.float32([1])), "dequantize", **given)


def test_a_global_scale_is_the_reciprocal_as_in_vllm_and_flashinfer():
    pytest.importorskip("ml_dtypes")

    def scaled_fp4_quant(input, input_global_scale):
        return quantize(input, 1 / input_global_scale)
    report = normproof.check(scaled_fp4_quant, "quantize", dtype="fp4", framework="numpy", only="*/nvfp4*")
    assert report and not report.declined and "1 / the scale of the tensor" in str(report), str(report)
    assert not normproof.check(lambda x, global_scale: quantize(x, global_scale), "quantize", dtype="fp4", framework="numpy",
                               only="*/nvfp4*")
    back = normproof.check(lambda x, x_scale, global_scale: dequantize(x, x_scale, 1 / global_scale), "dequantize",
                           dtype="float32", framework="numpy", only="*/nvfp4*")
    assert back and not back.declined, str(back)


def test_elements_without_the_scales_of_their_blocks_fail():
    pytest.importorskip("ml_dtypes")
    report = normproof.check(lambda x: quantize(x)[0], "quantize", dtype="fp4", framework="numpy", only="*/mxfp4*")
    assert not report and "y_scale is absent" in str(report), str(report)


def test_judge_takes_pairs_of_pytorch():
    torch = pytest.importorskip("torch")
    if not hasattr(torch, "float4_e2m1fn_x2"):
        pytest.skip("PyTorch before 2.8")
    values = torch.tensor([0, 0.5, 1, 1.5, 2, 3, 4, 6])

    def quantize_in_torch(x):
        blocks = x.float().unflatten(-1, (-1, 32))
        scales = torch.exp2(torch.floor(torch.log2(blocks.abs().amax(-1))) - 2)
        quotients = (blocks / scales[..., None]).flatten(-2)
        distance = (quotients.abs()[..., None] - values).abs()
        codes = distance.argmin(-1) + 8 * (quotients < 0)
        packed = (codes[..., ::2] | codes[..., 1::2] << 4).to(torch.uint8)
        return packed.view(torch.float4_e2m1fn_x2), scales.to(torch.float8_e8m0fnu)
    x = torch.randn(3, 96, generator=torch.Generator().manual_seed(3))
    report = normproof.judge(quantize_in_torch, "quantize", x=x, y_dtype=torch.float4_e2m1fn_x2)
    assert report, str(report)
    assert normproof.judge(lambda x: (quantize_in_torch(x)[0].view(torch.uint8), quantize_in_torch(x)[1]), "quantize", x=x,
                           y_dtype="float4_e2m1fn")
    swapped = normproof.judge(lambda x: ((lambda y: (y >> 4 | y << 4))(quantize_in_torch(x)[0].view(torch.uint8)),
                                         quantize_in_torch(x)[1]), "quantize", x=x, y_dtype="float4_e2m1fn")
    assert not swapped and "exchanged" in str(swapped), str(swapped)
    codes, scales = quantize_in_torch(x)

    def dequantize_in_torch(x, scale):
        halves = torch.stack((x.view(torch.uint8) & 15, x.view(torch.uint8) >> 4), -1).flatten(-2).long()
        numbers = values[halves & 7] * (1 - 2 * (halves >> 3))
        return (numbers.unflatten(-1, (-1, 32)) * scale.float()[..., None]).flatten(-2)
    assert normproof.judge(dequantize_in_torch, "dequantize", x=codes, x_scale=scales)


@pytest.mark.parametrize("given, sentence", [
    ({"y_dtype": "float8_e4m3fn", "y_tensor_scale": 0.1}, "y_tensor_scale is given, and y has dtype float8_e4m3fn; expected float4_e2m1fn"),
    ({"y_dtype": "fp4", "y_tensor_scale": 0.1, "y_scale_group": 16}, "y_tensor_scale and y_scale_group are both given"),
    ({"y_dtype": "fp4", "y_tensor_scale": -1.0}, "y_tensor_scale is -1; expected a finite number above 0")])
def test_scales_of_a_tensor_that_do_not_fit_are_refused_in_one_sentence(given, sentence):
    with pytest.raises(UsageError, match=sentence):
        normproof.judge(lambda x: x, "quantize", x=np.ones((2, 4), "f"), **given)


def test_halves_of_bytes_are_packed_and_unpacked():
    codes = np.arange(16, dtype=np.uint8).reshape(2, 8)
    assert pack_halves(codes).tolist() == [[0x10, 0x32, 0x54, 0x76], [0x98, 0xBA, 0xDC, 0xFE]]
    assert np.array_equal(unpack_halves(pack_halves(codes)), codes)
    with pytest.raises(ValueError, match="expected an even last extent"):
        pack_halves(codes[:, :3])
    other = Stored("uint8", codes)
    assert read_bytes_as(other, FOUR_BITS, (2, 8)) is other
    assert read_bytes_as(other, FOUR_BITS, (2, 16)).dtype == FOUR_BITS
    assert read_bytes_as(other, "float8_e8m0fnu", (2, 8)).dtype == "float8_e8m0fnu"
    assert read_bytes_as(other, "", (2, 8)) is other
