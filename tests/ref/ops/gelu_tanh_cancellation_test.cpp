#include "ref/ops/gelu_tanh_cancellation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace normproof::ref::ops {
namespace {

constexpr double kRootOf2OverPi = 0.7978845608028654, kCubic = 0.044715, kRoundoff = 0x1p-24;

/// The published formula of gelu_tanh and of its derivative in float32, for the correctly rounded
/// tanh, and the same in float64.
struct Published {
  explicit Published(float argument) : x(argument) {
    const double wide = x;
    slope = kRootOf2OverPi * (1 + 3 * kCubic * wide * wide);
    exact_t = std::tanh(kRootOf2OverPi * (wide + kCubic * wide * wide * wide));
    t = static_cast<float>(exact_t);
  }
  double y_error() const { return std::fabs(double{x * 0.5F * (1 + t)} - exact_y()); }
  double exact_y() const { return x * 0.5 * (1 + exact_t); }
  double gradient_error() const {
    const float gradient = 0.5F * (1 + t) + 0.5F * x * (1 - t * t) * static_cast<float>(slope);
    return std::fabs(gradient - (0.5 * (1 + exact_t) + 0.5 * x * (1 - exact_t * exact_t) * slope));
  }

  float x, t = 0;
  double slope = 0, exact_t = 0;
};

TEST(GeluTanhCancellation, CoversThePublishedFormulaInFloat32) {
  double largest_relative_error = 0;
  for (float x = -12; x < 12; x += 0x1p-7F) {
    const Published published(x);
    const double magnitude = std::fabs(x);
    EXPECT_LE(published.y_error(), gelu_tanh_cancellation(kRoundoff, magnitude)) << x;
    EXPECT_LE(published.gradient_error(), gelu_tanh_backward_cancellation(kRoundoff, magnitude, 1))
        << x;
    if (x != 0)
      largest_relative_error =
          std::max(largest_relative_error, published.y_error() / std::fabs(published.exact_y()));
  }
  EXPECT_GT(largest_relative_error, 0.5);
}

TEST(GeluTanhCancellation, IsProportionalToTheUnitRoundoffAndTheGradient) {
  EXPECT_EQ(gelu_tanh_cancellation(0, 3), 0);
  EXPECT_EQ(gelu_tanh_cancellation(kRoundoff, 6), 2 * gelu_tanh_cancellation(kRoundoff, 3));
  EXPECT_EQ(gelu_tanh_backward_cancellation(kRoundoff, 3, 8),
            8 * gelu_tanh_backward_cancellation(kRoundoff, 3, 1));
}

}  // namespace
}  // namespace normproof::ref::ops
