#pragma once

#include <vector>

namespace normproof::verification::checks::lipschitz {

/// Upper bounds of ||J|| at a point, or at every point of a ball.
struct UpperBound {
  double norm = 0;    ///< proved upper bound of ||J||; infinite if nothing is known
  double theory = 0;  ///< the bound of docs/derivations/lipschitz.md, rounded up
};

/// The Jacobian of one part of a layer, which is a channel or a row: a map from x in R^n to y in
/// R^n. Upper bounds are proved in ball arithmetic. Directions and points are guesses in `double`;
/// evaluating the layer there shows how good they are.
class Jacobian {
 public:
  using Vector = std::vector<double>;

  Jacobian() = default;
  Jacobian(const Jacobian&) = delete;
  Jacobian& operator=(const Jacobian&) = delete;
  virtual ~Jacobian() = default;

  virtual UpperBound at(const Vector& x) const = 0;
  /// Returns bounds for every x' with ||x' - x|| <= radius.
  virtual UpperBound around(const Vector& x, double radius) const = 0;

  /// Returns a nonzero gradient of y for which ||J^T g|| / ||g|| is close to ||J||.
  virtual Vector direction(const Vector& x) const = 0;
  /// Returns points of the ball at which ||J|| is maximal or nearly so, the best guess first. A
  /// point may be outside the ball by a rounding error. The last point is x itself.
  virtual std::vector<Vector> steepest(const Vector& x, double radius) const = 0;
};

}  // namespace normproof::verification::checks::lipschitz
