#pragma once

#include "ref/numeric/float_format.hpp"

namespace normproof::ref::model {

/// layer_norm, or rms_norm where it is not centred, as kernels for tensors of 32 and 16 bits have
/// it: every operation in float32, and one rounding of what is stored.
struct Float32NormOptions {
  bool centred = true;
  double eps = 1e-5;                ///< rounded to float32
  bool zero_centred_gamma = false;  ///< 1 + gamma multiplies, a sum of float32
  /// Of x, y, grad_y and grad_x: float32, bfloat16 or float16.
  numeric::FloatType storage = numeric::FloatType::bfloat16;
  /// Of gamma, beta and their gradients: one of the same three.
  numeric::FloatType parameters = numeric::FloatType::bfloat16;
};

/// Whether float32_norm stores in it.
constexpr bool is_stored_by_float32_norm(numeric::FloatType type) {
  return type == numeric::FloatType::float32 || type == numeric::FloatType::bfloat16 ||
         type == numeric::FloatType::float16;
}

}  // namespace normproof::ref::model
