#pragma once

#include "verification/checks/lipschitz/jacobian.hpp"

namespace normproof::verification::checks::lipschitz {

/// The Jacobian of a channel that is normalized by running statistics: y = gamma (x - mean) /
/// sqrt(statistic + eps) + beta. Its norm is |gamma| / sqrt(statistic + eps) for every x. The
/// theoretical bound is the same number.
class RunningStatisticsJacobian : public Jacobian {
 public:
  /// Requires  statistic + eps > 0
  RunningStatisticsJacobian(double gamma, double statistic, double eps);

  UpperBound at(const Vector& x) const override;
  UpperBound around(const Vector& x, double radius) const override;
  Vector direction(const Vector& x) const override;
  std::vector<Vector> steepest_points(const Vector& x, double radius) const override;

 private:
  double norm_;
};

/// The Jacobian of a channel of DyT (dynamic tanh): y = gamma tanh(alpha x) + beta. It is diagonal
/// with the elements gamma alpha / cosh(alpha x)^2. The theoretical bound of its norm is |gamma
/// alpha|.
class DyTJacobian : public Jacobian {
 public:
  DyTJacobian(double gamma, double alpha);

  UpperBound at(const Vector& x) const override;
  UpperBound around(const Vector& x, double radius) const override;
  Vector direction(const Vector& x) const override;
  std::vector<Vector> steepest_points(const Vector& x, double radius) const override;

 private:
  double gamma_, alpha_;
};

}  // namespace normproof::verification::checks::lipschitz
