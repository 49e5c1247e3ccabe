#include "ref/ops/lane_sum.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "ref/numeric/random.hpp"
#include "tests/verification/checks/compare/expect.hpp"

namespace normproof::ref::ops {
namespace {

// Adds in the order of rule R2 of docs/specification/determinism.md. Lanes without terms are added
// as 0.
double sum_lane_by_lane(const std::vector<double>& x) {
  double lane[32] = {};
  for (std::size_t i = 0; i < x.size(); ++i) lane[i % 32] += x[i];
  for (const std::size_t stride : {16u, 8u, 4u, 2u, 1u})
    for (std::size_t l = 0; l < stride; ++l) lane[l] += lane[l + stride];
  return lane[0];
}

std::vector<double> wide_ranging_values(std::size_t count, std::string_view stream) {
  const numeric::RandomStream random(3, stream);
  std::vector<double> x(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double scale = i % 5 == 0 ? 0x1p40 : i % 7 == 0 ? 0x1p-30 : 1.0;
    x[i] = random.normal(i) * scale;
  }
  return x;
}

constexpr std::size_t kSumLengths[] = {1,  2,  3,  15, 16, 17,  31,   32,
                                       33, 63, 64, 65, 96, 257, 1000, 4096};

TEST(LaneSum, FollowsTheDocumentedOrder) {
  for (const std::size_t count : kSumLengths) {
    const auto x = wide_ranging_values(count, "lanes");
    const double expected = sum_lane_by_lane(x);
    EXPECT_BITS_EQ(lane_sum<double>(count, [&](std::size_t i) { return x[i]; }), expected);
    EXPECT_BITS_EQ(contiguous_lane_sum<double>(count, [p = x.data()](auto at) { return at(p); }),
                   expected);
  }
}

TEST(LaneSum, DiffersFromASumFromLeftToRight) {
  const auto x = wide_ranging_values(1000, "lanes");
  double left_to_right = 0;
  for (const double v : x) left_to_right += v;
  EXPECT_NE(left_to_right, sum_lane_by_lane(x)) << "the data cannot tell orders apart";
}

TEST(LaneSum, EmptySumIsPlusZero) {
  EXPECT_BITS_EQ(lane_sum<double>(0, [](std::size_t) { return 1.0; }), 0.0);
  const double* none = nullptr;
  EXPECT_BITS_EQ(contiguous_lane_sum<double>(0, [none](auto at) { return at(none); }), 0.0);
}

TEST(LaneSum, SumOfMinusZerosIsPlusZero) {
  const std::vector<double> x(40, -0.0);
  EXPECT_BITS_EQ(lane_sum<double>(40, [&](std::size_t i) { return x[i]; }), 0.0);
  EXPECT_BITS_EQ(contiguous_lane_sum<double>(40, [p = x.data()](auto at) { return at(p); }), 0.0);
}

TEST(ColumnSum, FollowsTheDocumentedOrderInEveryColumn) {
  for (const std::size_t rows : kSumLengths) {
    for (const std::size_t width : {1u, 3u, 8u, 11u}) {
      const auto x = wide_ranging_values(rows * width, "columns");
      std::vector<double> sums(width);
      const auto terms = [&](std::size_t row) {
        return [p = x.data() + row * width](auto at) { return at(p); };
      };
      column_sum<double>(rows, width, sums.data(), [&](double* sum, auto... row) {
        accumulate_rows(sum, width, terms(row)...);
      });
      for (std::size_t c = 0; c < width; ++c) {
        std::vector<double> column(rows);
        for (std::size_t r = 0; r < rows; ++r) column[r] = x[r * width + c];
        EXPECT_BITS_EQ(sums[c], sum_lane_by_lane(column));
      }
    }
  }
}

TEST(AddLanes, AddsLanesInTheDocumentedTree) {
  for (const std::size_t count : {1u, 2u, 5u, 31u, 32u}) {
    auto lanes = wide_ranging_values(count * 3, "tree");
    std::vector<double> column(count);
    for (std::size_t l = 0; l < count; ++l) column[l] = lanes[l * 3 + 1];
    add_lanes(lanes.data(), count, 3, 1, 2);
    EXPECT_BITS_EQ(lanes[1], sum_lane_by_lane(column));
  }
}

}  // namespace
}  // namespace normproof::ref::ops
