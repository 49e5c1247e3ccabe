#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace normproof::verification::studies::language {

/// A confidence interval about a mean.
struct Interval {
  double mean = 0, low = 0, high = 0;
  std::size_t count = 0;
};

/// Returns the 95 % confidence interval of the mean of a normal distribution, from samples of it.
///
/// Computes  mean +- t s / sqrt(n), where s^2 is the sum of the squared deviations over n - 1 and t
///           the 0.975 quantile of Student's distribution with n - 1 degrees of freedom
/// Returns   nothing for fewer than two values
std::optional<Interval> student_interval(const std::vector<double>& values);

/// Returns the root of the sum of the squared deviations over n - 1, or nothing for fewer than two
/// values.
std::optional<double> sample_deviation(const std::vector<double>& values);

/// Returns the mean difference that a study of `count` pairs detects with probability 0.8.
///
/// Computes  the mean of paired differences at which a two-sided t test at 5 % has a power of 0.8,
///           to a relative accuracy of 1e-9: the noncentral t distribution of noncentrality mean
///           sqrt(count) / deviation exceeds the 0.975 quantile with probability 0.8
/// Requires  (C1) 2 <= count; deviation is finite and not below 0
/// Throws    ContractError
double detectable_difference(double deviation, std::size_t count);

}  // namespace normproof::verification::studies::language
