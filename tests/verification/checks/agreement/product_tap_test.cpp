#include "verification/checks/agreement/product_tap.hpp"

#include <gtest/gtest.h>

#include "gpu/ops/matmul.hpp"

namespace normproof::verification::checks::agreement {
namespace {

TEST(ProductTap, ShowsOperandsPreviousTotalAndResultOfEachProduct) {
  const auto device = gpu::device::simulated_device();
  const ref::tensor::Tensor<double> a_values = {{1, 2}, {3, 4}}, b_values = {{5, 6}, {7, 8}};
  const ref::tensor::Tensor<double> c_values = {{100, 0}, {0, 0}};
  const auto a = gpu::device::upload(*device, a_values), b = gpu::device::upload(*device, b_values);
  auto c = gpu::device::upload(*device, c_values);
  int seen = 0;
  const ObservedProducts tapped(gpu::ops::ordered_products(), [&](const ObservedProduct& product) {
    ++seen;
    EXPECT_EQ(product.a.at(0, 0, 1), 3);  // transposed
    EXPECT_EQ(product.b.at(0, 1, 0), 7);
    EXPECT_EQ(product.c.at(0, 0, 0), (seen == 1 ? 100 : 0) + 1 * 5 + 3 * 7);
    EXPECT_EQ(product.before.values.empty(), seen == 2);
    if (seen == 1) {
      EXPECT_EQ(product.before.at(0, 0, 0), 100);
    }
  });
  const auto left = gpu::ops::transposed(gpu::ops::matrices(a.span(), a.shape()));
  const auto right = gpu::ops::matrices(b.span(), b.shape());
  const auto result = gpu::ops::matrices(c.span(), c.shape());
  gpu::ops::matmul_into(*device, result, left, right, true, tapped);
  gpu::ops::matmul_into(*device, result, left, right, false, tapped);
  EXPECT_EQ(seen, 2);
}

}  // namespace
}  // namespace normproof::verification::checks::agreement
