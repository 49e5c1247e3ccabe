#pragma once

#include <vector>

namespace normproof::verification::checks::lipschitz {

/// Upper bounds of the norm ||J|| of a Jacobian at one point, or at every point of a ball.
struct UpperBound {
  double norm = 0;    ///< proved upper bound of ||J||; infinite if nothing is known
  double theory = 0;  ///< the bound of docs/derivations/lipschitz.md, rounded up
};

/// The Jacobian J of one part of a layer (a channel or a row), which maps x in R^n to y in R^n.
/// Upper bounds are proved in ball arithmetic. Directions and points need no proof: they are
/// computed in `double`, and the layer's own backward gives the lower bound that results from them.
class Jacobian {
 public:
  using Vector = std::vector<double>;

  Jacobian() = default;
  Jacobian(const Jacobian&) = delete;
  Jacobian& operator=(const Jacobian&) = delete;
  virtual ~Jacobian() = default;

  virtual UpperBound at(const Vector& x) const = 0;
  /// Returns upper bounds that hold for every x' with ||x' - x|| <= radius.
  virtual UpperBound around(const Vector& x, double radius) const = 0;

  /// Returns a nonzero gradient g of y that is amplified as much as possible: ||J^T g|| / ||g|| is
  /// close to ||J||.
  virtual Vector direction(const Vector& x) const = 0;
  /// Returns points of the ball around x at which ||J|| is maximal or nearly so, the best guess
  /// first. The last point is x itself. A point may be outside the ball by a rounding error.
  virtual std::vector<Vector> steepest_points(const Vector& x, double radius) const = 0;
};

}  // namespace normproof::verification::checks::lipschitz
