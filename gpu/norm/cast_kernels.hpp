#pragma once

#include "gpu/norm/normalized.hpp"
#include "ref/numeric/float_format.hpp"

namespace normproof::gpu::norm {

/// Rounds to a low-precision format before beta is added. Computes y = round(gamma x_hat) + beta if
/// `after_gamma` is true, else y = gamma round(x_hat) + beta. On entry y holds x_hat.
struct RoundBeforeBeta {
  ref::numeric::FloatFormat format;
  bool after_gamma;
  AffineSpans affine;
  std::size_t width;
  Reals y;
  NORMPROOF_DEVICE void operator()(std::size_t i) const {
    const double gamma = affine.gamma_at(i % width);
    const double cast =
        after_gamma ? round_to(format, gamma * y[i]) : gamma * round_to(format, y[i]);
    y[i] = cast + affine.beta_at(i % width);
  }
};

}  // namespace normproof::gpu::norm
