#pragma once

#include <cstddef>
#include <vector>

#include "ref/tensor/tensor.hpp"

/// Closed-form a-priori error bounds of the evaluation in `double` by the arithmetic contract, for
/// each element. They are proved in docs/error_analysis.md for round to nearest with u
/// = 2^-53, and include underflow. They assume that nothing overflows. They are evaluated at 100
/// digits and rounded up. For everything else the bound is ref's scalar running_error.
namespace normproof::verification::checks::compare::bound {

using ref::numeric::oracle100;
using ref::tensor::Tensor;

/// Returns n u / (1 - n u), rounded up. For n factors with |d_i| <= u, |prod_i (1 + d_i)^(+-1) - 1|
/// <= gamma(n).
/// Requires  (C1) n u < 1
double gamma(std::size_t n);

/// Returns the maximum number of roundings of a term in a sum of `count` terms by rule R2:
/// ceil(count/32) - 1 in its lane, and one on each level of the tree.
std::size_t lane_sum_roundings(std::size_t count);

/// Returns the bound |s_hat - sum_i t_i| <= gamma(lane_sum_roundings(count)) * sum_i |t_i| of
/// section 2.
double lane_sum(std::size_t count, double sum_of_abs_terms);

/// Returns the maximum number of roundings of a term in a sum of products by rule R1: min(count,
/// 256) in its chain, including that of its own product, and ceil(count/256) - 1 after the chain.
std::size_t matmul_roundings(std::size_t count);

/// Returns the bound |c_hat - sum_k a_k b_k| <= gamma(r) sum_k |a_k b_k| + count eta (1 + gamma(r))
/// of section 7, with r = matmul_roundings(count) and eta half the smallest subnormal.
double matmul(std::size_t count, double sum_of_abs_products);

/// Returns the bound of each element of a b, with sums of magnitudes at 100 digits. Shapes: a
/// [M,K], b [K,N]; result [M,N].
/// Requires  (C1) rank 2 and extents that agree
Tensor<double> matmul(const Tensor<double>& a, const Tensor<double>& b);

/// The elements that share one set of statistics: a row of LayerNorm or RMSNorm, or a column of
/// BatchNorm or PN-V in training without padding.
struct Slice {
  std::vector<double> x;
  bool centred = true;  ///< mean and variance; if false, only the quadratic mean
  double eps = 1e-5;
};

/// The error bounds of the `double` values of a slice; section 3.
struct NormalizationBounds {
  double mean = 0;       ///< 0 if not centered
  double statistic = 0;  ///< of the biased variance, or of the quadratic mean
  double rstd = 0;
  std::vector<double> x_hat;            ///< for each element
  std::vector<double> x_hat_magnitude;  ///< not a bound, but |x_hat| itself, rounded up
};

/// Returns the bounds. Those of rstd and x_hat are infinite if the error of the statistic may be as
/// large as the statistic.
/// Requires  (C1) at least one element  (C2) statistic + eps > 0
NormalizationBounds normalisation(const Slice& slice);

/// Returns the bound of |y_hat - y| for y = gamma x_hat + beta with each operation rounded, from a
/// bound of x_hat; section 4.
double affine(double x_hat_magnitude, double x_hat_bound, double gamma, double beta);

/// Returns the bound of y of LayerNorm for each element. Shapes: x, y [N,D]; gamma, beta [D] or
/// empty.
Tensor<double> layer_norm(const Tensor<double>& x, const Tensor<double>& gamma,
                          const Tensor<double>& beta, double eps);

/// Returns the bound of y of RMSNorm.
Tensor<double> rms_norm(const Tensor<double>& x, const Tensor<double>& gamma,
                        const Tensor<double>& beta, double eps);

/// Returns the bound of y of BatchNorm in training with all rows valid.
Tensor<double> batch_norm(const Tensor<double>& x, const Tensor<double>& gamma,
                          const Tensor<double>& beta, double eps);

}  // namespace normproof::verification::checks::compare::bound
