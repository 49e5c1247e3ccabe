#pragma once

#include <cstddef>
#include <string_view>

#include "ref/numeric/errors.hpp"
#include "ref/numeric/float_format.hpp"

namespace normproof::ref::model {

/// The options of float32_norm. The function computes layer_norm, or rms_norm if `centred` is
/// false, in the same way as a kernel for 32-bit and 16-bit tensors: every operation is in float32
/// or in double, and each stored result is rounded once.
struct Float32NormOptions {
  bool centred = true;
  double eps = 1e-5;                ///< is rounded to `arithmetic`
  bool zero_centred_gamma = false;  ///< the scale is 1 + gamma, computed in `arithmetic`
  /// The format of x, y, grad_y and grad_x. It can be float32, bfloat16 or float16.
  numeric::FloatType storage = numeric::FloatType::bfloat16;
  /// The format of gamma, beta and their gradients. It can be float32, bfloat16 or float16.
  numeric::FloatType parameters = numeric::FloatType::bfloat16;
  /// The format of mean and rstd and of every operation. It can be float32 or float64.
  numeric::FloatType arithmetic = numeric::FloatType::float32;
};

/// float32_norm_backward divides the rows into runs of this many consecutive rows. It adds the
/// terms of grad_gamma and grad_beta that belong to one run in ascending order. Then it adds the
/// sums of the runs by rule R2 of docs/specification/determinism.md.
inline constexpr std::size_t kRowsPerRun = 32;

/// Whether float32_norm can store its results in the format `type`.
constexpr bool is_stored_by_float32_norm(numeric::FloatType type) {
  return type == numeric::FloatType::float32 || type == numeric::FloatType::bfloat16 ||
         type == numeric::FloatType::float16;
}

/// Checks that float32_norm supports the formats options.storage, options.parameters and
/// options.arithmetic.
/// Throws    ContractError with the clause `clause`
void check_formats(std::string_view function, const Float32NormOptions& options,
                   numeric::Clause clause);

}  // namespace normproof::ref::model
