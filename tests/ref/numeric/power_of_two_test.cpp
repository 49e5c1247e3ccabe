#include "ref/numeric/power_of_two.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace normproof::ref::numeric {
namespace {

TEST(IsPowerOfTwo, AcceptsPowersOfEitherSignAndAnySize) {
  for (const double v : {1.0, -1.0, 2.0, 0.25, 0x1p1023, -0x1p-1022, 0x1p-1074})
    EXPECT_TRUE(is_power_of_two(v)) << v;
}

TEST(IsPowerOfTwo, RejectsEverythingElse) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const double v : {0.0, -0.0, 3.0, 1 + 0x1p-52, 0x1p-1073 + 0x1p-1074, kInfinity, -kInfinity,
                         std::numeric_limits<double>::quiet_NaN()})
    EXPECT_FALSE(is_power_of_two(v)) << v;
}

}  // namespace
}  // namespace normproof::ref::numeric
