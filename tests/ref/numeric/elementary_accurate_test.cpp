#include "ref/numeric/elementary_accurate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <ios>

#include "verification/checks/elementary/functions.hpp"

namespace normproof::ref::numeric {
namespace {

using namespace verification::checks::elementary;

class AccuratePhaseOfElementaryFunctions : public ::testing::TestWithParam<int> {
 protected:
  const Function& f = functions()[static_cast<std::size_t>(GetParam())];
};

// The initial precision ranges from 64 fractional bits, which often do not decide the rounding, to
// the maximum.
TEST_P(AccuratePhaseOfElementaryFunctions, RoundsCorrectlyFromAnyInitialPrecision) {
  for (const int limbs : {2, 3, 4, 5, 8, 16, 33}) {
    for (std::uint64_t i = 0; i < (limbs < 8 ? 2000u : 100u); ++i) {
      const double x = argument(f, 40, i);
      EXPECT_TRUE(is_same_value(f.accurate(x, limbs), nearest(f, x)))
          << f.name << " " << std::hexfloat << x << " from " << limbs << " limbs";
    }
  }
}

TEST_P(AccuratePhaseOfElementaryFunctions, AgreesWithTheFastPhase) {
  for (std::uint64_t i = 0; i < 20000; ++i) {
    const double x = argument(f, 41, i);
    EXPECT_TRUE(is_same_value(f.accurate(x, kInitialLimbs), f.of(x)))
        << f.name << std::hexfloat << x;
  }
}

INSTANTIATE_TEST_SUITE_P(Elementary, AccuratePhaseOfElementaryFunctions, ::testing::Range(0, 4),
                         [](const auto& which) {
                           return functions()[static_cast<std::size_t>(which.param)].name;
                         });

// These results are so close to a midpoint of two doubles that their rounding needs more than twice
// the bits of a double.
TEST(AccurateExpAndLog, RoundResultsNearMidpointsCorrectly) {
  // exp(2^-53) = 1 + 2^-53 + 2^-107: just above the midpoint of 1 and 1 + 2^-52.
  EXPECT_EQ(exp_accurate(0x1p-53), 1 + 0x1p-52);
  // exp(-2^-54) = 1 - 2^-54 + 2^-109: just above the midpoint of 1 - 2^-53 and 1.
  EXPECT_EQ(exp_accurate(-0x1p-54), 1);
  EXPECT_EQ(exp_accurate(std::nextafter(-0x1p-54, -1)), 1 - 0x1p-53);
  // log(1 + 2^-52) = 2^-52 - 2^-105 + 2^-156/3: above 2^-52 - 2^-105, a double.
  EXPECT_EQ(log_accurate(1 + 0x1p-52), 0x1p-52 - 0x1p-105);
}

}  // namespace
}  // namespace normproof::ref::numeric
