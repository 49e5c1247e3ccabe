#pragma once

#include "verification/checks/lipschitz/jacobian.hpp"

namespace normproof::verification::checks::lipschitz {

/// The Jacobian of a part that is normalized by its own statistics: y = gamma x_hat + beta, x_hat =
/// (x - mean) rstd, rstd = 1 / sqrt(mean of (x - mean)^2 + eps). If the layer does not center, the
/// mean is replaced by 0.
///
/// `J = diag(gamma) (P - x_hat x_hat^T / n) rstd`. If the layer centers, P is `I - e e^T / n`, with
/// the vector e of ones. If not, P is I. The theoretical bound of the norm of J is
/// `max |gamma| rstd`.
class NormalizedJacobian : public Jacobian {
 public:
  /// Requires  gamma has n elements, or a single element that all features use; eps >= 0
  NormalizedJacobian(Vector gamma, double eps, bool centred);

  UpperBound at(const Vector& x) const override;
  UpperBound around(const Vector& x, double radius) const override;
  Vector direction(const Vector& x) const override;
  std::vector<Vector> steepest_points(const Vector& x, double radius) const override;

 private:
  Vector gamma_;
  double eps_;
  bool centred_;
  bool uniform_;    ///< every |gamma| is the same
  double largest_;  ///< max |gamma|
};

}  // namespace normproof::verification::checks::lipschitz
