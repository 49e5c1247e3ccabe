#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ref/numeric/float_format.hpp"
#include "verification/golden/corpus/case.hpp"

/// Tensors of 8 bits with scales, around an operation that computes in float32: docs/guide/formats.md,
/// "8 bits with scales".
namespace normproof::verification::golden::corpus {

/// So many elements of the last axis share a scale, the last ones of a row perhaps fewer [RZM+23].
inline constexpr std::size_t kBlock = 32;

/// Whether y is stored in 8 bits.
bool is_scaled(const Case& c);

/// How an output is scaled before it is stored.
enum class Scaling {
  none,
  given,  ///< by one number, an input: <output>_scale
  blocks  ///< by a scale a block, which is an output: <output>_scale
};
Scaling scaling_of(const Case& c, std::string_view output);

/// "y_scale" of y.
std::string scale_name(std::string_view tensor);

/// The dtype of an output: of a case with scales that of the case for y, float8_e5m2 for a gradient
/// with a scale, float8_e8m0fnu for the scales of blocks, else float32. Of another case that of
/// dtype_of_output.
DType dtype_stored(const Case& c, std::string_view output);

/// The shape of the scales of blocks.
std::vector<std::size_t> shape_of_blocks(std::vector<std::size_t> shape);
/// The block of element i, in C order.
std::size_t block_of(std::size_t i, std::size_t d_model);

/// The exponent of the scale of a block whose largest magnitude has the exponent `of_largest`,
/// floor(log2): that less the exponent of the largest power of two of the format, from -127 to 127.
int exponent_of_scale(int of_largest, const ref::numeric::FloatFormat& format);

/// What multiplies each element of an input of 8 bits: its scale.
/// Requires  (C1) the case has the scale: float32 [1], or float8_e8m0fnu of shape_of_blocks
/// Throws    ContractError
std::vector<double> scales_of(const Case& c, const StoredTensor& input);

/// Whether an input of 8 bits has one scale of float32, with which a product rounds.
bool rounds_inputs(const Case& c);

/// The same question with every input of 8 bits as the real numbers that it stands for, in float64,
/// without scales, and with outputs in float32. Another case as it is.
/// Requires  as scales_of
Case dequantized(const Case& c);

}  // namespace normproof::verification::golden::corpus
