#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "ref/numeric/any_order_error.hpp"
#include "ref/numeric/running_error.hpp"
#include "tests/verification/golden/certify/samples.hpp"
#include "verification/golden/certify/row_blocks.hpp"

namespace normproof::verification::golden::certify {

/// Returns a bound of the radius of each element of an output that is a sum over rows, for every
/// order of the rows and every division into blocks.
///
/// Source    docs/error_analysis.md, section 1
/// Computes  the terms t of the single rows with their running error bounds e. The additions, one
///           less than rows, round partial sums that are at most the sum of |t| + e:
///           `sum e + (rows - 1) 2^-53 sum (|t| + e)`, with a factor that covers the roundings of
///           the bound itself
inline std::vector<double> largest_radius_of_sum(const Case& c, const std::string& output) {
  using ref::numeric::running_error;
  const std::size_t rows = find(c.inputs, "x")->shape[0];
  std::vector<double> errors, magnitudes;
  for (std::size_t row = 0; row < rows; ++row) {
    const Case one = select_rows(c, std::vector<std::size_t>{row});
    auto inputs = inputs_of(one);
    replace_not_finite(inputs, one, kReplacements);
    const auto results =
        checks::evaluation::run_operation<running_error>(one.options, inputs, one.sequence);
    const auto& terms = results.at(output);
    errors.resize(terms.size());
    magnitudes.resize(terms.size());
    for (std::size_t i = 0; i < terms.size(); ++i) {
      errors[i] += terms.data()[i].error;
      magnitudes[i] += std::fabs(terms.data()[i].value) + terms.data()[i].error;
    }
  }
  constexpr double kSlack = 1 + 0x1p-40;
  for (std::size_t i = 0; i < errors.size(); ++i)
    errors[i] =
        (errors[i] + static_cast<double>(rows - 1) * 0x1p-53 * magnitudes[i]) * kSlack + 0x1p-1000;
  return errors;
}

/// Returns a factor by which the error of a sum over rows that norm_sums.hpp computes may differ
/// from the error of the evaluation with any_order_error.
///
/// Source    docs/error_analysis.md, section 8
/// Computes  the evaluation knows one more lower bound of a statistic of n elements: the sum of the
///           lower bounds of their squares. Every lower bound is at least `1 - 4 (n + 10) u` times
///           the statistic: a square has twice the relative error of its root, the mean and the sum
///           of the squares have n roundings each, and a lower bound is less by twice the error.
///           The roots of two lower bounds differ by half of that, and the error of rstd is divided
///           by three roots. That makes 6 (n + 10) u. The bounds themselves are rounded: each
///           addition enlarges a bound by the factor 1 + 2^-45, and the sum of a scale_norm has as
///           many terms as x has elements. Each operation with a term does so once more
/// Requires  the numbers of a row are not much larger than their standard deviation, or their
///           variance has a lower bound of its own (VarianceBound)
inline double slack_of_norm_sums(const Case& c, double unit_roundoff) {
  double elements = 1;
  const StoredTensor& x = *find(c.inputs, "x");
  for (const std::size_t extent : x.shape) elements *= static_cast<double>(extent);
  const auto width = static_cast<double>(x.shape.back());
  constexpr double kOperations = 10;
  return 1 + 6 * (width + kOperations) * unit_roundoff +
         (elements + 2 * width + kOperations) * 0x1p-45;
}

/// Returns a bound of the radius of each element of a sum that norm_sums.hpp computes in double, in
/// its own order: the error of the evaluation in double for every order.
inline std::vector<double> largest_radius_of_norm_sum(const Case& c, const std::string& output) {
  using ref::numeric::any_order_error;
  constexpr ref::numeric::Arithmetic kDouble =
      ref::numeric::arithmetic_of_type(ref::numeric::FloatType::float64);
  const ref::numeric::AnyOrderArithmetic scope(kDouble);
  const auto results = checks::evaluation::run_operation<any_order_error>(
      c.options, recipes::inputs_of(c), c.sequence);
  std::vector<double> errors;
  for (const any_order_error& element : results.at(output))
    errors.push_back(element.error * slack_of_norm_sums(c, kDouble.unit_roundoff));
  return errors;
}

}  // namespace normproof::verification::golden::certify
