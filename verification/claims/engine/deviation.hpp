#pragma once

#include <cstddef>

namespace normproof::verification::claims::engine {

/// Bounds how far a sum of random increments deviates from the sum of their conditional means. The
/// probability of a larger deviation is at most 2 exp(-25) < 3e-11. A claim about an expectation
/// tolerates this deviation of its random draws.
///
/// Computes  sqrt(2 y N) + z N, for increments X_i with E[exp(t (X_i - E X_i))] <= exp(t^2 v_i / (2
///           (1 - c_i |t|))) for |t| < 1/c_i, given the past. y is the sum of all v_i, and z is the
///           maximum of all c_i. Both are rounded up to powers of two that are at least 1. N = 25 -
///           ln(weight of the pair (y, z)); the weights of all pairs add up to 1. v_i and c_i may
///           depend on the past, because the bound covers every pair (y, z) at once
/// Source    [Fre75]; [BLM13] Theorem 2.10; derived: docs/derivations/claims.md, E
class Deviation {
 public:
  /// Adds `count` increments with the parameters v = variance and c = scale.
  void add(double variance, double scale, std::size_t count = 1);
  double bound() const;

 private:
  double variance_ = 0;
  double scale_ = 0;
};

/// The parameters v and c of a random increment, as Deviation uses them. The functions below return
/// them for the increments of a Gaussian network.
struct Increment {
  double variance = 0;
  double scale = 0;
};
/// Returns the parameters of the increment relu(X)^2 for a standard normal X. Its mean is 1/2.
Increment relu_square_increment();
/// Returns the parameters of the increment ||x + s Z||^2 for a fixed x and a standard normal Z of d
/// elements. Its mean is ||x||^2 + s^2 d.
Increment noncentral_square_increment(double x_squared, double s_squared, std::size_t d);
/// Returns the parameters of an increment between 0 and `most` whose variance is at most
/// `variance`.
Increment bounded_increment(double variance, double most);

}  // namespace normproof::verification::claims::engine
