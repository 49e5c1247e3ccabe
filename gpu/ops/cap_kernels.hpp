#pragma once

#include "gpu/device/span.hpp"
#include "gpu/ops/elementary_kernels.hpp"

/// The soft cap of attention scores. It is in this folder because the elementary functions are
/// compiled for the device in gpu/ops/cuda_kernels.cu alone.
namespace normproof::gpu::ops {

using device::ConstReals;
using device::Reals;

/// Limits scores to the range from -cap to cap (cap_scores of ref/nn/attention_core.hpp).
struct CapScores {
  double cap;
  Reals scores, tanh;
  NORMPROOF_DEVICE void operator()(std::size_t i) const {
    const double score = scores[i];
    const bool is_finite = score - score == 0;
    tanh[i] = is_finite ? evaluate_tanh(score / cap) : 0.0;
    if (is_finite) scores[i] = tanh[i] * cap;
  }
};

/// The backward of CapScores: grad_score = grad_score (1 - t t).
struct CapScoresBackward {
  ConstReals tanh;
  Reals grad_scores;
  NORMPROOF_DEVICE void operator()(std::size_t i) const {
    grad_scores[i] = grad_scores[i] * (1.0 - tanh[i] * tanh[i]);
  }
};

}  // namespace normproof::gpu::ops
