#include "verification/checks/regression/error_statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/ref/numeric/error_message.hpp"

namespace normproof::verification::checks::regression {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

ErrorStatistics compute_error_statistics(DType answer, const std::vector<double>& got,
                                         DType expected, const std::vector<double>& high,
                                         const std::vector<double>& low,
                                         const std::vector<double>& bounds) {
  const std::vector<std::size_t> shape = {got.size()};
  auto bound = ref::tensor::empty_tensor<double>(shape);
  for (std::size_t i = 0; i < bounds.size(); ++i) bound.data()[i] = bounds[i];
  const StoredTensor remainder = ref::io::make_tensor("y_lo", DType::float64, shape, low);
  return error_statistics(ref::io::make_tensor("y", answer, shape, got),
                          ref::io::make_tensor("y", expected, shape, high),
                          expected == DType::int64 ? nullptr : &remainder, bound);
}

TEST(ErrorStatistics, CountUlpsInTheDtypeOfTheOutput) {
  const std::vector<double> got = {1.5, -4}, high = {1.5, -4},
                            low = {std::ldexp(1, -24), std::ldexp(1, -21)}, bound = {1e-3, 1e-3};
  const auto narrow =
      compute_error_statistics(DType::float32, got, DType::float32, high, low, bound);
  EXPECT_EQ(narrow.judged, 2u);
  EXPECT_EQ(narrow.max_ulp, 1);      // one ulp of -4 is 2^-21
  EXPECT_EQ(narrow.mean_ulp, 0.75);  // one ulp of 1.5 is 2^-23
  const auto wide = compute_error_statistics(DType::float64, got, DType::float32, high, low, bound);
  EXPECT_NEAR(wide.max_ulp, std::ldexp(1, 29), 1e4);
  EXPECT_EQ(wide.max_share, narrow.max_share);
}

TEST(ErrorStatistics, C1_RejectsDifferentNumbersOfElements) {
  const auto stored = [](std::vector<double> values) {
    return ref::io::make_tensor("y", DType::float64, {values.size()}, values);
  };
  const auto refusal = [&](std::size_t high, std::size_t low, std::size_t bound) {
    const StoredTensor remainder = stored(std::vector<double>(low, 0));
    return ref::numeric::contract_message([&] {
      error_statistics(stored({1, 2}), stored(std::vector<double>(high, 1)), &remainder,
                       ref::tensor::full_tensor<double>({bound}, 1));
    });
  };
  EXPECT_EQ(refusal(2, 2, 2), "no error");
  EXPECT_EQ(refusal(3, 2, 2), "error_statistics: high has 3 elements; expected 2, as answer (C1)");
  EXPECT_EQ(refusal(2, 1, 2), "error_statistics: low has 1 elements; expected 2, as answer (C1)");
  EXPECT_EQ(refusal(2, 2, 1), "error_statistics: bound has 1 elements; expected 2, as answer (C1)");
}

TEST(ErrorStatistics, UseTheBoundOfTheExpectedDtype) {
  const auto s = compute_error_statistics(DType::float64, {1.5}, DType::float64, {1}, {0}, {0.25});
  EXPECT_EQ(s.max_share, 2);
  EXPECT_EQ(s.mean_share, 2);
  const auto rounded =
      compute_error_statistics(DType::float16, {1.5}, DType::float16, {1}, {0}, {0.25});
  EXPECT_LT(rounded.max_share, 2);  // the bound also includes the rounding to float16
}

TEST(ErrorStatistics, CountNoUlpsForExpectedValuesBelowTheirBound) {
  const auto s = compute_error_statistics(DType::float64, {1e-9, 1}, DType::float64, {0, 1}, {0, 0},
                                          {1e-8, 1e-8});
  EXPECT_EQ(s.max_ulp, 0);
  EXPECT_EQ(s.max_share, 0.1);
  EXPECT_EQ(s.mean_share, 0.05);
}

TEST(ErrorStatistics, AreInfiniteForANonFiniteOutput) {
  EXPECT_EQ(
      compute_error_statistics(DType::float64, {kNaN}, DType::float64, {1}, {0}, {1}).max_share,
      kInfinity);
  EXPECT_EQ(compute_error_statistics(DType::float64, {kInfinity}, DType::float64, {1}, {0}, {0.5})
                .max_ulp,
            kInfinity);
  EXPECT_EQ(
      compute_error_statistics(DType::float64, {1}, DType::float64, {kNaN}, {kNaN}, {1}).mean_share,
      kInfinity);
  for (const double any : {kNaN, kInfinity})
    EXPECT_EQ(compute_error_statistics(DType::float64, {any}, DType::float64, {kNaN}, {kNaN}, {1})
                  .max_share,
              0);
}

TEST(ErrorStatistics, SkipElementsWithAnInfiniteBound) {
  const auto s =
      compute_error_statistics(DType::float64, {5}, DType::float64, {1}, {0}, {kInfinity});
  EXPECT_EQ(s, ErrorStatistics());
}

TEST(ErrorStatistics, AllowNoErrorInExactCasesAndIntegers) {
  EXPECT_EQ(compute_error_statistics(DType::float64, {2}, DType::float64, {2}, {0}, {0}).max_share,
            0);
  EXPECT_EQ(compute_error_statistics(DType::float64, {3}, DType::float64, {2}, {0}, {0}).max_share,
            kInfinity);
  EXPECT_EQ(compute_error_statistics(DType::int64, {3}, DType::int64, {2}, {0}, {1}).max_share,
            kInfinity);
}

TEST(ChangeDirection, DependsOnTheMaximumAndTheMeanErrorRatio) {
  const ErrorStatistics small{1, 9, 9, 0.1, 0.05}, large{1, 1, 1, 0.2, 0.1},
      mixed{1, 1, 1, 0.1, 0.1}, crossed{1, 1, 1, 0.3, 0.01};
  EXPECT_EQ(direction(large, small), Direction::towards);
  EXPECT_EQ(direction(small, large), Direction::away);
  EXPECT_EQ(direction(mixed, small), Direction::towards);  // only one of the two ratios has changed
  EXPECT_EQ(direction(small, mixed), Direction::away);
  EXPECT_EQ(direction(large, crossed), Direction::neither);
  EXPECT_EQ(direction(large, large), Direction::neither);
}

}  // namespace
}  // namespace normproof::verification::checks::regression
