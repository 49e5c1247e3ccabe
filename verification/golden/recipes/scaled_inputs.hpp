#pragma once

#include <optional>

#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::recipes {

/// How the tensors of a case are stored in 8 bits; scales are rounded to float32.
struct Scales {
  corpus::DType dtype = corpus::DType::float8_e4m3fn;  ///< of y, and of x and gate if they are
  /// Of x and gate; absent: they stay in float32, or have scales of blocks where `blocks` says so.
  std::optional<double> x = {};
  std::optional<double> y = {};          ///< absent: y has the scales of its blocks
  std::optional<double> grad_y = {};     ///< in e5m2
  std::optional<double> gradients = {};  ///< of x and gate, in e5m2
  bool blocks = false;                   ///< x and gate have the scales of their blocks
};

/// The case of float32 with its tensors in 8 bits: each element the nearest number, saturating.
/// Requires  c is of float32, x, gate and grad_y are finite, or NaN without blocks
corpus::Case with_scales(corpus::Case c, const Scales& scales);

}  // namespace normproof::verification::golden::recipes
