#pragma once

#include <optional>

#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::recipes {

/// How the tensors of a case are stored in 8 bits; scales are rounded to float32.
struct Scales {
  /// Of y, and of x and gate if they are stored in 8 bits.
  corpus::DType dtype = corpus::DType::float8_e4m3fn;
  /// The scale of x and gate. If absent, they have block scales if `blocks` is set, and stay in
  /// float32 otherwise.
  std::optional<double> x = {};
  std::optional<double> y = {};          ///< the scale of y; if absent, y has block scales
  std::optional<double> grad_y = {};     ///< the scale of grad_y, which is stored in e5m2
  std::optional<double> gradients = {};  ///< the scale of the gradients of x and gate, in e5m2
  bool blocks = false;                   ///< whether x and gate have block scales
};

/// Converts the tensors of a float32 case to 8 bits: each element to the nearest number,
/// saturating.
/// Requires  c is of float32; x, gate and grad_y are finite, or NaN if there are no blocks
corpus::Case with_scales(corpus::Case c, const Scales& scales);

}  // namespace normproof::verification::golden::recipes
