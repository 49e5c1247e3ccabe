#include "verification/checks/agreement/library_samples.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace normproof::verification::checks::agreement {
namespace {

using gpu::ops::Precision;

TEST(ProductSamples, ExactSamplesAreRepresentableInTheFormat) {
  for (const Precision precision : {Precision::float64, Precision::bfloat16, Precision::float16}) {
    const ProductArithmetic arithmetic = product_arithmetic(precision);
    for (const ProductSample& s :
         product_samples(3, arithmetic, golden::corpus::Tier::standard, true)) {
      double largest = 0;
      for (const auto* operand : {&s.a, &s.b})
        for (const double v : *operand) {
          ASSERT_EQ(round_operand(arithmetic, v), v) << s.name;
          largest = std::max(largest, std::fabs(v));
        }
      EXPECT_GT(largest, 0);
    }
  }
}

TEST(ProductSamples, CoverEveryVariantOfAProductAndDependOnTheSeed) {
  const ProductArithmetic arithmetic = product_arithmetic(Precision::float32);
  const auto first = product_samples(1, arithmetic, golden::corpus::Tier::quick, false);
  const auto again = product_samples(1, arithmetic, golden::corpus::Tier::quick, false);
  const auto other = product_samples(2, arithmetic, golden::corpus::Tier::quick, false);
  bool added = false, left = false, right = false, batched = false;
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].a, again[i].a);
    EXPECT_NE(first[i].a, other[i].a);
    added = added || first[i].add;
    left = left || first[i].a_transposed;
    right = right || first[i].b_transposed;
    batched = batched || first[i].a.shape(0) > 1;
  }
  EXPECT_TRUE(added && left && right && batched);
  EXPECT_GT(product_samples(1, arithmetic, golden::corpus::Tier::standard, false).size(),
            first.size());
}

TEST(ProductSamples, ModerateNumbersFitInFloat16) {
  for (const double v : make_moderate_tensor(1, "x", {1000})) EXPECT_LT(std::fabs(v), 1000);
}

}  // namespace
}  // namespace normproof::verification::checks::agreement
