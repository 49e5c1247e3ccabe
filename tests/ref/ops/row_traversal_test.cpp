#include "ref/ops/row_traversal.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "ref/numeric/random.hpp"
#include "ref/numeric/running_error.hpp"
#include "tests/verification/checks/compare/expect.hpp"

namespace normproof::ref::ops {
namespace {

std::vector<double> normal_numbers(std::size_t count, std::string_view stream) {
  const numeric::RandomStream random(17, stream);
  std::vector<double> x(count);
  for (std::size_t i = 0; i < count; ++i) x[i] = random.normal(i) * (i % 5 == 0 ? 0x1p40 : 1.0);
  return x;
}

// The smallest matrix, odd extents, a width that is a multiple of the vector length, and a matrix
// that is large enough for non-temporal stores.
constexpr RowLayout kLayouts[] = {{1, 1}, {3, 5}, {70, 33}, {33, 64}, {800, 700}};

TEST(RowTraversal, VisitsEachRowOfTheRangeWithItsInputs) {
  for (const RowLayout& layout : kLayouts) {
    const auto x = normal_numbers(layout.count * layout.width, "x");
    const auto y = normal_numbers(layout.count * layout.width, "y");
    const IndexRange range{layout.count / 3, layout.count};
    std::size_t next = range.begin;
    for_each_row(layout, range, Inputs{x.data(), y.data()}, [&](auto& row, auto x_row, auto y_row) {
      EXPECT_EQ(row.index(), next++);
      EXPECT_EQ(x_row.p, x.data() + row.index() * layout.width);
      EXPECT_EQ(y_row.p, y.data() + row.index() * layout.width);
    });
    EXPECT_EQ(next, range.end);
  }
}

TEST(RowTraversal, SumsOfARowFollowTheDocumentedOrder) {
  for (const RowLayout& layout : kLayouts) {
    const auto x = normal_numbers(layout.count * layout.width, "x");
    for_each_row(layout, {0, layout.count}, Inputs{x.data()}, [&](auto& row, auto x_row) {
      const double* const p = x.data() + row.index() * layout.width;
      const double expected = lane_sum<double>(layout.width, [p](std::size_t i) { return p[i]; });
      const auto term = [=](auto d) { return x_row[d]; };
      EXPECT_BITS_EQ(row.sum(term), expected) << "the first one";
      EXPECT_BITS_EQ(row.sum(term), expected) << "a later one";
      EXPECT_BITS_EQ(row.mean(term), expected / static_cast<double>(layout.width));
    });
  }
}

TEST(RowTraversal, WritesOnlyTheRowsOfTheRange) {
  for (const RowLayout& layout : kLayouts) {
    const auto x = normal_numbers(layout.count * layout.width, "x");
    std::vector<double> y(x.size(), -1.0);
    const IndexRange range{layout.count / 3, layout.count - layout.count / 4};
    for_each_row(layout, range, Inputs{x.data()}, [&](auto& row, auto x_row) {
      row.write(y.data(), [=](auto d) { return x_row[d] * 3.0; });
    });
    for (std::size_t i = 0; i < y.size(); ++i) {
      const std::size_t row = i / layout.width;
      const bool written = row >= range.begin && row < range.end;
      ASSERT_EQ(y[i], written ? x[i] * 3.0 : -1.0) << "element " << i;
    }
  }
}

// Returns the sums over the rows of x, then those of 2 x, each per column. Lanes and columns are
// processed in ranges of `part`. The results must not depend on `part`.
template <class T>
std::vector<T> compute_column_totals(const RowLayout& layout, const std::vector<T>& x,
                                     std::size_t part) {
  const std::size_t lanes = std::min(layout.count, kLanes);
  std::vector<T> sums(lanes * 2 * layout.width, T(7.0));
  const LaneTotals<T> totals{sums.data(), lanes, 2 * layout.width};
  for (std::size_t begin = 0; begin < lanes; begin += part) {
    const IndexRange range{begin, std::min(lanes, begin + part)};
    for_each_row_of_lanes(layout, range, Inputs{x.data()}, totals, [](auto& row, auto x_row) {
      const auto once = row.total(0);
      const auto twice = row.total(1);
      row.sum([=](auto d) {
        once[d] += x_row[d];
        twice[d] += x_row[d] + x_row[d];
        return x_row[d];
      });
    });
  }
  for (std::size_t begin = 0; begin < totals.size; begin += part)
    compute(totals, IndexRange{begin, std::min(totals.size, begin + part)});
  sums.resize(totals.size);
  return sums;
}

TEST(RowTraversal, TotalsOverRowsFollowTheDocumentedOrder) {
  for (const RowLayout& layout : kLayouts) {
    const auto x = normal_numbers(layout.count * layout.width, "x");
    for (const std::size_t part : {1u, 5u, 32u, 5000u}) {
      const auto sums = compute_column_totals(layout, x, part);
      for (std::size_t d = 0; d < layout.width; ++d) {
        const auto column = [&](std::size_t i) { return x[i * layout.width + d]; };
        const double expected = lane_sum<double>(layout.count, column);
        EXPECT_BITS_EQ(sums[d], expected) << "column " << d;
        EXPECT_BITS_EQ(sums[layout.width + d], 2 * expected) << "column " << d;
      }
    }
  }
}

TEST(RowTraversal, TotalsOfRunsOfRowsAddConsecutiveRows) {
  for (const RowLayout& layout : kLayouts) {
    const auto x = normal_numbers(layout.count * layout.width, "x");
    for (const std::size_t run : {1u, 3u, 32u, 5000u}) {
      const std::size_t runs = (layout.count + run - 1) / run;
      std::vector<double> sums(runs * layout.width, 7.0);
      const LaneTotals<double> totals{sums.data(), runs, layout.width, run};
      for (std::size_t begin = 0; begin < runs; begin += 2) {
        const IndexRange range{begin, std::min(runs, begin + 2)};
        for_each_row_of_lanes(layout, range, Inputs{x.data()}, totals, [](auto& row, auto x_row) {
          const auto sum = row.total(0);
          row.sum([=](auto d) {
            sum[d] += x_row[d];
            return x_row[d];
          });
        });
      }
      for (std::size_t i = 0; i < sums.size(); ++i) {
        const std::size_t first = i / layout.width * run, d = i % layout.width;
        double expected = 0;
        for (std::size_t r = first; r < std::min(first + run, layout.count); ++r)
          expected += x[r * layout.width + d];
        EXPECT_BITS_EQ(sums[i], expected) << "run " << i / layout.width << " of " << run;
      }
    }
  }
}

TEST(RowTraversal, OtherScalarTypesMatchDouble) {
  using numeric::running_error;
  constexpr RowLayout kLayout{70, 33};
  const auto x = normal_numbers(kLayout.count * kLayout.width, "x");
  const std::vector<running_error> values_with_error(x.begin(), x.end());
  const auto expected = compute_column_totals(kLayout, x, 32);
  const auto got = compute_column_totals(kLayout, values_with_error, 32);
  for (std::size_t d = 0; d < expected.size(); ++d) EXPECT_BITS_EQ(got[d].value, expected[d]);
}

}  // namespace
}  // namespace normproof::ref::ops
