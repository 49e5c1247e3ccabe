#pragma once

#include <vector>

namespace normproof::verification::checks::lipschitz {

/// What is known of ||J|| from above, at a point or at every point of a ball.
struct UpperBound {
  double norm = 0;    ///< proved: ||J|| is not above it; infinite where nothing is known
  double theory = 0;  ///< the bound of docs/derivations/lipschitz.md, rounded up
};

/// The Jacobian of one part of a layer, a channel or a row: a map of x in R^n to y in R^n.
/// Upper bounds are proved in ball arithmetic; directions and points are guesses in `double`, whose
/// worth whoever evaluates the layer there learns.
class Jacobian {
 public:
  using Vector = std::vector<double>;

  Jacobian() = default;
  Jacobian(const Jacobian&) = delete;
  Jacobian& operator=(const Jacobian&) = delete;
  virtual ~Jacobian() = default;

  virtual UpperBound at(const Vector& x) const = 0;
  /// The same for every x' with ||x' - x|| <= radius.
  virtual UpperBound around(const Vector& x, double radius) const = 0;

  /// A gradient of y, not 0, for which ||J^T g|| / ||g|| is near ||J||.
  virtual Vector direction(const Vector& x) const = 0;
  /// Where in the ball ||J|| is largest, or nearly, the best guess first. One may be outside by a
  /// rounding error; the last is x itself.
  virtual std::vector<Vector> steepest(const Vector& x, double radius) const = 0;
};

}  // namespace normproof::verification::checks::lipschitz
