#include "verification/checks/lipschitz/diagonal.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "ref/numeric/ball.hpp"
#include "ref/numeric/elementary.hpp"

namespace normproof::verification::checks::lipschitz {

using ref::numeric::ball;

namespace {

using Vector = Jacobian::Vector;

std::size_t find_nearest_to_zero(const Vector& x) {
  const auto least = std::ranges::min_element(x, {}, [](double value) { return std::fabs(value); });
  return static_cast<std::size_t>(least - x.begin());
}

Vector unit_vector(std::size_t n, std::size_t i) {
  Vector g(n, 0);
  g[i] = 1;
  return g;
}

}  // namespace

RunningStatisticsJacobian::RunningStatisticsJacobian(double gamma, double statistic, double eps)
    : norm_((ball(std::fabs(gamma)) / sqrt(ball(statistic) + ball(eps))).upper()) {}

UpperBound RunningStatisticsJacobian::at(const Vector&) const {
  return {norm_, norm_};
}

UpperBound RunningStatisticsJacobian::around(const Vector& x, double) const {
  return at(x);
}

Vector RunningStatisticsJacobian::direction(const Vector& x) const {
  return unit_vector(x.size(), 0);
}

std::vector<Vector> RunningStatisticsJacobian::steepest_points(const Vector& x, double) const {
  return {x};
}

DyTJacobian::DyTJacobian(double gamma, double alpha) : gamma_(gamma), alpha_(alpha) {}

UpperBound DyTJacobian::at(const Vector& x) const {
  return around(x, 0);
}

UpperBound DyTJacobian::around(const Vector& x, double radius) const {
  const ball largest = ball(std::fabs(gamma_)) * ball(std::fabs(alpha_));
  const ball rest = ball(std::fabs(x[find_nearest_to_zero(x)])) - ball(radius);
  const ball least(std::max(0.0, rest.lower()));
  // 1 / cosh(t)^2 = 4 w / (1 + w)^2 with w = exp(-2 t). This form does not cancel.
  const ball w = ref::numeric::exp(ball(-2) * ball(std::fabs(alpha_)) * least);
  const ball one(1);
  return {(largest * ball(4) * w / ((one + w) * (one + w))).upper(), largest.upper()};
}

Vector DyTJacobian::direction(const Vector& x) const {
  return unit_vector(x.size(), find_nearest_to_zero(x));
}

std::vector<Vector> DyTJacobian::steepest_points(const Vector& x, double radius) const {
  const std::size_t i = find_nearest_to_zero(x);
  std::vector<Vector> points;
  for (const double share : {1.0, 1 - 0x1p-40}) {
    const double rest = std::max(0.0, std::fabs(x[i]) - radius * share);
    points.push_back(x);
    points.back()[i] = std::copysign(rest, x[i]);
  }
  points.push_back(x);
  return points;
}

}  // namespace normproof::verification::checks::lipschitz
