#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "ref/numeric/float_format.hpp"
#include "verification/golden/corpus/case.hpp"

/// 8-bit tensors with scales. The operation itself computes in float32. See docs/guide/formats.md,
/// "8 bits with scales".
namespace normproof::verification::golden::corpus {

/// The number of consecutive elements of a row that share one scale [RZM+23]. The last block of a
/// row may be shorter.
inline constexpr std::size_t kScaledBlockSize = 32;

/// Whether the case stores y in 8 bits, with a scale.
bool is_scaled(const Case& c);

/// How an output is scaled before it is stored.
enum class OutputScaling {
  none,
  given,   ///< one scale for the whole output, given as the input `<output>_scale`
  blocks,  ///< one scale per block, a power of two, stored as the output `<output>_scale`
  groups   ///< one float32 scale per group, stored as the output `<output>_scale`
};
OutputScaling output_scaling(const Case& c, std::string_view output);

/// Returns the name of the tensor that holds the scale of a tensor: "y_scale" for "y".
std::string scale_name(std::string_view tensor);

/// The input that gives the number of consecutive elements of a row that share one float32 scale of
/// y, as int64 [1]. The last group of a row may be shorter.
inline constexpr const char* kGroupOfY = "y_scale_group";
/// The inputs that limit the float32 scales of y, as float32 [1]: the upper bound of the magnitude
/// from which a scale follows, and the least scale. A case need not have them.
inline constexpr const char* kUpperBoundOfY = "y_scale_ub";
inline constexpr const char* kMinScaleOfY = "y_scale_min";

/// The limits of float32 scales that a case has.
struct ScaleLimits {
  double upper = std::numeric_limits<double>::infinity();  ///< of the magnitude
  double least = 0;                                        ///< of the scale
};
ScaleLimits scale_limits(const Case& c);

/// Returns the number of consecutive elements of a row that share one scale of y: kScaledBlockSize,
/// or the number in the case.
/// Requires  output_scaling(c, "y") is blocks or groups
std::size_t scale_block_size(const Case& c);

/// Returns the dtype in which an output is stored. In a case without 8-bit tensors, this is
/// output_dtype. In a case with 8-bit tensors, it is:
/// - the dtype of the case for y,
/// - float8_e5m2 for a gradient that has a scale,
/// - float8_e8m0fnu for the scales of blocks, and float32 for those of groups,
/// - float32 for every other output.
DType stored_output_dtype(const Case& c, std::string_view output);

/// Returns the shape of the scales that belong to a tensor of this shape, with one scale for each
/// block of `size` elements.
std::vector<std::size_t> block_scales_shape(std::vector<std::size_t> shape,
                                            std::size_t size = kScaledBlockSize);
/// Returns the index of the block that contains element i. Elements and blocks are numbered in C
/// order.
std::size_t block_index(std::size_t i, std::size_t d_model, std::size_t size = kScaledBlockSize);

/// Returns the exponent of the power of two that scales a block. The parameter `of_largest` is the
/// exponent of the largest magnitude in the block: `floor(log2(m))` for a magnitude m. The result
/// is `of_largest - format.max_exponent`, clamped to [-127, 127].
int block_scale_exponent(int of_largest, const ref::numeric::FloatFormat& format);

/// Returns one scale per element of an 8-bit input.
/// Requires  (C1) the case contains the scale of this input, with one of two layouts: float32 of
///           shape [1], or float8_e8m0fnu of shape block_scales_shape
/// Throws    ContractError
std::vector<double> scales_of(const Case& c, const StoredTensor& input);

/// Whether an input is stored in 8 bits, so that it has scales.
bool has_scales(const StoredTensor& input);

/// Whether a tensor of this name is a scale, or says something about scales.
bool is_name_of_scale(std::string_view name);

/// Whether the case has an 8-bit input with a single float32 scale. Multiplying such an input by
/// its scale causes rounding errors.
bool rounds_inputs(const Case& c);

/// Replaces the dtype of a case by the dtype in which its operation computes: float32 for an 8-bit
/// dtype, otherwise the dtype itself. The inputs keep their dtypes.
Case set_computed_dtype(Case c);

/// Replaces each 8-bit input of a case by the real numbers that it represents, in float64, and
/// removes the scales. The outputs of the new case are float32. A case without 8-bit tensors is
/// returned unchanged.
/// Requires  the condition of scales_of
Case dequantize_inputs(const Case& c);

}  // namespace normproof::verification::golden::corpus
