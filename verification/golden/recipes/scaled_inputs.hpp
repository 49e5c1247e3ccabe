#pragma once

#include <optional>

#include "verification/golden/corpus/case.hpp"
#include "verification/golden/recipes/recipe.hpp"

namespace normproof::verification::golden::recipes {

/// The options for storing the tensors of a case in 8 bits. Scales are rounded to float32.
struct EightBitScales {
  /// The 8-bit dtype of y, and of x and gate if they are stored in 8 bits.
  corpus::DType dtype = corpus::DType::float8_e4m3fn;
  /// The scale of x and gate. If it is absent, x and gate either have block scales or stay in
  /// float32. The member `blocks` selects one of these two forms.
  std::optional<double> x = {};
  std::optional<double> y = {};       ///< the scale of y; if it is absent, y has block scales
  std::optional<double> grad_y = {};  ///< the scale of grad_y, which is stored in float8_e5m2
  /// The scale of the gradients of x and gate. These gradients are stored in float8_e5m2.
  std::optional<double> gradients = {};
  bool blocks = false;  ///< whether x and gate have block scales
  /// The number of elements that share one float32 scale of y, or corpus::kWholeTensor; 0 if y has
  /// no such scales.
  std::ptrdiff_t group = 0;
  std::optional<double> upper = {};  ///< the upper bound of the magnitude, if y has float32 scales
  std::optional<double> least = {};  ///< the least scale, if y has float32 scales
  bool powers_of_two = false;        ///< whether the float32 scales of y are powers of two
  /// The dtype of x if y does not have 8 bits. The case then keeps its dtype.
  std::optional<corpus::DType> x_dtype = {};
  std::ptrdiff_t x_group = 0;  ///< as `group`, for x and gate
  /// The scale of y, by which the scales of its blocks of 16 are multiplied; y has 4 bits.
  std::optional<double> y_tensor = {};
  std::optional<double> x_tensor = {};  ///< as `y_tensor`, for x
};

/// Returns a fill whose magnitude changes from block to block of a row of d_model elements.
Fill fill_varying_by_block(std::size_t d_model, std::size_t block);

/// Converts the tensors of a float32 case to 8 bits. Each element is rounded to the nearest number,
/// or to the largest number if it is out of range.
/// Requires  x, gate and grad_y contain no infinity; they contain no NaN if there are block scales;
///           the dtype of c is float32 or one of 16 bits, if y has 8 bits
corpus::Case convert_to_8_bits(corpus::Case c, const EightBitScales& scales);

}  // namespace normproof::verification::golden::recipes
