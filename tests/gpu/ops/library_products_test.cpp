#include "gpu/ops/library_products.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "gpu/device/launch.hpp"
#include "gpu/ops/matmul.hpp"
#include "gpu/ops/packed_kernels.hpp"
#include "ref/numeric/errors.hpp"
#include "ref/ops/matmul.hpp"
#include "tests/gpu/device/samples.hpp"
#include "tests/verification/checks/compare/expect.hpp"

namespace normproof::gpu::ops {
namespace {

using device::download;
using device::upload;
using Tensor = ref::tensor::Tensor<double>;

const Precision kAllPrecisions[] = {Precision::float64, Precision::float32, Precision::tf32,
                                    Precision::bfloat16, Precision::float16};

/// Returns random integers from -30 to 30. A sum of products of such integers is exact in every
/// precision.
Tensor small_integers(const ref::tensor::Shape& shape, std::string_view name) {
  const ref::numeric::RandomStream random(5, name);
  Tensor result = ref::tensor::empty_tensor<double>(shape);
  for (std::size_t i = 0; i < result.size(); ++i)
    result.data()[i] = static_cast<double>(random.below(i, 61)) - 30;
  return result;
}

TEST(LibraryProducts, MultipliesIntegersExactlyInEveryPrecisionAndOrder) {
  const Tensor a = small_integers({5, 70}, "a"), b = small_integers({70, 6}, "b");
  const Tensor expected = ref::ops::matmul(a, b);
  for (const Precision precision : kAllPrecisions)
    for (const auto& device : make_simulated_devices())
      for (int order = 0; order < 12; ++order)
        EXPECT_BITS_EQ(download(matmul(upload(*device, a), upload(*device, b), Transpose::none,
                                       LibraryProducts(precision))),
                       expected)
            << precision_name(precision) << " " << order;
}

TEST(LibraryProducts, HandlesTransposedBatchedAndAccumulatedProducts) {
  const Tensor a = small_integers({3, 20, 4}, "a"), b = small_integers({20, 5}, "b");
  Tensor c = small_integers({3, 4, 5}, "c");
  for (const Precision precision : kAllPrecisions) {
    const auto device = device::simulated_device(3);
    const auto left = upload(*device, a), right = upload(*device, b);
    auto result = upload(*device, c);
    matmul_into(*device, matrices(result.span(), result.shape()),
                transposed(matrices(left.span(), left.shape())),
                matrices(right.span(), right.shape()), true, LibraryProducts(precision));
    for (std::size_t p = 0; p < 3; ++p)
      for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t j = 0; j < 5; ++j) {
          double expected = c(p, i, j);
          for (std::size_t k = 0; k < 20; ++k) expected += a(p, k, i) * b(k, j);
          EXPECT_EQ(download(result)(p, i, j), expected) << precision_name(precision);
        }
  }
}

// 1 + 2^-8 is the midpoint of two bfloat16 numbers. The number 1 + 2^-8 + 2^-30 must be rounded up.
// If it were rounded to float32 first, the result would be the midpoint, which rounds down to even.
TEST(LibraryProducts, RoundsOperandsDirectlyToThePrecision) {
  const auto device = device::simulated_device();
  const auto one = device::full_tensor(*device, {1, 1}, 1);
  const auto round_by_product = [&](Precision precision, double v) {
    return download(matmul(device::full_tensor(*device, {1, 1}, v), one, Transpose::none,
                           LibraryProducts(precision)))
        .data()[0];
  };
  EXPECT_EQ(round_by_product(Precision::bfloat16, 1 + 0x1p-8), 1);
  EXPECT_EQ(round_by_product(Precision::bfloat16, 1 + 0x1p-8 + 0x1p-30), 1 + 0x1p-7);
  EXPECT_EQ(round_by_product(Precision::float16, 1 + 0x1p-11 + 0x1p-30), 1 + 0x1p-10);
  EXPECT_EQ(round_by_product(Precision::tf32, 1 + 0x1p-11 + 0x1p-30), 1 + 0x1p-10);
  EXPECT_EQ(round_by_product(Precision::float32, 1 + 0x1p-24 + 0x1p-40), 1 + 0x1p-23);
  EXPECT_EQ(round_by_product(Precision::float64, 1 + 0x1p-52), 1 + 0x1p-52);
  EXPECT_EQ(round_by_product(Precision::float16, 0x1.8p-25), 0x1p-24);
  EXPECT_EQ(round_by_product(Precision::float16, -65519.9), -65504);
  EXPECT_EQ(round_by_product(Precision::float16, 65520), HUGE_VAL);
}

TEST(LibraryProducts, PrecisionNamesParseBackToTheirPrecisions) {
  for (const std::string& name : precision_names())
    EXPECT_EQ(precision_name(parse_precision(name)), name);
  EXPECT_THROW(parse_precision("float"), ref::numeric::UsageError);
}

TEST(LibraryProducts, ComputesTheAddressesOfMatricesWithTwoBatchAxes) {
  for (const auto& device : make_simulated_devices()) {
    const auto values = upload(*device, small_integers({1000}, "values"));
    const Matrices<const double> heads{values.span(), 7, 3, 2, 40, 1, 4, 200, 5, 2};
    DeviceTensor<const double*> places(*device, {heads.batches()});
    device::launch_elements(*device, heads.batches(),
                            MatrixAddresses<const double>{heads, places.span()});
    std::vector<const double*> matrix_addresses(heads.batches());
    device->download(matrix_addresses.data(), places.span().data,
                     matrix_addresses.size() * sizeof(const double*));
    for (std::size_t p = 0; p < 4; ++p)
      for (std::size_t q = 0; q < 5; ++q)
        EXPECT_EQ(matrix_addresses[p * 5 + q] - heads.data.data, 7 + 200 * p + 2 * q);
  }
}

}  // namespace
}  // namespace normproof::gpu::ops
