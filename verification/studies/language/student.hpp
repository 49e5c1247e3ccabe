#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace normproof::verification::studies::language {

/// A confidence interval of a mean.
struct ConfidenceInterval {
  double mean = 0, low = 0, high = 0;
  std::size_t count = 0;
};

/// Returns the 95 % confidence interval of the mean of a normal distribution, given samples of it.
///
/// Computes  `mean +- t s / sqrt(n)` for n samples. `s^2` is the sum of the squared deviations
///           divided by n - 1. `t` is the 0.975 quantile of Student's distribution with n - 1
///           degrees of freedom
/// Returns   nothing for fewer than two values
std::optional<ConfidenceInterval> student_interval(const std::vector<double>& values);

/// Returns the sample standard deviation: the square root of the sum of the squared deviations
/// divided by n - 1. Returns nothing for fewer than two values.
std::optional<double> sample_deviation(const std::vector<double>& values);

/// Returns the mean difference that a study of `count` pairs detects with probability 0.8.
/// `deviation` is the standard deviation of the paired differences.
///
/// Computes  the mean of the paired differences at which a two-sided t test with significance level
///           5 % has the power 0.8, with a relative error of at most 1e-9. At this mean, the
///           noncentral t distribution with noncentrality `mean sqrt(count) / deviation` exceeds
///           the 0.975 quantile of Student's distribution with probability 0.8
/// Requires  (C1) 2 <= count; deviation is finite and not below 0
/// Throws    ContractError
double detectable_difference(double deviation, std::size_t count);

}  // namespace normproof::verification::studies::language
