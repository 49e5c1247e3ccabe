#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ref/numeric/float_format.hpp"
#include "verification/golden/corpus/case.hpp"

/// 8-bit tensors with scales, around an operation that computes in float32: see
/// docs/guide/formats.md, "8 bits with scales".
namespace normproof::verification::golden::corpus {

/// The number of elements of the last axis that share a scale; the last block of a row may be
/// shorter [RZM+23].
inline constexpr std::size_t kBlock = 32;

/// Whether y is stored in 8 bits.
bool is_scaled(const Case& c);

/// How an output is scaled before it is stored.
enum class Scaling {
  none,
  given,  ///< one scale, which is the input <output>_scale
  blocks  ///< one scale per block; the scales are the output <output>_scale
};
Scaling scaling_of(const Case& c, std::string_view output);

/// Returns the name of a tensor's scale: "y_scale" for y.
std::string scale_name(std::string_view tensor);

/// Returns the dtype of an output. In a case with scales, y has the dtype of the case, a gradient
/// with a scale float8_e5m2, block scales float8_e8m0fnu, and other outputs float32. In other cases
/// it is output_dtype.
DType stored_output_dtype(const Case& c, std::string_view output);

/// Returns the shape of the block scales of a tensor of this shape.
std::vector<std::size_t> block_scales_shape(std::vector<std::size_t> shape);
/// Returns the index of the block of element i, in C order.
std::size_t block_index(std::size_t i, std::size_t d_model);

/// Returns the exponent of the scale of a block. `of_largest` is floor(log2) of the block's largest
/// magnitude; the result is that minus the exponent of the format's largest power of two, clamped
/// to [-127, 127].
int block_scale_exponent(int of_largest, const ref::numeric::FloatFormat& format);

/// Returns the scale of each element of an 8-bit input.
/// Requires  (C1) the case has the scale: float32 [1], or float8_e8m0fnu of block_scales_shape
/// Throws    ContractError
std::vector<double> scales_of(const Case& c, const StoredTensor& input);

/// Whether an input is stored in 8 bits, so that it has scales.
bool has_scales(const StoredTensor& input);

/// Whether an 8-bit input has a single float32 scale, so that multiplying by it rounds.
bool rounds_inputs(const Case& c);

/// Returns the case with the dtype that its operation is computed in: float32 for an 8-bit dtype.
/// The inputs keep their dtypes.
Case with_computed_dtype(Case c);

/// Returns the case with every 8-bit input replaced by the real numbers that it represents, in
/// float64 and without scales, and with float32 outputs. A case without scales is returned
/// unchanged.
/// Requires  the condition of scales_of
Case dequantized(const Case& c);

}  // namespace normproof::verification::golden::corpus
