#pragma once

#include <cstddef>
#include <vector>

#include "verification/claims/generators.hpp"

namespace normproof::verification::claims {

/// Flat indices of elements of x that are normalised together, ascending.
using Members = std::vector<std::size_t>;

std::vector<Members> columns(const Batch& batch);
std::vector<Members> rows(const Batch& batch);
/// Per sample and group of consecutive features; rows are samples * tokens.
std::vector<Members> sample_groups(const Batch& batch, std::size_t samples, std::size_t groups);

/// The statistic that a layer divides by.
enum class Statistic {
  variance,        ///< mean of squared deviations: BatchNorm, LayerNorm, GroupNorm, InstanceNorm
  quadratic_mean,  ///< mean of squares: PN-V, RMSNorm, group scaling
  square_sum       ///< ScaleNorm
};

/// One slice of a normalisation layer, forward and backward, written down plainly at 50 digits:
/// what a claim says in mathematics, and nothing of ref/norm.
///
/// Computes  s = sqrt(statistic of the valid members + eps), x_hat_i = (x_i - mean) / s, and
///           grad_x_i = (g_i - 1{i valid} (a + x_hat_i c)) / s, where a = (1/n) sum_all g (variance
///           alone), c = (1/n) sum_all g x_hat, n = valid members (1 for square_sum)
/// Source    [IS15] section 3, with eps and mask: docs/derivations/norms.md
struct Slice {
  Slice(const Batch& batch, const Members& members, Statistic statistic);
  /// One slice of any numbers, every member valid.
  Slice(std::vector<oracle50> x, std::vector<oracle50> g, Statistic statistic, const oracle50& eps);

  std::size_t count = 0;                      ///< members
  oracle50 divisor;                           ///< n
  std::vector<oracle50> x, x_hat, g, grad_x;  ///< g = gamma * grad_y
  std::vector<bool> valid;
  oracle50 mean, statistic, s;

  oracle50 sum_g_x_hat() const;  ///< <g, x_hat>
  oracle50 sum_g() const;        ///< <1, g>
  oracle50 sum_g_squared() const;

  /// What evaluation at 50 digits may be off, each derived in docs/derivations/claims.md, Rounding:
  /// of an x_hat; of an element of grad_x, by the formula or through dual numbers; of the sum of
  /// the squares of grad_x, written either way.
  oracle50 x_hat_roundoff() const;
  oracle50 gradient_roundoff() const;
  oracle50 square_roundoff() const;

 private:
  void compute(Statistic kind, const oracle50& eps);
  oracle50 roundings() const;
  oracle50 amplification_, largest_x_hat_, sum_abs_g_;
};

oracle50 absolute(const oracle50& v);
/// The distance from 1 to the next number of 50 digits.
oracle50 epsilon50();

}  // namespace normproof::verification::claims
