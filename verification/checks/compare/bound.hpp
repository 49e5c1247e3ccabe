#pragma once

#include <cstddef>
#include <vector>

#include "ref/tensor/tensor.hpp"

/// A-priori error bounds of each element, in closed form, for an evaluation in `double` that obeys
/// the arithmetic contract. docs/error_analysis.md proves them for round to nearest with u = 2^-53,
/// including underflow, if nothing overflows. They are evaluated at 100 digits and rounded up. For
/// an operation without such a bound, the scalar type running_error of ref computes the bound.
namespace normproof::verification::checks::compare::bound {

using ref::numeric::oracle100;
using ref::tensor::Tensor;

/// Returns gamma(n) = n u / (1 - n u), rounded up. It bounds the effect of n roundings: if |d_i| <=
/// u, then |prod_i (1 + d_i)^(+-1) - 1| <= gamma(n) for n factors.
/// Requires  (C1) n u < 1
double gamma(std::size_t n);

/// Returns the maximum number of roundings that a term undergoes in a sum of `count` terms by rule
/// R2: ceil(count/32) - 1 in its lane, and one on each level of the tree.
std::size_t lane_sum_roundings(std::size_t count);

/// Returns the error bound of a sum by rule R2, given the sum of the terms' magnitudes. See
/// docs/error_analysis.md, section 2.
/// Computes  gamma(lane_sum_roundings(count)) * sum_i |t_i|
double lane_sum(std::size_t count, double sum_of_abs_terms);

/// Returns the maximum number of roundings that a term undergoes in a sum of products by rule R1:
/// at most min(count, 256) in its chain, including the rounding of its own product, and
/// ceil(count/256) - 1 when the chains are added.
std::size_t matmul_roundings(std::size_t count);

/// Returns the error bound of one element of a matrix product, given the sum of the products'
/// magnitudes. See docs/error_analysis.md, section 7.
/// Computes  `gamma(r) sum_k |a_k b_k| + count eta (1 + gamma(r))`. Here r is
///           matmul_roundings(count), and eta is half the smallest subnormal
double matmul(std::size_t count, double sum_of_abs_products);

/// Returns the error bound of each element of the product a b. The sums of magnitudes are computed
/// at 100 digits.
/// Shapes    a [M,K], b [K,N]; result [M,N]
/// Requires  (C1) rank 2 and extents that agree
Tensor<double> matmul(const Tensor<double>& a, const Tensor<double>& b);

/// The elements of x that share one set of statistics: a row (LayerNorm, RMSNorm), or a column
/// (BatchNorm or PN-V in training without padding).
struct Slice {
  std::vector<double> x;
  bool centred = true;  ///< true: mean and variance; false: only the quadratic mean
  double eps = 1e-5;
};

/// The error bounds of the intermediate values when a slice is normalized (docs/error_analysis.md,
/// section 3).
struct NormalizationBounds {
  double mean = 0;       ///< 0 if not centered
  double statistic = 0;  ///< for the biased variance, or for the quadratic mean
  double rstd = 0;
  std::vector<double> x_hat;            ///< for each element
  std::vector<double> x_hat_magnitude;  ///< not a bound, but |x_hat| itself, rounded up
};

/// Returns the error bounds of mean, statistic, rstd and x_hat. If the error of the statistic may
/// be as large as the statistic, the bounds of rstd and x_hat are infinite.
/// Requires  (C1) at least one element  (C2) statistic + eps > 0
NormalizationBounds normalization_bounds(const Slice& slice);

/// Returns the error bound of y = gamma x_hat + beta, given an error bound of x_hat
/// (docs/error_analysis.md, section 4). Each operation is rounded.
double affine(double x_hat_magnitude, double x_hat_bound, double gamma, double beta);

/// Returns the error bound of each element of LayerNorm's y.
/// Shapes    x, y [N,D]; gamma, beta [D] or empty
Tensor<double> layer_norm(const Tensor<double>& x, const Tensor<double>& gamma,
                          const Tensor<double>& beta, double eps);

/// Returns the error bound of each element of RMSNorm's y.
Tensor<double> rms_norm(const Tensor<double>& x, const Tensor<double>& gamma,
                        const Tensor<double>& beta, double eps);

/// Returns the error bound of each element of BatchNorm's y, in training with all rows valid.
Tensor<double> batch_norm(const Tensor<double>& x, const Tensor<double>& gamma,
                          const Tensor<double>& beta, double eps);

}  // namespace normproof::verification::checks::compare::bound
