#include "verification/golden/certify/lanes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

namespace normproof::verification::golden::certify {
namespace {

constexpr double kLeft[kLanes] = {1.5, -2.25, 0.0, -0.0, 1e300, -1e-310, 0x1p-53, 3.0};
constexpr double kRight[kLanes] = {2.0, 0.1, -7.0, 4.0, 1e300, 1e-310, 1.0, -3.0};

void expect_each(const Lanes& found, const std::function<double(std::size_t)>& expected) {
  for (std::size_t l = 0; l < kLanes; ++l) {
    EXPECT_EQ(found[l], expected(l)) << l;
    EXPECT_EQ(std::signbit(found[l]), std::signbit(expected(l))) << l;
  }
}

TEST(Lanes, ComputeEachElementAsDoubleDoes) {
  const Lanes a = load(kLeft), b = load(kRight);
  expect_each(a + b, [](std::size_t l) { return kLeft[l] + kRight[l]; });
  expect_each(a - b, [](std::size_t l) { return kLeft[l] - kRight[l]; });
  expect_each(a * b, [](std::size_t l) { return kLeft[l] * kRight[l]; });
  expect_each(a + 0.1, [](std::size_t l) { return kLeft[l] + 0.1; });
  expect_each(a - 0.1, [](std::size_t l) { return kLeft[l] - 0.1; });
  expect_each(0.1 * a, [](std::size_t l) { return 0.1 * kLeft[l]; });
  expect_each(magnitude_of(a), [](std::size_t l) { return std::fabs(kLeft[l]); });
}

TEST(Lanes, StoreWhatTheyLoadAtAnyAddress) {
  double memory[kLanes + 1] = {};
  store(memory + 1, load(kLeft));
  for (std::size_t l = 0; l < kLanes; ++l) EXPECT_EQ(memory[l + 1], kLeft[l]);
  EXPECT_EQ(memory[0], 0);
}

TEST(Lanes, AreAddedInAscendingOrder) {
  const double terms[kLanes] = {1, 0x1p-53, 0x1p-53, 0x1p-53, 0x1p-53, 0, 0, 0};
  EXPECT_EQ(add_lanes(load(terms)), 1);  // 1 + 2^-52 in the reverse order
}

TEST(Lanes, KeepTheElementsThatAMaskSelects) {
  const Lanes a = load(kLeft);
  expect_each(zero_where(is_zero(a), fill(5)),
              [](std::size_t l) { return kLeft[l] == 0 ? 0.0 : 5.0; });
  expect_each(zero_unless(is_at_most(a, 1), fill(5)),
              [](std::size_t l) { return kLeft[l] <= 1 ? 5.0 : 0.0; });
}

TEST(LaneMask, IsTrueEverywhereOnlyIfEachLaneIs) {
  EXPECT_TRUE(is_true_everywhere(is_at_most(load(kLeft), 1e300)));
  for (std::size_t l = 0; l < kLanes; ++l) {
    Lanes one{};
    one[l] = 2;
    EXPECT_FALSE(is_true_everywhere(is_at_most(one, 1))) << l;
    one[l] = std::numeric_limits<double>::quiet_NaN();
    LaneMask mask = is_zero(Lanes{});
    mask &= is_at_most(one, 1);
    EXPECT_FALSE(is_true_everywhere(mask)) << l;
  }
}

}  // namespace
}  // namespace normproof::verification::golden::certify
