#pragma once

#include "gpu/device/span.hpp"

/// The elementwise kernels of swiglu with a limit, alpha and beta
/// (ref/ops/gated_activation.hpp).
namespace normproof::gpu::ops {

using device::ConstReals;
using device::Reals;

/// Computes the limited x, the argument of the sigmoid, and the factor of the activation. An
/// infinite limit limits nothing, and a beta of 0 is not added.
struct LimitGatedOperands {
  ConstReals x, gate;
  double limit, alpha, beta;
  Reals limited, argument, factor;
  NORMPROOF_DEVICE void operator()(std::size_t i) const {
    limited[i] = x[i] > limit ? limit : x[i];
    argument[i] = limited[i] * alpha;
    const double up = gate[i] > limit ? limit : -gate[i] > limit ? -limit : gate[i];
    factor[i] = beta != 0 ? up + beta : up;
  }
};

/// Sets the gradients of elements beyond the limit to +0.
struct DropGradientsBeyond {
  ConstReals x, gate;
  double limit;
  Reals grad_x, grad_gate;
  NORMPROOF_DEVICE void operator()(std::size_t i) const {
    if (x[i] > limit) grad_x[i] = 0.0;
    if (gate[i] > limit || -gate[i] > limit) grad_gate[i] = 0.0;
  }
};

}  // namespace normproof::gpu::ops
