#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "ref/numeric/float_format.hpp"
#include "verification/golden/corpus/case.hpp"

/// Tensors of at most 8 bits with scales. The operation itself computes in float32. See
/// docs/guide/formats.md, "8 bits with scales".
namespace normproof::verification::golden::corpus {

/// The number of consecutive elements of a row that share one scale [RZM+23]. The last block of a
/// row may be shorter.
inline constexpr std::size_t kScaledBlockSize = 32;
/// The number of elements of a block of nvfp4, whose scale is a number of e4m3 times the scale of
/// the tensor.
inline constexpr std::size_t kBlockOfTwoScales = 16;

/// Whether tensors of the dtype are stored in at most 8 bits, with scales: a floating-point format
/// of 8 or 4 bits, or int8.
bool has_8_bits(DType dtype);
/// Whether an input is stored in at most 8 bits and has scales. The scales themselves have none.
bool has_scales(const StoredTensor& input);
/// Whether the case stores y in at most 8 bits, with a scale. If it does not, an input may have so
/// few bits.
bool stores_8_bits(const Case& c);
/// Whether a tensor of the case is stored in at most 8 bits, with a scale: y or an input.
bool is_scaled(const Case& c);

/// How an output is scaled before it is stored.
enum class OutputScaling {
  none,
  given,   ///< one scale for the whole output, given as the input `<output>_scale`
  blocks,  ///< one scale per block, a power of two, stored as the output `<output>_scale`
  groups,  ///< one float32 scale per group, stored as the output `<output>_scale`
  /// One scale per block, a number of e4m3, stored as the output `<output>_scale`, times a scale of
  /// the whole output, given as the input `<output>_tensor_scale`.
  blocks_of_tensor
};
OutputScaling output_scaling(const Case& c, std::string_view output);
/// Whether the scales of y are found by the kernel: those of blocks or of groups.
bool has_found_scales(OutputScaling scaling);
/// Whether the scales are those of blocks, whose number of elements the format fixes.
bool has_blocks(OutputScaling scaling);

/// Returns the name of the tensor that holds the scale of a tensor: "y_scale" for "y".
std::string scale_name(std::string_view tensor);
/// Returns the name of the input that holds the scale of all blocks of a tensor: "y_tensor_scale".
std::string tensor_scale_name(std::string_view tensor);
/// Returns the scale of all blocks of a tensor, by which the scales of the blocks are multiplied,
/// or 1 if the case has none.
double tensor_scale(const Case& c, std::string_view tensor);

/// The scale of a block of nvfp4 is at least this number, the smallest one of e4m3 above 0.
inline constexpr double kMinScaleOfTensorBlock = 0x1p-9;
/// Returns the scale of a block of nvfp4 whose largest magnitude is `magnitude`: the number of e4m3
/// nearest to magnitude / largest / of_tensor, at most 448 and at least kMinScaleOfTensorBlock.
double find_tensor_block_scale(double magnitude, double of_tensor,
                               const ref::numeric::FloatFormat& format);

/// The input that gives the number of consecutive elements of a row that share one float32 scale of
/// y, as int64 [1]. The last group of a row may be shorter. The number kWholeTensor stands for one
/// scale of all elements.
inline constexpr const char* kGroupOfY = "y_scale_group";
inline constexpr int kWholeTensor = -1;
/// The inputs that limit the float32 scales of y, as float32 [1]: the upper bound of the magnitude
/// from which a scale follows, and the least scale. A case need not have them.
inline constexpr const char* kUpperBoundOfY = "y_scale_ub";
inline constexpr const char* kMinScaleOfY = "y_scale_min";
/// The input that says whether the float32 scales of y are rounded up to powers of two, as boolean
/// [1]. If it is absent, they are not.
inline constexpr const char* kPowersOfTwoOfY = "y_scale_power_of_two";

/// The limits of float32 scales that a case has, and whether they are powers of two.
struct ScaleLimits {
  double upper = std::numeric_limits<double>::infinity();  ///< of the magnitude
  double least = 0;                                        ///< of the scale
  bool are_powers_of_two = false;

