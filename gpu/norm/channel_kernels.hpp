#pragma once

#include "gpu/norm/normalized.hpp"

/// Elementwise kernels on tensors [D] with one value per channel or per statistic.
namespace normproof::gpu::norm {

/// Divides by a count: out = value / n.
struct Divide {
  ConstReals value;
  double n;
  Reals out;
  NORMPROOF_DEVICE void operator()(std::size_t i) const { out[i] = value[i] / n; }
};

/// Computes an rstd: out = 1 / sqrt(square + eps).
struct ReciprocalRoot {
  ConstReals square;
  double eps;
  Reals out;
  NORMPROOF_DEVICE void operator()(std::size_t i) const {
    out[i] = 1.0 / __builtin_sqrt(square[i] + eps);
  }
};

/// Updates a running average: out = decay old_value + (1 - decay) new_value.
struct MovingAverage {
  ConstReals old_value, new_value;
  double decay;
  Reals out;
  NORMPROOF_DEVICE void operator()(std::size_t i) const {
    out[i] = decay * old_value[i] + (1.0 - decay) * new_value[i];
  }
};

/// Computes out = (gamma sum) / n.
struct ScaledMean {
  AffineSpans affine;
  ConstReals sum;
  double n;
  Reals out;
  NORMPROOF_DEVICE void operator()(std::size_t i) const {
    out[i] = affine.gamma_at(i) * sum[i] / n;
  }
};

/// Computes the unbiased variance: out = biased_variance n / (n - 1).
struct UnbiasedVariance {
  ConstReals biased_variance;
  double n;
  Reals out;
  NORMPROOF_DEVICE void operator()(std::size_t i) const {
    out[i] = biased_variance[i] * n / (n - 1.0);
  }
};

/// Computes the factors of batch renormalization. With s = sqrt(running_variance + eps): r =
/// clamp((1/rstd)/s, 1/r_max, r_max) and d = clamp((mean - running_mean)/s, -d_max, d_max).
struct BatchRenormFactors {
  ConstReals mean, rstd, running_mean, running_variance;
  double eps, r_max, d_max;
  Reals r, d;
  NORMPROOF_DEVICE void operator()(std::size_t i) const {
    const double s = __builtin_sqrt(running_variance[i] + eps);
    r[i] = clamp_value(1.0 / rstd[i] / s, 1.0 / r_max, r_max);
    d[i] = clamp_value((mean[i] - running_mean[i]) / s, -d_max, d_max);
  }
  NORMPROOF_DEVICE static double clamp_value(double v, double low, double high) {
    return v < low ? low : high < v ? high : v;
  }
};

/// Computes out = a b.
struct Product {
  ConstReals a, b;
  Reals out;
  NORMPROOF_DEVICE void operator()(std::size_t i) const { out[i] = a[i] * b[i]; }
};

/// Multiplies by a number: out = factor value.
struct MultiplyByFactor {
  double factor;
  ConstReals value;
  Reals out;
  NORMPROOF_DEVICE void operator()(std::size_t i) const { out[i] = factor * value[i]; }
};

/// Computes out = a + b.
struct Sum {
  ConstReals a, b;
  Reals out;
  NORMPROOF_DEVICE void operator()(std::size_t i) const { out[i] = a[i] + b[i]; }
};

/// Updates PowerNorm's state nu ([SYG+20] Algorithm 2, line 8). With w = 1 - alpha: out = nu (1 - w
/// mean_x_hat_squared) + w mean_g_x_hat.
struct UpdateNu {
  ConstReals nu, mean_x_hat_squared, mean_g_x_hat;
  double alpha;
  Reals out;
  NORMPROOF_DEVICE void operator()(std::size_t i) const {
    const double w = 1.0 - alpha;
    out[i] = nu[i] * (1.0 - w * mean_x_hat_squared[i]) + w * mean_g_x_hat[i];
  }
};

/// Updates a mean over batches: out = running (count - 1) / count + batch / count. `running` is the
/// mean over the first `count - 1` batches, and `batch` is the value of batch number `count`.
struct CumulativeMean {
  ConstReals running, batch;
  double count;
  Reals out;
  NORMPROOF_DEVICE void operator()(std::size_t i) const {
    const double keep = (count - 1.0) / count;
    out[i] = running[i] * keep + batch[i] / count;
  }
};

}  // namespace normproof::gpu::norm
