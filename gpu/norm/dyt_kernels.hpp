#pragma once

#include "gpu/norm/normalized.hpp"

/// Elementwise kernels of dynamic tanh (docs/specification/norms.md). t = tanh(alpha x) is computed
/// before. alpha is [1], or absent for alpha0.
namespace normproof::gpu::norm {

/// The given alpha, or its initial value.
struct Alpha {
  ConstReals given;
  double alpha0;
  NORMPROOF_DEVICE double operator()() const { return given.given() ? given[0] : alpha0; }
};

/// Computes u = alpha x.
struct DyTArgument {
  ConstReals x;
  Alpha alpha;
  Reals u;
  NORMPROOF_DEVICE void operator()(std::size_t i) const { u[i] = alpha() * x[i]; }
};

/// Computes y = gamma t + beta.
struct DyTOutput {
  ConstReals t;
  AffineSpans affine;
  std::size_t width;
  Reals y;
  NORMPROOF_DEVICE void operator()(std::size_t i) const {
    y[i] = affine.gamma_at(i % width) * t[i] + affine.beta_at(i % width);
  }
};

/// Returns   grad_u = gamma grad_y (1 - t^2)
struct DyTSlope {
  ConstReals grad_y, t;
  AffineSpans affine;
  std::size_t width;
  NORMPROOF_DEVICE double operator()(std::size_t i) const {
    return (affine.gamma_at(i % width) * grad_y[i]) * (1.0 - t[i] * t[i]);
  }
};

/// Computes grad_x = grad_u alpha.
struct DyTBackward {
  DyTSlope grad_u;
  Alpha alpha;
  Reals grad_x;
  NORMPROOF_DEVICE void operator()(std::size_t i) const { grad_x[i] = grad_u(i) * alpha(); }
};

/// The term of grad_gamma: grad_y t.
struct DyTGammaTerm {
  ConstReals grad_y, t;
  std::size_t width;
  NORMPROOF_DEVICE double operator()(std::size_t row, std::size_t column) const {
    return grad_y[row * width + column] * t[row * width + column];
  }
};

/// The term of grad_alpha: grad_u x.
struct DyTAlphaTerm {
  DyTSlope grad_u;
  ConstReals x;
  NORMPROOF_DEVICE double operator()(std::size_t row, std::size_t column) const {
    const std::size_t i = row * grad_u.width + column;
    return grad_u(i) * x[i];
  }
};

}  // namespace normproof::gpu::norm
