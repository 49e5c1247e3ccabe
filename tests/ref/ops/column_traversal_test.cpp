#include "ref/ops/column_traversal.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "ref/numeric/random.hpp"
#include "tests/verification/checks/compare/expect.hpp"

namespace normproof::ref::ops {
namespace {

constexpr RowLayout kTallLayout{130, 37};
constexpr IndexRange kColumnRange{3, 31};

std::vector<double> normal_matrix(std::string_view stream) {
  const numeric::RandomStream random(18, stream);
  std::vector<double> x(kTallLayout.count * kTallLayout.width);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = random.normal(i);
  return x;
}

// Returns the sum of (x_d - c_d)^2 over the listed rows, for column d, in the order of rule R2.
double expected_column_sum(const RowList& rows, const std::vector<double>& x,
                           const std::vector<double>& c, std::size_t d) {
  return lane_sum<double>(rows.count, [&](std::size_t i) {
    const std::size_t row = rows.listed == nullptr ? i : rows.listed[i];
    const double difference = x[row * kTallLayout.width + d] - c[d];
    return difference * difference;
  });
}

class ColumnTraversal : public ::testing::TestWithParam<std::size_t> {
 protected:
  ColumnTraversal() {
    // Lists all rows for 0, otherwise every GetParam()-th row starting with the second.
    const std::size_t step = GetParam();
    for (std::size_t row = 1; step > 0 && row < kTallLayout.count; row += step)
      listed_.push_back(row);
    rows_ =
        step == 0 ? RowList{nullptr, kTallLayout.count} : RowList{listed_.data(), listed_.size()};
  }

  void expect_equal_in_range(const std::vector<double>& got, const auto& expected) const {
    for (std::size_t d = 0; d < got.size(); ++d) {
      const bool in = d >= kColumnRange.begin && d < kColumnRange.end;
      EXPECT_BITS_EQ(got[d], in ? expected(d) : -1.0) << "column " << d;
    }
  }

  std::vector<double> x_ = normal_matrix("x");
  std::vector<double> c_ = normal_matrix("c");
  std::vector<std::size_t> listed_;
  RowList rows_;
};

TEST_P(ColumnTraversal, SumsTheListedRowsInTheDocumentedOrder) {
  const Columns<double> columns(kTallLayout, kColumnRange);
  const auto x = columns.of(x_.data());
  const auto c = columns.each(c_.data());
  const auto term = [=](auto id) { return squared(x[id] - c[id]); };
  const double count = static_cast<double>(rows_.count);
  const auto sum = [&](std::size_t d) { return expected_column_sum(rows_, x_, c_, d); };
  std::vector<double> got(kTallLayout.width, -1.0);
  columns.sum(rows_, got.data(), term);
  expect_equal_in_range(got, sum);
  columns.mean(rows_, got.data(), term);
  expect_equal_in_range(got, [&](std::size_t d) { return sum(d) / count; });
}

TEST_P(ColumnTraversal, SumsTwoTermsInOnePass) {
  const Columns<double> columns(kTallLayout, kColumnRange);
  const auto x = columns.of(x_.data());
  const auto c = columns.each(c_.data());
  const std::vector<double> zero_centers(kTallLayout.width, 0.0);
  const auto terms = [=](auto id) { return TwoTerms{squared(x[id] - c[id]), x[id] * x[id]}; };
  const double count = static_cast<double>(rows_.count);
  const auto first_sum = [&](std::size_t d) { return expected_column_sum(rows_, x_, c_, d); };
  const auto second_sum = [&](std::size_t d) {
    return expected_column_sum(rows_, x_, zero_centers, d);
  };
  std::vector<double> first(kTallLayout.width, -1.0), second(kTallLayout.width, -1.0);
  columns.sums(rows_, first.data(), second.data(), terms);
  expect_equal_in_range(first, first_sum);
  expect_equal_in_range(second, second_sum);
  columns.means(rows_, first.data(), second.data(), terms);
  expect_equal_in_range(first, [&](std::size_t d) { return first_sum(d) / count; });
  expect_equal_in_range(second, [&](std::size_t d) { return second_sum(d) / count; });
}

INSTANTIATE_TEST_SUITE_P(Rows, ColumnTraversal, ::testing::Values(0, 1, 2, 200));

}  // namespace
}  // namespace normproof::ref::ops
