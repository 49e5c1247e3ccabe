#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "gpu/ops/library_gemm.hpp"
#include "gpu/ops/matmul.hpp"
#include "tests/gpu/device/samples.hpp"

namespace normproof::gpu::ops {
namespace {

using device::download;
using device::upload;
using Tensor = ref::tensor::Tensor<double>;

double product(device::Device& device, const Tensor& a, const Tensor& b,
               const LibraryProducts& library) {
  return download(matmul(upload(device, a), upload(device, b), Transpose::none, library)).data()[0];
}

TEST(SimulatedGemm, SumsInAnotherOrderInEachProduct) {
  const Tensor a = random_wide_range_tensor({1, 200}, "a"),
               b = random_wide_range_tensor({200, 1}, "b");
  for (const Precision precision : {Precision::float64, Precision::float32, Precision::tf32}) {
    const auto device = device::simulated_device(1);
    std::set<double> seen;
    for (int i = 0; i < 60; ++i) seen.insert(product(*device, a, b, LibraryProducts(precision)));
    EXPECT_GT(seen.size(), 5u) << precision_name(precision);
  }
}

TEST(SimulatedGemm, SeedDeterminesTheResult) {
  const Tensor a = random_wide_range_tensor({1, 200}, "a"),
               b = random_wide_range_tensor({200, 1}, "b");
  const LibraryProducts library(Precision::float32);
  for (int seed = 0; seed < 20; ++seed)
    EXPECT_EQ(product(*device::simulated_device(static_cast<std::uint64_t>(seed)), a, b, library),
              product(*device::simulated_device(static_cast<std::uint64_t>(seed)), a, b, library));
}

// The expected value is a chain of std::fma on the host, in ascending order of the terms.
TEST(SimulatedGemm, SeedZeroSumsInAnAscendingChainOfFloatFma) {
  const Tensor a = random_wide_range_tensor({1, 300}, "a"),
               b = random_wide_range_tensor({300, 1}, "b");
  float expected = 0;
  for (std::size_t k = 0; k < 300; ++k)
    expected = std::fma(static_cast<float>(a(0, k)), static_cast<float>(b(k, 0)), expected);
  EXPECT_EQ(product(*device::simulated_device(0), a, b, LibraryProducts(Precision::float32)),
            expected);
}

// The sum 2^24 + 3 is the midpoint of the floats 2^24 + 2 and 2^24 + 4. A float32 sum rounds it up
// to 2^24 + 4, the even one. Tensor cores truncate it to 2^24 + 2.
TEST(SimulatedGemm, TensorCoreSumsTruncate) {
  const Tensor a = {{0x1p12, 3}};
  Tensor b = {0x1p12, 1};
  b.reshape({std::size_t{2}, std::size_t{1}});
  const auto device = device::simulated_device(0);
  EXPECT_EQ(product(*device, a, b, LibraryProducts(Precision::float32)), 0x1p24 + 4);
  EXPECT_EQ(product(*device, a, b, LibraryProducts(Precision::tf32)), 0x1p24 + 2);
}

// An H100 does this with float16. It aligns the subnormal number 2^-24 as if it were 2^-14, so that
// 24 binary digits end at 2^-37 and the term 2^-38 is cut off.
TEST(SimulatedGemm, TensorCoresAlignSubnormalsLikeTheSmallestNormalNumber) {
  const Tensor a = {{0x1p-24, 0x1p-24}};
  Tensor b = {0x1p-14, 1};
  b.reshape({std::size_t{2}, std::size_t{1}});
  const auto device = device::simulated_device(0);
  EXPECT_EQ(product(*device, a, b, LibraryProducts(Precision::float16)), 0x1p-24);
  EXPECT_EQ(product(*device, a, b, LibraryProducts(Precision::bfloat16)), 0x1p-24 + 0x1p-38);
}

}  // namespace
}  // namespace normproof::gpu::ops
