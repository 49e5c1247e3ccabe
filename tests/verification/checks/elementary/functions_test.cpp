#include "verification/checks/elementary/functions.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "tests/ref/numeric/special_values.hpp"

namespace normproof::verification::checks::elementary {
namespace {

constexpr double kSmallestSubnormal = std::numeric_limits<double>::denorm_min();
using ref::numeric::kInfinity;

const Function& find_function(const std::string& name) {
  for (const Function& f : functions()) {
    if (f.name == name) return f;
  }
  throw std::logic_error("no function " + name);
}

// Tests the reference on values that are known without it.
TEST(ElementaryReference, RoundsToNearestWithSubnormalsAndOverflow) {
  EXPECT_EQ(nearest(find_function("exp"), 1), 0x1.5bf0a8b145769p+1);
  EXPECT_EQ(nearest(find_function("exp"), 710), kInfinity);
  EXPECT_EQ(nearest(find_function("exp"), -746), 0);
  // exp(-745) = 4.99...e-324 is nearest to the smallest subnormal, 4.94e-324.
  EXPECT_EQ(nearest(find_function("exp"), -745), kSmallestSubnormal);
  EXPECT_EQ(nearest(find_function("log"), 2), 0x1.62e42fefa39efp-1);
  EXPECT_EQ(nearest(find_function("tanh"), kSmallestSubnormal), kSmallestSubnormal);
  // erf(x) is nearly 1.128 x. With x = 3 units of the smallest subnormal number, that is 3.38
  // units, rounded to 3. With x = 5 units, it is 5.64 units, rounded to 6.
  EXPECT_EQ(nearest(find_function("erf"), 3 * kSmallestSubnormal), 3 * kSmallestSubnormal);
  EXPECT_EQ(nearest(find_function("erf"), 5 * kSmallestSubnormal), 6 * kSmallestSubnormal);
}

TEST(RandomArguments, ReachEveryPartOfTheRange) {
  for (const Function& f : functions()) {
    std::set<int> exponents;
    int subnormal = 0, infinite_or_nan = 0, negative = 0;
    for (std::uint64_t i = 0; i < 8000; ++i) {
      const double x = argument(f, 1, i);
      EXPECT_TRUE(is_same_value(x, argument(f, 1, i)));
      subnormal += x != 0 && std::fabs(x) < 0x1p-1022;
      infinite_or_nan += !std::isfinite(x);
      negative += std::signbit(x);
      if (std::isfinite(x) && x != 0) exponents.insert(std::ilogb(x));
    }
    EXPECT_GT(exponents.size(), 1000u) << f.name;
    EXPECT_GT(subnormal, 50) << f.name;
    EXPECT_GT(infinite_or_nan, 50) << f.name;
    EXPECT_GT(negative, 800) << f.name;
  }
}

TEST(SameValue, DistinguishesZerosAndAcceptsEveryNaN) {
  EXPECT_FALSE(is_same_value(0.0, -0.0));
  EXPECT_TRUE(is_same_value(std::nan("1"), -std::nan("2")));
  EXPECT_FALSE(is_same_value(1.0, 1 + 0x1p-52));
}

// The fast phase of exp is exact at 0. At 1.7 the error of each function is above 2^-120, and
// within the bound.
TEST(FastPhase, ErrorIsWithinItsBound) {
  EXPECT_EQ(fast_error(find_function("exp"), 0), 0);
  for (const Function& f : functions()) {
    if (f.kernel == nullptr) continue;  // sqrt is a single operation
    const double error = fast_error(f, 1.7);
    EXPECT_GT(error, 0x1p-120) << f.name;
    EXPECT_LE(error, f.fast_error) << f.name;
  }
}

}  // namespace
}  // namespace normproof::verification::checks::elementary
