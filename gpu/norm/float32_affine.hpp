#pragma once

#include "gpu/device/span.hpp"

namespace normproof::gpu::norm {

/// gamma and beta of each feature. An absent gamma counts as ones, an absent beta as zeros.
template <class Scalar>
struct FloatAffine {
  device::Span<const Scalar> gamma, beta;
  NORMPROOF_DEVICE Scalar gamma_at(std::size_t i) const {
    return gamma.given() ? gamma[i] : Scalar(1);
  }
  NORMPROOF_DEVICE Scalar beta_at(std::size_t i) const {
    return beta.given() ? beta[i] : Scalar(0);
  }
};

}  // namespace normproof::gpu::norm
