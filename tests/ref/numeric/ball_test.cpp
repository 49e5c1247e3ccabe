#include "ref/numeric/ball.hpp"

#include <gtest/gtest.h>

#include "ref/numeric/elementary.hpp"
#include "ref/numeric/random.hpp"

namespace normproof::ref::numeric {
namespace {

// Evaluates random expressions. The ball must contain the result of exact rational arithmetic.
TEST(Ball, EnclosesExactRationalResults) {
  const RandomStream stream(7, "ball");
  std::uint64_t draw = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    ball enclosing_ball(1.0);
    rational exact(1);
    for (int step = 0; step < 12; ++step) {
      const double v = (stream.uniform(draw++) - 0.5) * (step % 3 == 0 ? 0x1p40 : 3.0);
      const rational w(v);
      switch (stream.below(draw++, 4)) {
        case 0:
          enclosing_ball += ball(v), exact += w;
          break;
        case 1:
          enclosing_ball -= ball(v), exact -= w;
          break;
        case 2:
          enclosing_ball *= ball(v), exact *= w;
          break;
        default:
          if (v != 0) enclosing_ball /= ball(v), exact /= w;
      }
    }
    ASSERT_LE(rational(enclosing_ball.lower()), exact) << trial;
    ASSERT_GE(rational(enclosing_ball.upper()), exact) << trial;
  }
}

TEST(Ball, ComparisonsAreTrueOnlyIfCertain) {
  BallPrecision coarse_precision(20);
  const ball third = ball(1.0) / ball(3.0);
  EXPECT_FALSE(third < ball(1.0 / 3.0) && third > ball(1.0 / 3.0));
  EXPECT_TRUE(third < ball(0.34));
  EXPECT_TRUE(third > ball(0.33));
  EXPECT_FALSE(third * ball(3.0) == ball(1.0));
  EXPECT_TRUE((third * ball(3.0)).contains(1.0));
}

TEST(Ball, PrecisionIsLocalToTheScopeAndDeterminesTheRadius) {
  const auto width = [] {
    const ball root = sqrt(ball(2.0));
    ball square = root * root - ball(2.0);
    return square.upper() - square.lower();
  };
  const double at_128 = width();
  {
    BallPrecision fine(512);
    EXPECT_EQ(ball::precision(), 512);
    EXPECT_LE(width(), at_128 * 0x1p-300);
  }
  EXPECT_EQ(ball::precision(), 128);
  EXPECT_EQ(width(), at_128);
}

TEST(Ball, DivisionByABallThatContainsZeroIsNotFinite) {
  const ball zero = ball(1.0) / ball(3.0) * ball(3.0) - ball(1.0);
  EXPECT_FALSE((ball(1.0) / zero).is_finite());
  EXPECT_FALSE(sqrt(ball(-1.0)).is_finite());
}

TEST(Ball, CopiesAreIndependentAndMovesKeepTheValue) {
  ball a(2.5);
  ball b = a;
  b += ball(1.0);
  EXPECT_TRUE(a == ball(2.5));
  EXPECT_TRUE(b == ball(3.5));
  ball c = std::move(b);
  EXPECT_TRUE(c == ball(3.5));
  a = c;
  EXPECT_TRUE(a == c);
}

TEST(Ball, EndpointsRoundOutward) {
  const ball tenth = ball(1.0) / ball(10.0);
  EXPECT_LE(rational(tenth.lower()), rational(1, 10));
  EXPECT_GE(rational(tenth.upper()), rational(1, 10));
  EXPECT_EQ(tenth.midpoint(), 0.1);
}

}  // namespace
}  // namespace normproof::ref::numeric
