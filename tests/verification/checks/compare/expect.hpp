#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "verification/checks/compare/comparison.hpp"
#include "verification/checks/compare/ulp.hpp"

/// Assertions for the four kinds of tolerance: exact, derived, by cancellation, and recorded. All
/// of them fail for NaN.
namespace normproof::verification::checks::compare {

inline Tensor<double> make_tensor_from(const Tensor<double>& t) {
  return t;
}
inline Tensor<double> make_tensor_from(double x) {
  return ref::tensor::full_tensor<double>({1}, x);
}

template <class T, class U>
::testing::AssertionResult same_bits(const char* got_text, const char* expected_text, const T& got,
                                     const U& expected) {
  const Comparison c = compare_bits(make_tensor_from(got), make_tensor_from(expected));
  if (c.passed) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure()
         << got_text << " has other bits than " << expected_text << ": " << c.describe();
}

template <class T, class U>
::testing::AssertionResult has_max_ulp_error(const char* got_text, const char* expected_text,
                                             const char*, const T& got, const U& expected,
                                             std::uint64_t recorded) {
  const Comparison c = compare_bits(make_tensor_from(got), make_tensor_from(expected));
  if (c.shape_failure.empty() && c.max_ulp == recorded && recorded != kInfiniteUlpDistance)
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure()
         << got_text << " against " << expected_text << ": recorded are exactly " << recorded
         << " ulp, measured " << c.max_ulp << ": " << c.describe();
}

inline ::testing::AssertionResult comparison_passes(const char* text, const Comparison& c) {
  if (c.passed) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << text << " " << c.describe();
}

/// Matches a value that is 0 in exact arithmetic because its terms cancel. The absolute value must
/// be at most `ulps` ulps of `sum_of_abs_terms`, the sum of the absolute values of the terms.
MATCHER_P2(vanishes_before, sum_of_abs_terms, ulps,
           "vanishes before " + std::to_string(sum_of_abs_terms) + " to " + std::to_string(ulps) +
               " ulps") {
  const double limit = static_cast<double>(ulps) * ulp(sum_of_abs_terms);
  *result_listener << "which is " << std::fabs(arg) / ulp(sum_of_abs_terms) << " ulps of it";
  return std::fabs(arg) <= limit;
}

}  // namespace normproof::verification::checks::compare

/// Expects two doubles, or two tensors of doubles, to have the same shape and the same bits.
#define EXPECT_BITS_EQ(got, expected) \
  EXPECT_PRED_FORMAT2(::normproof::verification::checks::compare::same_bits, got, expected)
/// Expects the largest error in ulps to be exactly the recorded number. A smaller error fails too,
/// so that somebody records the improvement.
#define EXPECT_MAX_ULP(got, expected, exactly)                                            \
  EXPECT_PRED_FORMAT3(::normproof::verification::checks::compare::has_max_ulp_error, got, \
                      expected, exactly)
/// Expects a Comparison to have passed.
#define EXPECT_WITHIN(comparison) \
  EXPECT_PRED_FORMAT1(::normproof::verification::checks::compare::comparison_passes, comparison)
#define ASSERT_WITHIN(comparison) \
  ASSERT_PRED_FORMAT1(::normproof::verification::checks::compare::comparison_passes, comparison)
