#pragma once

#include <cstddef>
#include <vector>

#include "ref/tensor/tensor.hpp"

/// Closed-form a-priori bounds of what `double` evaluation by the arithmetic contract may be off,
/// componentwise. Each is proved in docs/derivations/error_analysis.md, for round to nearest with u = 2^-53,
/// and with underflow taken into account; each assumes that nothing overflows. They are evaluated
/// at 100 digits and rounded up. The bound for everything else is ref's scalar running_error.
namespace normproof::verification::checks::compare::bound {

using ref::numeric::oracle100;
using ref::tensor::Tensor;

/// n u / (1 - n u), rounded up: |prod_i (1 + d_i)^(+-1) - 1| <= gamma(n) for n factors, |d_i| <= u.
/// Requires  (C1) n u < 1
double gamma(std::size_t n);

/// The largest number of roundings that a term meets on its way through the sum of rule R2 over
/// `count` terms: ceil(count/32) - 1 in its lane, and one on each level of the tree.
std::size_t lane_sum_roundings(std::size_t count);

/// |s_hat - sum_i t_i| <= gamma(lane_sum_roundings(count)) * sum_i |t_i|; section 2.
double lane_sum(std::size_t count, double sum_of_abs_terms);

/// The largest number of roundings that a term meets on its way through the sum of products of rule
/// R1: min(count, 256) in its chain, its own product's included, and ceil(count/256) - 1 after it.
std::size_t matmul_roundings(std::size_t count);

/// |c_hat - sum_k a_k b_k| <= gamma(r) sum_k |a_k b_k| + count eta (1 + gamma(r)) with
/// r = matmul_roundings(count) and eta half the smallest subnormal; section 7.
double matmul(std::size_t count, double sum_of_abs_products);

/// Bound of each element of a b, the sums of magnitudes taken at 100 digits. Shapes a [M,K],
/// b [K,N]; result [M,N].
/// Requires  (C1) rank 2 and extents that agree
Tensor<double> matmul(const Tensor<double>& a, const Tensor<double>& b);

/// The slice that one set of statistics is taken over, and normalised by it: a row of LayerNorm or
/// RMSNorm, a column of BatchNorm or PN-V in training without padding.
struct Slice {
  std::vector<double> x;
  bool centred = true;  ///< mean and variance; otherwise the quadratic mean alone
  double eps = 1e-5;
};

/// What the `double` values of a slice may be off; section 3.
struct NormalisationBounds {
  double mean = 0;       ///< 0 where not centred
  double statistic = 0;  ///< of the biased variance, or of the quadratic mean
  double rstd = 0;
  std::vector<double> x_hat;            ///< element by element
  std::vector<double> x_hat_magnitude;  ///< no bound, but |x_hat| itself, rounded up
};

/// The bounds of rstd and x_hat are infinite where the statistic may be off by as much as it is.
/// Requires  (C1) at least one element  (C2) statistic + eps > 0
NormalisationBounds normalisation(const Slice& slice);

/// |y_hat - y| for y = gamma x_hat + beta, each operation rounded, from a bound of x_hat;
/// section 4.
double affine(double x_hat_magnitude, double x_hat_bound, double gamma, double beta);

/// Bound of y of LayerNorm, row by row. Shapes x, y [N,D]; gamma, beta [D] or empty.
Tensor<double> layer_norm(const Tensor<double>& x, const Tensor<double>& gamma,
                          const Tensor<double>& beta, double eps);

/// Bound of y of RMSNorm.
Tensor<double> rms_norm(const Tensor<double>& x, const Tensor<double>& gamma,
                        const Tensor<double>& beta, double eps);

/// Bound of y of BatchNorm in training, every row valid.
Tensor<double> batch_norm(const Tensor<double>& x, const Tensor<double>& gamma,
                          const Tensor<double>& beta, double eps);

}  // namespace normproof::verification::checks::compare::bound
