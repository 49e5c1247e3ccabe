#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace normproof::verification::studies::language {

/// An interval about a mean.
struct Interval {
  double mean = 0, low = 0, high = 0;
  std::size_t count = 0;
};

/// Computes  mean +- t s / sqrt(n), s^2 the sum of the squared deviations over n - 1, t the 0.975
///           quantile of Student's distribution of n - 1 degrees of freedom: 95 % of such intervals
///           hold the mean of what normal values are drawn from
/// Returns   nothing of fewer than two values
std::optional<Interval> student_interval(const std::vector<double>& values);

/// The root of the sum of the squared deviations over n - 1; nothing of fewer than two values.
std::optional<double> sample_deviation(const std::vector<double>& values);

/// Computes  the mean of paired differences that a two-sided t test at 5 % finds in 80 of 100
///           studies of `count` pairs, to 1e-9 of it: where the noncentral t distribution of
///           noncentrality mean sqrt(count) / deviation is beyond the 0.975 quantile with
///           probability 0.8
/// Requires  (C1) 2 <= count; deviation is finite and not below 0
/// Throws    ContractError
double detectable_difference(double deviation, std::size_t count);

}  // namespace normproof::verification::studies::language
