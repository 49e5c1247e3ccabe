#include "verification/checks/lipschitz/normalized.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "ref/numeric/square_root.hpp"
#include "verification/checks/lipschitz/low_rank.hpp"

namespace normproof::verification::checks::lipschitz {

using ref::numeric::ball;

namespace {

using Vector = Jacobian::Vector;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The deviations of x from its mean, or from 0 if the layer does not center.
struct Deviations {
  std::vector<ball> deviations;
  ball sum;  ///< the sum of the squared deviations

  Deviations(const Vector& x, bool centred) : sum(0) {
    ball mean(0);
    if (centred) {
      for (const double value : x) mean += ball(value);
      mean /= ball(static_cast<double>(x.size()));
    }
    for (const double value : x) {
      deviations.push_back(ball(value) - mean);
      sum += deviations.back() * deviations.back();
    }
  }
};

/// The statistics of a part, computed from the sum of the squared deviations of x.
struct Scale {
  ball rstd;
  ball delta;  ///< eps rstd^2, the factor that the Jacobian keeps along x_hat

  Scale(const ball& sum, std::size_t n, double eps) {
    const ball shifted = sum / ball(static_cast<double>(n)) + ball(eps);
    rstd = ball(1) / sqrt(shifted);
    delta = eps == 0 ? ball(0) : ball(eps) / shifted;
  }
};

double element_mean(const Vector& x) {
  double sum = 0;
  for (const double value : x) sum += value / static_cast<double>(x.size());
  return sum;
}

/// Returns J J^T / rstd^2 for the Jacobian J. It is diag(gamma)^2 - u u^T - v v^T. u is a multiple
/// of gamma, or 0 if the layer does not center. v is a multiple of gamma x_hat, or 0 if no
/// deviations are given.
DiagonalMinusRankTwo gram_matrix(const Vector& gamma, bool centred,
                                 const std::vector<ball>* deviations, const Scale* scale) {
  const ball n(static_cast<double>(gamma.size()));
  const ball root_n = sqrt(n);
  const ball along = deviations ? scale->rstd * sqrt((ball(1) + scale->delta) / n) : ball(0);
  DiagonalMinusRankTwo a;
  for (std::size_t i = 0; i < gamma.size(); ++i) {
    const ball g(gamma[i]);
    a.diagonal.push_back(g * g);
    a.u.push_back(centred ? g / root_n : ball(0));
    a.v.push_back(deviations ? g * (*deviations)[i] * along : ball(0));
  }
  return a;
}

/// Returns a vector orthogonal to x that has one or two nonzero elements.
/// Requires  n >= 2
Vector orthogonal_vector(const Vector& x) {
  const auto largest =
      std::ranges::max_element(x, {}, [](double value) { return std::fabs(value); });
  const auto i = static_cast<std::size_t>(largest - x.begin());
  const std::size_t j = i == 0 ? 1 : 0;
  Vector g(x.size(), 0);
  g[i] = x[i] == 0 ? 1 : x[j];
  g[j] = -x[i];
  return g;
}

/// Returns a vector orthogonal to x and to the vector of ones that has two or three nonzero
/// elements.
/// Requires  n >= 3
Vector vector_orthogonal_to_x_and_ones(const Vector& x) {
  const auto [low, high] = std::ranges::minmax_element(x);
  const auto i = static_cast<std::size_t>(low - x.begin());
  auto j = static_cast<std::size_t>(high - x.begin());
  if (i == j) j = i == 0 ? 1 : 0;
  std::size_t k = 0;
  while (k == i || k == j) ++k;
  // The elements are halved, so that their differences do not overflow.
  const double a = x[i] / 2, b = x[j] / 2, c = x[k] / 2;
  Vector g(x.size(), 0);
  g[i] = a == b ? 1 : b - c;
  g[j] = a == b ? -1 : c - a;
  g[k] = a - b;
  return g;
}

/// Returns the norm of diag(gamma) v for a part in which x - mean has only one possible direction
/// v, such as (1, -1)/sqrt(2) for two elements. All elements of v have the same magnitude.
double norm_along_only_direction(const Vector& gamma) {
  ball sum(0);
  for (const double g : gamma) sum += ball(g) * ball(g);
  return sqrt(sum / ball(static_cast<double>(gamma.size()))).upper();
}

}  // namespace

NormalizedJacobian::NormalizedJacobian(Vector gamma, double eps, bool centred)
    : gamma_(std::move(gamma)), eps_(eps), centred_(centred), uniform_(true), largest_(0) {
  for (const double g : gamma_) largest_ = std::max(largest_, std::fabs(g));
  uniform_ = std::ranges::all_of(gamma_, [&](double g) { return std::fabs(g) == largest_; });
}

UpperBound NormalizedJacobian::at(const Vector& x) const {
  return around(x, 0);
}

UpperBound NormalizedJacobian::around(const Vector& x, double radius) const {
  const std::size_t n = x.size(), free = n - (centred_ ? 1 : 0);
  const Vector gamma = gamma_.size() == n ? gamma_ : Vector(n, gamma_.front());
  const Deviations spread(x, centred_);
  const ball length = sqrt(spread.sum);
  const double least = radius == 0 ? 0 : std::max(0.0, (length - ball(radius)).lower());
  const Scale here(spread.sum, n, eps_);
  // The smallest sum of squared deviations is at the point of the ball that is nearest to the mean.
  const Scale nearest = radius == 0 ? here : Scale(ball(least) * ball(least), n, eps_);
  const double theory =
      nearest.rstd.is_finite() ? (ball(largest_) * nearest.rstd).upper() : kInfinity;
  if (largest_ == 0 || free == 0 || (free == 1 && eps_ == 0)) return {0, theory};
  if (theory == kInfinity || (uniform_ && free > 1)) return {theory, theory};
  if (free == 1)
    return {(ball(norm_along_only_direction(gamma)) * nearest.rstd * nearest.delta).upper(),
            theory};

  const ball top = top_eigenvalue(gram_matrix(gamma, centred_, &spread.deviations, &here)).above;
  if (radius == 0) return {std::min((nearest.rstd * sqrt(top)).upper(), theory), theory};
  double most = top_eigenvalue(gram_matrix(gamma, centred_, nullptr, nullptr)).above.upper();
  if (least > 0) {
    const ball kept = ball(1) - here.delta * here.delta;
    const double grown =
        std::max(0.0, (nearest.delta * nearest.delta - here.delta * here.delta).upper());
    const ball turned = kept * ball(radius) / length + ball(grown);
    const ball turned_top = top + ball(largest_) * ball(largest_) * turned;
    most = std::min(most, turned_top.upper());
  }
  return {std::min((nearest.rstd * sqrt(ball(most))).upper(), theory), theory};
}

Jacobian::Vector NormalizedJacobian::direction(const Vector& x) const {
  const std::size_t n = x.size();
  const Vector gamma = gamma_.size() == n ? gamma_ : Vector(n, gamma_.front());
  if (n == 1 || largest_ == 0) return Vector(n, 1);
  if (centred_ && n == 2) return {gamma[0], -gamma[1]};
  if (!uniform_) {
    const Deviations spread(x, centred_);
    const Scale here(spread.sum, n, eps_);
    return top_eigenvalue(gram_matrix(gamma, centred_, &spread.deviations, &here)).vector;
  }
  Vector g = centred_ ? vector_orthogonal_to_x_and_ones(x) : orthogonal_vector(x);
  for (std::size_t i = 0; i < n; ++i) g[i] = std::signbit(gamma[i]) ? -g[i] : g[i];
  return g;
}

std::vector<Jacobian::Vector> NormalizedJacobian::steepest_points(const Vector& x,
                                                                  double radius) const {
  const double centre = centred_ ? element_mean(x) : 0;
  double sum = 0;
  for (const double value : x) sum += (value - centre) * (value - centre);
  const double length = ref::numeric::square_root(sum);
  std::vector<Vector> points;
  if (radius >= length && eps_ > 0) points.emplace_back(x.size(), centre);
  for (const double share : {1 - 0x1p-40, 1 - 0x1p-20}) {
    const double step = length == 0 ? 0 : std::min(1.0, radius / length) * share;
    Vector nearer = x;
    for (double& value : nearer) value -= step * (value - centre);
    points.push_back(std::move(nearer));
  }
  points.push_back(x);
  return points;
}

}  // namespace normproof::verification::checks::lipschitz