  /// Returns the scale of a group from its largest magnitude, with one rounding in `double`, or a
  /// power of two.
  double find_scale(double magnitude, const ref::numeric::FloatFormat& format) const;
};
ScaleLimits scale_limits(const Case& c);

/// The partition of a tensor into blocks whose elements share one scale. A block is a number of
/// consecutive elements of a row. The last block of a row may be shorter.
class ScaleBlocks {
 public:
  /// Requires  shape is not empty, and every extent is at least 1; size > 0 or kWholeTensor
  explicit ScaleBlocks(std::vector<std::size_t> shape,
                       std::ptrdiff_t size = static_cast<std::ptrdiff_t>(kScaledBlockSize));

  /// The number of elements of a block, other than the last one of a row.
  std::size_t size() const { return size_; }
  /// The number of elements that blocks may not exceed: a row, or the tensor if it is one block.
  std::size_t row_length() const { return row_length_; }
  std::size_t rows() const { return rows_; }
  std::size_t blocks_per_row() const { return (row_length_ + size_ - 1) / size_; }
  std::size_t count() const { return rows_ * blocks_per_row(); }
  /// Returns the block of element i. Elements and blocks are numbered in C order.
  std::size_t index(std::size_t i) const {
    return i / row_length_ * blocks_per_row() + i % row_length_ / size_;
  }
  /// Returns the shape of the scales: the shape of the tensor with the number of blocks as its last
  /// extent, or [1] if the tensor is one block.
  std::vector<std::size_t> shape_of_scales() const;

 private:
  std::vector<std::size_t> shape_;
  bool is_whole_;
  std::size_t row_length_, rows_, size_;
};

/// Returns the blocks of y that share one scale.
/// Requires  has_found_scales(output_scaling(c, "y")); `shape` is the shape of y
ScaleBlocks scale_blocks_of_y(const Case& c, std::vector<std::size_t> shape);
/// Returns the blocks of an input that share one scale, if it has more than one.
ScaleBlocks scale_blocks_of_input(const Case& c, const StoredTensor& input);
/// Whether all elements of y share one scale that the kernel finds, so that its samples depend on
/// each other.
bool has_one_scale_of_y(const Case& c);

/// Returns the dtype in which an output is stored. In a case without 8-bit tensors, this is
/// output_dtype. In a case with 8-bit tensors, it is:
/// - the dtype of the case for y, which need not have 8 bits,
/// - float8_e5m2 for a gradient that has a scale,
/// - float8_e8m0fnu for the scales of blocks, or float8_e4m3fn if the tensor has a scale too, and
///   float32 for those of groups,
/// - float32 for every other output.
DType stored_output_dtype(const Case& c, std::string_view output);

/// Returns the exponent of the power of two that scales a block. The parameter `of_largest` is the
/// exponent of the largest magnitude in the block: `floor(log2(m))` for a magnitude m. The result
/// is `of_largest - format.max_exponent`, clamped to [-127, 127].
int block_scale_exponent(int of_largest, const ref::numeric::FloatFormat& format);

/// Returns one scale per element of an input of at most 8 bits.
/// Requires  (C1) the case contains the scale of this input, with one of four layouts: float32 of
///           shape [1], float8_e8m0fnu for blocks of kScaledBlockSize elements, float32 for the
///           groups whose size is the input `<input>_scale_group`, an int64 [1], or float8_e4m3fn
///           for blocks of kBlockOfTwoScales elements, if `<input>_tensor_scale` is a float32 [1]
/// Throws    ContractError
std::vector<double> scales_of(const Case& c, const StoredTensor& input);

/// Whether a tensor of this name is a scale, or says something about scales.
bool is_name_of_scale(std::string_view name);

/// Whether the case has an input of at most 8 bits whose scales are no powers of two. Multiplying
/// such an input by its scale causes rounding errors.
bool rounds_inputs(const Case& c);

/// Replaces the dtype of a case by the dtype in which its operation computes: float32 for an 8-bit
/// dtype, otherwise the dtype itself. The inputs keep their dtypes.
Case set_computed_dtype(Case c);

/// Replaces each 8-bit input of a case by the real numbers that it represents, in float64, and
/// removes the scales. If y has 8 bits, the outputs of the new case are float32. A case without
/// 8-bit tensors is returned unchanged.
/// Requires  the condition of scales_of
Case dequantize_inputs(const Case& c);

}  // namespace normproof::verification::golden::corpus
