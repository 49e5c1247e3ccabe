#pragma once

#include "gpu/ops/lane_kernels.hpp"

namespace normproof::gpu::train {

using device::ConstIndices;
using device::ConstReals;
using device::Reals;

/// Where the gradient of a parameter's element is.
struct GradientSpan {
  ConstReals values;
  ConstIndices place;  ///< of each row of the parameter, or past the end; absent: dense
  std::size_t width;   ///< of a row
  std::size_t rows;    ///< of values

  NORMPROOF_DEVICE bool has(std::size_t i) const {
    return !place.given() || place[i / width] < rows;
  }
  NORMPROOF_DEVICE double operator()(std::size_t i) const {
    if (!place.given()) return values[i];
    const std::size_t row = place[i / width];
    return row < rows ? values[row * width + i % width] : 0.0;
  }
};

/// p -= lr g, and nothing where a gradient of rows leaves the row out.
struct SgdStep {
  GradientSpan g;
  double lr;
  Reals p;
  NORMPROOF_DEVICE void operator()(std::size_t i) const {
    if (g.has(i)) p[i] -= lr * g(i);
  }
};

/// v = momentum v + g ; p -= lr v
struct MomentumStep {
  GradientSpan g;
  double lr, momentum;
  Reals p, v;
  NORMPROOF_DEVICE void operator()(std::size_t i) const {
    v[i] = momentum * v[i] + g(i);
    p[i] -= lr * v[i];
  }
};

/// Adam, with decay AdamW: docs/specification/training.md.
struct AdamStep {
  GradientSpan g;
  bool decays;
  double beta1, beta2, eps, step_size, root, kept;
  Reals p, m, v;
  NORMPROOF_DEVICE void operator()(std::size_t i) const {
    const double gradient = g(i);
    if (decays) p[i] *= kept;
    m[i] = beta1 * m[i] + (1.0 - beta1) * gradient;
    v[i] = beta2 * v[i] + ((1.0 - beta2) * gradient) * gradient;
    p[i] -= (step_size * m[i]) / (__builtin_sqrt(v[i]) / root + eps);
  }
};

/// y = y factor
struct ScaleInPlace {
  double factor;
  Reals y;
  NORMPROOF_DEVICE void operator()(std::size_t i) const { y[i] *= factor; }
};

/// x^2, which shows where a square overflows.
struct Square {
  ConstReals x;
  Reals y;
  NORMPROOF_DEVICE void operator()(std::size_t i) const { y[i] = x[i] * x[i]; }
};

/// S(x^2) of the whole.
struct SquareSum {
  static constexpr int kTotals = 1;
  static constexpr int kMaxima = 0;
  ConstReals x;
  std::size_t place;
  Reals sums;
  template <class Totals>
  NORMPROOF_DEVICE double lane(int, std::size_t, std::size_t lane, Totals) const {
    return ops::lane_sum(x.size, lane, [&](std::size_t i) { return x[i] * x[i]; });
  }
  template <class Totals>
  NORMPROOF_DEVICE void finish(std::size_t, std::size_t lane, Totals totals) const {
    if (lane == 0) sums[place] = totals[0];
  }
};

}  // namespace normproof::gpu::train
