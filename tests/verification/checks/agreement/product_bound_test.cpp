#include "verification/checks/agreement/product_bound.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

namespace normproof::verification::checks::agreement {
namespace {

using gpu::ops::Precision;

template <std::size_t n>
ElementVerdict judge_dot_product(Precision precision, const std::array<double, n>& a,
                                 const std::array<double, n>& b, std::optional<double> old,
                                 double got) {
  const ProductArithmetic arithmetic = product_arithmetic(precision);
  std::array<double, n> p, q;
  for (std::size_t i = 0; i < n; ++i) {
    p[i] = round_operand(arithmetic, a[i]);
    q[i] = round_operand(arithmetic, b[i]);
  }
  return judge_element(arithmetic, n, {a.data(), p.data(), 1}, {b.data(), q.data(), 1}, old, got);
}

TEST(ProductErrorBound, IsHalfAnUlpForOneProduct) {
  const double x = 1 + 0x1p-52, y = 1 + 0x1.8p-51;  // the rounding error of x y is nearly 2^-53 x y
  const ElementVerdict fine = judge_dot_product<1>(Precision::float64, {x}, {y}, {}, x * y);
  EXPECT_LE(fine.of_bound, 1);
  const ElementVerdict off =
      judge_dot_product<1>(Precision::float64, {x}, {y}, {}, std::nextafter(x * y, 9.0));
  EXPECT_GT(off.of_bound, 1);
  EXPECT_EQ(judge_dot_product<1>(Precision::float64, {x}, {1}, {}, x).of_bound, 0);
}

// In float32, 2^24 + 1 rounds to 2^24, an error of half an ulp. The next number has an error of one
// ulp.
TEST(ProductErrorBound, AllowsTheRoundingOfSumsInFloat32) {
  EXPECT_LE(judge_dot_product<2>(Precision::float32, {0x1p24, 1}, {1, 1}, {}, 0x1p24).of_sums,
            0.51);
  EXPECT_GT(judge_dot_product<2>(Precision::float32, {0x1p24, 1}, {1, 1}, {}, 0x1p24 + 4).of_sums,
            1);
  // If two terms are truncated, the sum may be off by six units of 2^-23, or twelve halves.
  EXPECT_LE(judge_dot_product<2>(Precision::tf32, {0x1p12, 1}, {0x1p12, 1}, {}, 0x1p24 + 4).of_sums,
            1);
  EXPECT_GT(
      judge_dot_product<2>(Precision::tf32, {0x1p12, 1}, {0x1p12, 1}, {}, 0x1p24 + 16).of_sums, 1);
}

// Tensor cores align a subnormal float16 operand as if its exponent were that of 2^-14. The smaller
// of the two terms here loses digits from 2^-38 on, although the sum is 2^-24.
TEST(ProductErrorBound, AllowsTensorCoresToAlignSubnormalsLikeTheSmallestNormal) {
  const std::array<double, 2> a{0x1p-24, 0x1p-24}, b{1, 0x1p-14};
  EXPECT_GT(judge_dot_product<2>(Precision::float16, a, b, {}, 0x1p-24).of_sums, 0);
  EXPECT_LE(judge_dot_product<2>(Precision::float16, a, b, {}, 0x1p-24).of_sums, 0.1);
  EXPECT_GT(judge_dot_product<2>(Precision::float16, a, b, {}, 0x1p-24 + 0x1p-34).of_sums, 1);
  EXPECT_GT(judge_dot_product<2>(Precision::bfloat16, a, b, {}, 0x1p-24).of_sums, 1);
  const std::array<double, 2> zero{0, 0};
  EXPECT_GT(judge_dot_product<2>(Precision::float16, zero, b, {}, 0x1p-60).of_sums, 0);
}

TEST(ProductErrorBound, AllowsTheRoundingOfAnOperand) {
  const double x = 1 + 0x1p-9;  // a quarter of a unit of bfloat16 from 1
  const ElementVerdict verdict = judge_dot_product<1>(Precision::bfloat16, {x}, {1}, {}, 1);
  EXPECT_LE(verdict.of_bound, 1);
  EXPECT_GT(verdict.of_bound, 0.99);
  EXPECT_EQ(verdict.of_sums, 0);
  EXPECT_GT(judge_dot_product<1>(Precision::bfloat16, {x}, {1}, {}, 1 - 0x1p-15).of_bound, 1);
}

TEST(ProductErrorBound, CountsThePreviousTotalAsATermOrAsOneMoreRounding) {
  EXPECT_LE(judge_dot_product<1>(Precision::float64, {1}, {1}, 0x1p53, 0x1p53).of_bound, 0.6);
  EXPECT_LE(judge_dot_product<1>(Precision::float32, {1}, {1}, 0x1p53, 0x1p53).of_bound, 1);
  EXPECT_GT(judge_dot_product<1>(Precision::float32, {1}, {1}, 0x1p53, 0x1p53 + 0x1p33).of_bound,
            1);
}

TEST(ProductErrorBound, NaNFailsAndOverflowIsNotJudged) {
  EXPECT_GT(judge_dot_product<1>(Precision::float32, {1}, {1}, {}, std::nan("")).of_bound, 1);
  EXPECT_GT(judge_dot_product<1>(Precision::float32, {1}, {1}, {}, HUGE_VAL).of_bound, 1);
  EXPECT_FALSE(judge_dot_product<1>(Precision::float16, {70000}, {1}, {}, HUGE_VAL).judged);
  EXPECT_FALSE(judge_dot_product<1>(Precision::float32, {0x1p100}, {0x1p100}, {}, HUGE_VAL).judged);
  EXPECT_TRUE(judge_dot_product<1>(Precision::float64, {0x1p100}, {0x1p100}, {}, 0x1p200).judged);
}

TEST(ProductErrorBound, RoundsOperandsAsTheirFormatSpecifies) {
  for (const ref::numeric::FloatFormat& format : ref::numeric::kFloatFormats) {
    if (format.bytes == 1) continue;  // a storage format; no products are computed in it
    for (const double v : {0.1, -1.0 / 3, 65519.0, 65520.0, 0x1p-25, 0x1.8p-25, 0x1p-130, 1e-45,
                           3.4e38, 3.5e38, -0.0, 1 + 0x1p-8, 1 + 0x1p-11, HUGE_VAL})
      EXPECT_EQ(round_operand(product_arithmetic(format.type), v), round_to(format, v))
          << format.name << " " << v;
  }
  EXPECT_EQ(round_operand(product_arithmetic(Precision::tf32), 1 + 0x1p-11), 1);
  EXPECT_EQ(round_operand(product_arithmetic(Precision::tf32), 1 + 0x3p-11), 1 + 0x1p-9);
  EXPECT_EQ(round_operand(product_arithmetic(Precision::float64), 0.1), 0.1);
}

TEST(ProductErrorBound, IsZeroForExactSamples) {
  const std::array<double, 2> a{3, -5}, b{7, 2};
  const OperandTerms x{a.data(), a.data(), 1}, y{b.data(), b.data(), 1};
  EXPECT_EQ(judge_exact_element(2, x, y, 4, 15).of_bound, 0);
  EXPECT_GT(judge_exact_element(2, x, y, 4, std::nextafter(15, 16)).of_bound, 1);
}

}  // namespace
}  // namespace normproof::verification::checks::agreement
