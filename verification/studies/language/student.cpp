#include "verification/studies/language/student.hpp"

#include <fmt/format.h>

#include <boost/math/distributions/non_central_t.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>

#include "ref/numeric/errors.hpp"
#include "ref/numeric/square_root.hpp"

namespace normproof::verification::studies::language {

using ref::numeric::square_root;

namespace {

using Policy = boost::math::policies::policy<boost::math::policies::promote_double<false>>;

constexpr double kQuantile = 0.975, kPower = 0.8;

double student_quantile(std::size_t count) {
  const boost::math::students_t_distribution<double, Policy> student_distribution(
      static_cast<double>(count - 1));
  return boost::math::quantile(student_distribution, kQuantile);
}

double mean_of_values(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

std::optional<double> sample_deviation(const std::vector<double>& values) {
  if (values.size() < 2) return std::nullopt;
  const double mean = mean_of_values(values);
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return square_root(squares / static_cast<double>(values.size() - 1));
}

std::optional<ConfidenceInterval> student_interval(const std::vector<double>& values) {
  const auto deviation = sample_deviation(values);
  if (!deviation) return std::nullopt;
  const double mean = mean_of_values(values);
  const double half = student_quantile(values.size()) * *deviation /
                      square_root(static_cast<double>(values.size()));
  return ConfidenceInterval{mean, mean - half, mean + half, values.size()};
}

double detectable_difference(double deviation, std::size_t count) {
  if (count < 2)
    ref::numeric::contract_failure("detectable_difference", "count", fmt::format("is {}", count),
                                   "2 at least", ref::numeric::Clause::C1);
  if (!(deviation >= 0 && std::isfinite(deviation)))
    ref::numeric::contract_failure("detectable_difference", "deviation",
                                   fmt::format("is {}", deviation), "a number from 0 on",
                                   ref::numeric::Clause::C1);
  const double beyond = student_quantile(count), freedom = static_cast<double>(count - 1);
  const auto power = [&](double noncentrality) {
    const boost::math::non_central_t_distribution<double, Policy> t(freedom, noncentrality);
    return boost::math::cdf(boost::math::complement(t, beyond));
  };
  double low = 0, high = 2;
  while (power(high) < kPower) high *= 2;
  while (high - low > 1e-10 * high) {
    const double middle = (low + high) / 2;
    (power(middle) < kPower ? low : high) = middle;
  }
  return high * deviation / square_root(static_cast<double>(count));
}

}  // namespace normproof::verification::studies::language
