#pragma once

#include "gpu/norm/normalized.hpp"
#include "gpu/ops/storage_rounding.hpp"

namespace normproof::gpu::norm {

using ops::StorageRounding;

/// y = cast(gamma x_hat) + beta, or gamma cast(x_hat) + beta; y holds x_hat before.
struct CastOutput {
  StorageRounding format;
  bool after_gamma;
  AffineSpans affine;
  std::size_t width;
  Reals y;
  NORMPROOF_DEVICE void operator()(std::size_t i) const {
    const double gamma = affine.gamma_of(i % width);
    y[i] = (after_gamma ? format(gamma * y[i]) : gamma * format(y[i])) + affine.beta_of(i % width);
  }
};

}  // namespace normproof::gpu::norm
