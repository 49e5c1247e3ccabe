#include "verification/checks/regression/error_statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "ref/numeric/errors.hpp"

namespace normproof::verification::checks::regression {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double round_to_six_digits(double x) {
  return std::isfinite(x) ? std::stod(fmt::format("{:.6g}", x)) : x;
}

/// Returns the error of `got` relative to the exact value high + low. It is infinite if only one of
/// the two values is finite.
double compute_error(double got, double high, double low) {
  if (std::isnan(high)) return std::isfinite(got) ? kInfinity : 0;
  // If got and high are within a factor of 2, got - high is exact; otherwise it is accurate enough.
  const double error = std::fabs((got - high) - low);
  return std::isnan(error) ? kInfinity : error;
}

double error_to_bound_ratio(double error, double bound) {
  return error == 0 ? 0 : error / bound;
}

void check_count(const char* argument, std::size_t count, std::size_t expected) {
  if (count != expected)
    ref::numeric::contract_failure(
        "error_statistics", argument, fmt::format("has {} elements", count),
        fmt::format("{}, as answer", expected), ref::numeric::Clause::C1);
}

/// Accumulates the maximum and the mean of a quantity.
struct MaximumAndMean {
  double largest = 0, sum = 0;
  std::size_t count = 0;

  void add(double value) {
    largest = std::max(largest, value);
    sum += value;
    ++count;
  }
  double mean() const { return count == 0 ? 0 : sum / static_cast<double>(count); }
};

}  // namespace

ErrorStatistics error_statistics(const StoredTensor& answer, const StoredTensor& high,
                                 const StoredTensor* low,
                                 const ref::tensor::Tensor<double>& bound) {
  const std::vector<double> got = ref::io::widen(answer), value = ref::io::widen(high);
  const std::vector<double> remainder =
      low == nullptr ? std::vector<double>(value.size(), 0.0) : ref::io::widen(*low);
  check_count("high", value.size(), got.size());
  check_count("low", remainder.size(), got.size());
  check_count("bound", bound.size(), got.size());
  const double unit = 2 * golden::corpus::unit_roundoff(answer.dtype);
  MaximumAndMean ulps, shares;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double error = compute_error(got[i], value[i], remainder[i]);
    if (std::isnan(value[i])) {
      shares.add(error);
      continue;
    }
    const double own = golden::tolerance::with_storage_rounding(bound.data()[i], value[i],
                                                                remainder[i], high.dtype);
    if (std::isinf(own)) continue;
    shares.add(error_to_bound_ratio(error, own));
    if (std::fabs(value[i]) > own) ulps.add(error / std::ldexp(unit, std::ilogb(value[i])));
  }
  return {shares.count, round_to_six_digits(ulps.largest), round_to_six_digits(ulps.mean()),
          round_to_six_digits(shares.largest), round_to_six_digits(shares.mean())};
}

Direction direction(const ErrorStatistics& before, const ErrorStatistics& after) {
  const bool grown = after.max_share > before.max_share || after.mean_share > before.mean_share;
  const bool shrunk = after.max_share < before.max_share || after.mean_share < before.mean_share;
  if (grown == shrunk) return Direction::neither;
  return shrunk ? Direction::towards : Direction::away;
}

}  // namespace normproof::verification::checks::regression
