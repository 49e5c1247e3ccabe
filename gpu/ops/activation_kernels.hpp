#pragma once

#include "gpu/ops/elementary_kernels.hpp"

/// The elementwise kernels of the activations (docs/specification/activations.md).
namespace normproof::gpu::ops {

inline constexpr double kSqrtHalf = 0x1.6a09e667f3bcdp-1;          ///< 1/sqrt(2)
inline constexpr double kNormalDensityAt0 = 0x1.9884533d43651p-2;  ///< 1/sqrt(2 pi)
inline constexpr double kTwiceSqrt2Pi = 0x1.9884533d43651p+0;      ///< 2 sqrt(2/pi)
inline constexpr double kGeluCubicFactor = 0.044715;

/// The identity. Forward: x. Backward: grad_y.
struct Identity {
  NORMPROOF_DEVICE static double forward(double x) { return x; }
  NORMPROOF_DEVICE static double backward(double grad_y, double) { return grad_y; }
};

/// ReLU. Forward: max(x, +0). Backward: grad_y times the derivative.
struct Relu {
  NORMPROOF_DEVICE static double forward(double x) { return x > 0 ? x : 0.0; }
  NORMPROOF_DEVICE static double backward(double grad_y, double x) { return x > 0 ? grad_y : 0.0; }
};

/// GELU. Forward: (x/2) (1 + erf(x / sqrt(2))).
struct Gelu {
  NORMPROOF_DEVICE static double forward(double x) {
    return (x * 0.5) * (evaluate_erf(x * kSqrtHalf) + 1.0);
  }
  /// Returns   grad_y ((1 + erf(x / sqrt(2)))/2 + x (exp(-x^2/2) / sqrt(2 pi)))
  NORMPROOF_DEVICE static double backward(double grad_y, double x) {
    const double density = evaluate_exp((x * x) * -0.5);
    return grad_y * ((evaluate_erf(x * kSqrtHalf) + 1.0) * 0.5 + x * (density * kNormalDensityAt0));
  }
};

/// Returns the logistic function of v without overflow.
/// Computes  1/(1 + exp(-v)), from e = exp(-|v|) and any x with the sign of v
NORMPROOF_DEVICE inline double sigmoid(double x, double e) {
  return (x < 0 ? e : 1.0) / (e + 1.0);
}

/// GELU in its tanh approximation. Forward: x (1 + tanh(v/2))/2 with v = 2 sqrt(2/pi) (x + 0.044715
/// x^3), computed from e = exp(-|v|).
struct GeluTanh {
  NORMPROOF_DEVICE static double exponential(double x) {
    const double v = (x + (x * (x * x)) * kGeluCubicFactor) * kTwiceSqrt2Pi;
    return evaluate_exp(x < 0 ? v : -v);
  }
  NORMPROOF_DEVICE static double forward(double x) { return x * sigmoid(x, exponential(x)); }
  NORMPROOF_DEVICE static double backward(double grad_y, double x) {
    const double e = exponential(x);
    const double linear = e * x;
    const double slope = (linear + ((linear * x) * x) * (kGeluCubicFactor * 3.0)) * kTwiceSqrt2Pi;
    const double below = e + 1.0;
    return grad_y * (sigmoid(x, e) + slope / (below * below));
  }
};

/// SiLU. Forward: x s with s = 1/(1 + exp(-x)), computed from e = exp(-|x|).
struct Silu {
  NORMPROOF_DEVICE static double exponential(double x) { return evaluate_exp(x < 0 ? x : -x); }
  NORMPROOF_DEVICE static double forward(double x) { return x * sigmoid(x, exponential(x)); }
  /// Returns   grad_y (s + x s'), where s' = e/(1 + e)^2 is the derivative of s
  NORMPROOF_DEVICE static double backward(double grad_y, double x) {
    const double e = exponential(x);
    const double below = e + 1.0;
    return grad_y * (sigmoid(x, e) + (e * x) / (below * below));
  }
};

/// The square of ReLU.
struct ReluSquared {
  NORMPROOF_DEVICE static double forward(double x) {
    const double r = x > 0 ? x : 0.0;
    return r * r;
  }
  NORMPROOF_DEVICE static double backward(double grad_y, double x) {
    return grad_y * ((x > 0 ? x : 0.0) * 2.0);
  }
};

/// The sigmoid 1/(1 + exp(-x)), computed from e = exp(-|x|).
struct Sigmoid {
  NORMPROOF_DEVICE static double forward(double x) { return sigmoid(x, Silu::exponential(x)); }
  NORMPROOF_DEVICE static double backward(double grad_y, double x) {
    const double e = Silu::exponential(x), below = e + 1.0;
    return grad_y * (e / (below * below));
  }
};

/// Returns log(1 + e), in all digits also if e is small.
NORMPROOF_DEVICE inline double log_of_one_plus(double e) {
  const double u = e + 1.0;
  return evaluate_log(u) + (e - (u - 1.0)) / u;
}

/// The logarithm of the sigmoid.
struct LogSigmoid {
  NORMPROOF_DEVICE static double forward(double x) {
    const double l = log_of_one_plus(Silu::exponential(x));
    return x < 0 ? x - l : -l;
  }
  NORMPROOF_DEVICE static double backward(double grad_y, double x) {
    return grad_y * sigmoid(-x, Silu::exponential(x));
  }
};

/// The hyperbolic tangent. Its derivative is computed from e = exp(-2|x|).
struct Tanh {
  NORMPROOF_DEVICE static double forward(double x) { return evaluate_tanh(x); }
  NORMPROOF_DEVICE static double backward(double grad_y, double x) {
    const double e = evaluate_exp((x < 0 ? x : -x) * 2.0), below = e + 1.0;
    return grad_y * ((e * 4.0) / (below * below));
  }
};

/// Mish. Forward: x times the quotient n/d, computed from e = exp(-|x|).
struct Mish {
  NORMPROOF_DEVICE static double numerator(double x, double e) {
    return x < 0 ? e * (e + 2.0) : e * 2.0 + 1.0;
  }
  NORMPROOF_DEVICE static double denominator(double x, double e) {
    return numerator(x, e) + (x < 0 ? 2.0 : (e * e) * 2.0);
  }
  NORMPROOF_DEVICE static double forward(double x) {
    const double e = Silu::exponential(x);
    return x * (numerator(x, e) / denominator(x, e));
  }
  NORMPROOF_DEVICE static double backward(double grad_y, double x) {
    const double e = Silu::exponential(x), d = denominator(x, e);
    const double slope = (((x < 0 ? e : e * e) * 4.0) * (e + 1.0)) / d / d;
    return grad_y * (numerator(x, e) / d + x * slope);
  }
};

/// Computes softplus: log(1 + exp(v))/beta with v = beta x, or x if v is above the threshold.
struct Softplus {
  ConstReals x;
  double beta, threshold;
  Reals y;
  NORMPROOF_DEVICE void operator()(std::size_t i) const {
    const double v = x[i] * beta, l = log_of_one_plus(Silu::exponential(v));
    y[i] = v > threshold ? x[i] : (v < 0 ? l : v + l) / beta;
  }
};
/// Computes the gradient of softplus: grad_y/(1 + exp(-v)), or grad_y if v is above the threshold.
struct SoftplusBackward {
  ConstReals grad_y, x;
  double beta, threshold;
  Reals grad_x;
  NORMPROOF_DEVICE void operator()(std::size_t i) const {
    const double v = x[i] * beta;
    grad_x[i] = v > threshold ? grad_y[i] : grad_y[i] * sigmoid(v, Silu::exponential(v));
  }
};

template <class F>
struct Activate {
  ConstReals x;
  Reals y;
  NORMPROOF_DEVICE void operator()(std::size_t i) const { y[i] = F::forward(x[i]); }
};
template <class F>
struct ActivateBackward {
  ConstReals grad_y, x;
  Reals grad_x;
  NORMPROOF_DEVICE void operator()(std::size_t i) const {
    grad_x[i] = F::backward(grad_y[i], x[i]);
  }
};
/// Computes the elementwise product of two tensors.
struct Multiply {
  ConstReals a, b;
  Reals out;
  NORMPROOF_DEVICE void operator()(std::size_t i) const { out[i] = a[i] * b[i]; }
};

}  // namespace normproof::gpu::ops
