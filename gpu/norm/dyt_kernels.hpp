#pragma once

#include "gpu/norm/normalized.hpp"

/// Elementwise kernels of dynamic tanh (docs/specification/norms.md). They take t = tanh(alpha x)
/// as an input. alpha is a tensor [1]; if it is absent, the option alpha0 replaces it.
namespace normproof::gpu::norm {

/// The parameter alpha, or alpha0 if it is absent.
struct Alpha {
  ConstReals given;
  double alpha0;
  NORMPROOF_DEVICE double operator()() const { return given.given() ? given[0] : alpha0; }
};

/// Computes the argument of tanh: u = alpha x.
struct DyTArgument {
  ConstReals x;
  Alpha alpha;
  Reals u;
  NORMPROOF_DEVICE void operator()(std::size_t i) const { u[i] = alpha() * x[i]; }
};

/// Computes the output: y = gamma t + beta.
struct DyTOutput {
  ConstReals t;
  AffineSpans affine;
  std::size_t width;
  Reals y;
  NORMPROOF_DEVICE void operator()(std::size_t i) const {
    y[i] = affine.gamma_at(i % width) * t[i] + affine.beta_at(i % width);
  }
};

/// Returns the gradient of the argument u = alpha x of tanh.
/// Computes  grad_u = gamma grad_y (1 - t^2)
struct DyTSlope {
  ConstReals grad_y, t;
  AffineSpans affine;
  std::size_t width;
  NORMPROOF_DEVICE double operator()(std::size_t i) const {
    return (affine.gamma_at(i % width) * grad_y[i]) * (1.0 - t[i] * t[i]);
  }
};

/// Computes the gradient of x: grad_x = grad_u alpha.
struct DyTBackward {
  DyTSlope grad_u;
  Alpha alpha;
  Reals grad_x;
  NORMPROOF_DEVICE void operator()(std::size_t i) const { grad_x[i] = grad_u(i) * alpha(); }
};

/// The term of the sum grad_gamma: grad_y t.
struct DyTGammaTerm {
  ConstReals grad_y, t;
  std::size_t width;
  NORMPROOF_DEVICE double operator()(std::size_t row, std::size_t column) const {
    return grad_y[row * width + column] * t[row * width + column];
  }
};

/// The term of the sum grad_alpha: grad_u x.
struct DyTAlphaTerm {
  DyTSlope grad_u;
  ConstReals x;
  NORMPROOF_DEVICE double operator()(std::size_t row, std::size_t column) const {
    const std::size_t i = row * grad_u.width + column;
    return grad_u(i) * x[i];
  }
};

}  // namespace normproof::gpu::norm
