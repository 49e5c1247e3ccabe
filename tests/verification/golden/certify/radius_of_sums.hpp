#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

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

}  // namespace normproof::verification::golden::certify
