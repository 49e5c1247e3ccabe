#pragma once

#include "verification/checks/lipschitz/jacobian.hpp"

namespace normproof::verification::checks::lipschitz {

/// A channel whose statistics are running ones:
/// y = gamma (x - mean) / sqrt(statistic + eps) + beta.
/// Theory and norm: |gamma| / sqrt(statistic + eps), wherever x is.
class ScaledJacobian : public Jacobian {
 public:
  /// Requires  statistic + eps > 0
  ScaledJacobian(double gamma, double statistic, double eps);

  UpperBound at(const Vector& x) const override;
  UpperBound around(const Vector& x, double radius) const override;
  Vector direction(const Vector& x) const override;
  std::vector<Vector> steepest(const Vector& x, double radius) const override;

 private:
  double norm_;
};

/// A channel of DyT: y = gamma tanh(alpha x) + beta. J is diagonal, gamma alpha / cosh(alpha x)^2.
/// Theory: |gamma alpha|.
class SquashedJacobian : public Jacobian {
 public:
  SquashedJacobian(double gamma, double alpha);

  UpperBound at(const Vector& x) const override;
  UpperBound around(const Vector& x, double radius) const override;
  Vector direction(const Vector& x) const override;
  std::vector<Vector> steepest(const Vector& x, double radius) const override;

 private:
  double gamma_, alpha_;
};

}  // namespace normproof::verification::checks::lipschitz
