#include "ref/numeric/fp_environment.hpp"

#include <gtest/gtest.h>

#include <cfenv>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace normproof::ref::numeric {
namespace {

TEST(FpEnvironment, AcceptsTheDefaultEnvironment) {
  EXPECT_NO_THROW(check_fp_environment());
}

TEST(FpEnvironment, RejectsRoundingDirectionsOtherThanToNearest) {
  for (const int direction : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    std::fesetround(direction);
    EXPECT_THROW(check_fp_environment(), EnvironmentError) << direction;
    std::fesetround(FE_TONEAREST);
  }
}

#if defined(__SSE2__)
TEST(FpEnvironment, RejectsFlushToZeroAndDenormalsAreZero) {
  const unsigned before = _mm_getcsr();
  for (const unsigned bit : {0x8000u, 0x0040u}) {
    _mm_setcsr(before | bit);
    EXPECT_THROW(check_fp_environment(), EnvironmentError) << bit;
    _mm_setcsr(before);
  }
}
#endif

TEST(FpEnvironment, MessageNamesTheOperationAndItsBits) {
  std::fesetround(FE_UPWARD);
  try {
    check_fp_environment();
    ADD_FAILURE() << "no error";
  } catch (const EnvironmentError& error) {
    EXPECT_STREQ(
        error.what(),
        "floating-point environment: 1 + 2^-53 (a tie, to even) gives bits "
        "3ff0000000000001; expected 3ff0000000000000 (docs/specification/determinism.md, R0)");
  }
  std::fesetround(FE_TONEAREST);
}

}  // namespace
}  // namespace normproof::ref::numeric
