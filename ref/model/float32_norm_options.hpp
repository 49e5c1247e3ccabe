#pragma once

#include <cstddef>
#include <string_view>

#include "ref/numeric/errors.hpp"
#include "ref/numeric/float_format.hpp"

namespace normproof::ref::model {

/// layer_norm, or rms_norm where it is not centred, as kernels for tensors of 32 and 16 bits have
/// it: every operation in float32, or in double, and one rounding of what is stored.
struct Float32NormOptions {
  bool centred = true;
  double eps = 1e-5;                ///< rounded to the arithmetic
  bool zero_centred_gamma = false;  ///< 1 + gamma multiplies, a sum of the arithmetic
  /// Of x, y, grad_y and grad_x: float32, bfloat16 or float16.
  numeric::FloatType storage = numeric::FloatType::bfloat16;
  /// Of gamma, beta and their gradients: one of the same three.
  numeric::FloatType parameters = numeric::FloatType::bfloat16;
  /// Of mean and rstd, and of every operation: float32 or float64.
  numeric::FloatType arithmetic = numeric::FloatType::float32;
};

/// Rows whose terms of grad_gamma and grad_beta float32_norm adds one after the other, before the
/// sums of these runs are added by rule R2.
inline constexpr std::size_t kRowsOfARun = 32;

/// Whether float32_norm stores in it.
constexpr bool is_stored_by_float32_norm(numeric::FloatType type) {
  return type == numeric::FloatType::float32 || type == numeric::FloatType::bfloat16 ||
         type == numeric::FloatType::float16;
}

/// Checks    that float32_norm stores in both formats, and computes in the third
/// Throws    ContractError of the clause
void check_formats(std::string_view function, const Float32NormOptions& options,
                   numeric::Clause clause);

}  // namespace normproof::ref::model
