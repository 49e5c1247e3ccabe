#include "verification/checks/compare/bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ref/numeric/elementary.hpp"
#include "ref/numeric/errors.hpp"
#include "ref/tensor/contract.hpp"

namespace normproof::verification::checks::compare::bound {

using ref::numeric::Clause;

namespace {

using ref::numeric::square_root;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

oracle100 unit_roundoff() {
  return oracle100(0x1p-53);
}
/// Returns the maximum error of a product or quotient that underflows: half the smallest subnormal.
oracle100 underflow_error() {
  return oracle100(0x1p-1074) / 2;
}

oracle100 exact_rounding_error_factor(std::size_t n) {
  const oracle100 nu = oracle100(n) * unit_roundoff();
  if (nu >= 1)
    ref::numeric::contract_failure("bound::gamma", "n", "is " + std::to_string(n), "n u < 1",
                                   Clause::C1);
  return nu / (1 - nu);
}

// Rounds up a bound. Bounds are sums and products of non-negative numbers, computed at 100 digits.
double round_up(const oracle100& bound) {
  const oracle100 inflated = bound * (1 + oracle100(0x1p-200));
  return mpfr_get_d(inflated.backend().data(), MPFR_RNDU);
}

oracle100 magnitude(const oracle100& x) {
  return x < 0 ? oracle100(-x) : x;
}

double product_bound(std::size_t count, const oracle100& magnitude) {
  const oracle100 relative = exact_rounding_error_factor(matmul_roundings(count));
  return round_up(relative * magnitude + oracle100(count) * underflow_error() * (1 + relative));
}

double element(const Tensor<double>& t, std::size_t i, double if_empty) {
  return ref::tensor::is_given(t) ? t.data()[i] : if_empty;
}

void check_affine(const char* function, const Tensor<double>& x, const Tensor<double>& gamma,
                  const Tensor<double>& beta) {
  const auto extents = ref::tensor::check_activations(function, "x", ref::tensor::shape_of(x));
  const ref::tensor::Shape expected{extents.d_model};
  if (ref::tensor::is_given(gamma))
    ref::tensor::check_shape(function, "gamma", ref::tensor::shape_of(gamma), expected);
  if (ref::tensor::is_given(beta))
    ref::tensor::check_shape(function, "beta", ref::tensor::shape_of(beta), expected);
}

// Returns the bound of y. `per_row`: each row of x [rows, d_model] is a slice; otherwise each
// column.
Tensor<double> compute_bound_per_slice(const Tensor<double>& x, const Tensor<double>& gamma,
                                       const Tensor<double>& beta, double eps, bool centred,
                                       bool per_row) {
  const std::size_t d_model = x.shape().back();
  const std::size_t rows = x.size() / d_model;
  Tensor<double> result = ref::tensor::empty_tensor<double>(ref::tensor::shape_of(x));
  const std::size_t slices = per_row ? rows : d_model;
  const std::size_t length = per_row ? d_model : rows;
  for (std::size_t s = 0; s < slices; ++s) {
    const auto index = [&](std::size_t i) { return per_row ? s * d_model + i : i * d_model + s; };
    Slice slice{.x = {}, .centred = centred, .eps = eps};
    for (std::size_t i = 0; i < length; ++i) slice.x.push_back(x.data()[index(i)]);
    const NormalizationBounds bounds = normalization_bounds(slice);
    for (std::size_t i = 0; i < length; ++i) {
      const std::size_t feature = per_row ? i : s;
      result.data()[index(i)] = affine(bounds.x_hat_magnitude[i], bounds.x_hat[i],
                                       element(gamma, feature, 1), element(beta, feature, 0));
    }
  }
  return result;
}

}  // namespace

double gamma(std::size_t n) {
  return round_up(exact_rounding_error_factor(n));
}

std::size_t lane_sum_roundings(std::size_t count) {
  constexpr std::size_t kLanes = 32;
  if (count == 0) return 0;
  std::size_t levels = 0;
  while (levels < 5 && (std::size_t{1} << levels) < count) ++levels;
  return (count + kLanes - 1) / kLanes - 1 + levels;
}

double lane_sum(std::size_t count, double sum_of_abs_terms) {
  return round_up(exact_rounding_error_factor(lane_sum_roundings(count)) *
                  oracle100(sum_of_abs_terms));
}

std::size_t matmul_roundings(std::size_t count) {
  constexpr std::size_t kChain = 256;
  if (count == 0) return 0;
  return std::min(count, kChain) + (count + kChain - 1) / kChain - 1;
}

double matmul(std::size_t count, double sum_of_abs_products) {
  return product_bound(count, oracle100(sum_of_abs_products));
}

Tensor<double> matmul(const Tensor<double>& a, const Tensor<double>& b) {
  const auto a_shape = ref::tensor::shape_of(a);
  const auto b_shape = ref::tensor::shape_of(b);
  if (a_shape.size() != 2 || b_shape.size() != 2 || a_shape[1] != b_shape[0])
    ref::numeric::contract_failure("bound::matmul", "a and b",
                                   "have shapes " + ref::tensor::to_string(a_shape) + " and " +
                                       ref::tensor::to_string(b_shape),
                                   "a [M, K] and b [K, N]", Clause::C1);
  Tensor<double> result = ref::tensor::empty_tensor<double>({a_shape[0], b_shape[1]});
  for (std::size_t i = 0; i < a_shape[0]; ++i)
    for (std::size_t j = 0; j < b_shape[1]; ++j) {
      oracle100 magnitude(0);
      for (std::size_t k = 0; k < a_shape[1]; ++k)
        magnitude += oracle100(std::fabs(a(i, k))) * oracle100(std::fabs(b(k, j)));
      result(i, j) = product_bound(a_shape[1], magnitude);
    }
  return result;
}

NormalizationBounds normalization_bounds(const Slice& slice) {
  const std::size_t count = slice.x.size();
  if (count == 0)
    ref::numeric::contract_failure("bound::normalization_bounds", "x", "is empty",
                                   "an element at least", Clause::C1);
  const oracle100 n(count);
  const std::size_t k = lane_sum_roundings(count);
  oracle100 mean(0);
  oracle100 mean_magnitude(0);
  for (const double x : slice.x) {
    mean += oracle100(x);
    mean_magnitude += oracle100(std::fabs(x));
  }
  mean = slice.centred ? oracle100(mean / n) : oracle100(0);
  mean_magnitude /= n;

  // The sections are those of docs/error_analysis.md: 3.1 derives the mean, 3.2 the statistic, 3.3
  // rstd and 3.4 x_hat.
  const oracle100 e =
      slice.centred
          ? oracle100(exact_rounding_error_factor(k + 1) * mean_magnitude + underflow_error())
          : oracle100(0);
  oracle100 statistic(0);
  for (const double x : slice.x) {
    const oracle100 d = oracle100(x) - mean;
    statistic += d * d;
  }
  statistic /= n;
  const std::size_t roundings = slice.centred ? k + 4 : k + 2;
  const oracle100 off =
      e * e + exact_rounding_error_factor(roundings) * (statistic + e * e) + 3 * underflow_error();
  const oracle100 q = statistic + oracle100(slice.eps);
  if (!(q > 0))
    ref::numeric::contract_failure("bound::normalization_bounds", "statistic + eps", "is 0", "> 0",
                                   Clause::C2);
  const oracle100 rstd = 1 / square_root(q);
  const oracle100 rho = (off + unit_roundoff() * (q + off)) / q;

  NormalizationBounds result;
  result.mean = round_up(e);
  result.statistic = round_up(off);
  const bool defined = rho < 1;
  const oracle100 inverse_root = defined ? oracle100(1 / square_root(oracle100(1 - rho))) : rho;
  // rstd lies in [2^-512, 2^537], so it never underflows.
  result.rstd = defined ? round_up(rstd * (inverse_root * (1 + exact_rounding_error_factor(2)) - 1))
                        : kInfinity;
  const std::size_t factors = slice.centred ? 4 : 3;
  const oracle100 excess = inverse_root * (1 + exact_rounding_error_factor(factors)) - 1;
  for (const double x : slice.x) {
    const oracle100 d = magnitude(oracle100(x) - mean);
    result.x_hat_magnitude.push_back(round_up(d * rstd));
    result.x_hat.push_back(defined ? round_up(rstd * ((d + e) * excess + e) + underflow_error())
                                   : kInfinity);
  }
  return result;
}

double affine(double x_hat_magnitude, double x_hat_bound, double gamma, double beta) {
  if (x_hat_bound == kInfinity) return kInfinity;
  const oracle100 u = unit_roundoff();
  const oracle100 g = magnitude(oracle100(gamma));
  const oracle100 b = magnitude(oracle100(beta));
  const oracle100 z = oracle100(x_hat_magnitude);
  const oracle100 propagated = g * oracle100(x_hat_bound);
  const oracle100 product_off = propagated + u * (g * z + propagated) + underflow_error();
  return round_up(product_off + u * (g * z + b + product_off));
}

Tensor<double> layer_norm(const Tensor<double>& x, const Tensor<double>& gamma,
                          const Tensor<double>& beta, double eps) {
  check_affine("bound::layer_norm", x, gamma, beta);
  return compute_bound_per_slice(x, gamma, beta, eps, true, true);
}

Tensor<double> rms_norm(const Tensor<double>& x, const Tensor<double>& gamma,
                        const Tensor<double>& beta, double eps) {
  check_affine("bound::rms_norm", x, gamma, beta);
  return compute_bound_per_slice(x, gamma, beta, eps, false, true);
}

Tensor<double> batch_norm(const Tensor<double>& x, const Tensor<double>& gamma,
                          const Tensor<double>& beta, double eps) {
  check_affine("bound::batch_norm", x, gamma, beta);
  return compute_bound_per_slice(x, gamma, beta, eps, true, false);
}

}  // namespace normproof::verification::checks::compare::bound
