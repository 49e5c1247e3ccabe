#pragma once

#include <vector>

namespace normproof::verification::checks::lipschitz {

/// Upper bounds of the norm ||J|| of a Jacobian: at one point, or over all points of a ball.
struct UpperBound {
  double norm = 0;    ///< proved upper bound of ||J||; infinite if nothing is known
  double theory = 0;  ///< the bound of docs/derivations/lipschitz.md, rounded up
};

/// The Jacobian J of one part of a layer. A part is a channel or a row, and maps x in R^n to y in
/// R^n. The upper bounds of J are proved in ball arithmetic. direction() and steepest_points() are
/// computed in `double` and need no proof: they only choose the gradient and the point at which the
/// layer's own backward gives a lower bound.
class Jacobian {
 public:
  using Vector = std::vector<double>;

  Jacobian() = default;
  Jacobian(const Jacobian&) = delete;
  Jacobian& operator=(const Jacobian&) = delete;
  virtual ~Jacobian() = default;

  virtual UpperBound at(const Vector& x) const = 0;
  /// Returns upper bounds of ||J|| that hold at every point x' with ||x' - x|| <= radius.
  virtual UpperBound around(const Vector& x, double radius) const = 0;

  /// Returns a nonzero gradient g of y that is amplified as much as possible: ||J^T g|| / ||g|| is
  /// close to ||J||.
  virtual Vector direction(const Vector& x) const = 0;
  /// Returns points of the ball around x at which ||J|| is maximal or nearly so, the best guess
  /// first. The last point is x itself. A point may be outside the ball by a rounding error.
  virtual std::vector<Vector> steepest_points(const Vector& x, double radius) const = 0;
};

}  // namespace normproof::verification::checks::lipschitz
