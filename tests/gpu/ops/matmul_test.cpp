#include "gpu/ops/matmul.hpp"

#include <gtest/gtest.h>

#include "gpu/device/recording.hpp"
#include "ref/ops/matmul.hpp"
#include "tests/gpu/device/refusal.hpp"
#include "tests/gpu/device/samples.hpp"
#include "tests/verification/checks/compare/expect.hpp"

namespace normproof::gpu::ops {
namespace {

using device::download;
using device::upload;
using ref::tensor::Shape;
using Tensor = ref::tensor::Tensor<double>;

struct MatmulSample {
  Shape a;
  Shape b;
  Transpose transpose;
};
const MatmulSample kMatmulSamples[] = {{{1, 1}, {1, 1}, Transpose::none},
                                       {{5, 255}, {255, 3}, Transpose::none},
                                       {{5, 256}, {256, 3}, Transpose::none},
                                       {{5, 257}, {257, 3}, Transpose::none},
                                       {{3, 1000}, {1000, 70}, Transpose::none},
                                       {{65, 20}, {20, 65}, Transpose::none},
                                       {{130, 7}, {130, 9}, Transpose::a},
                                       {{7, 300}, {9, 300}, Transpose::b},
                                       {{2, 3, 4, 5}, {2, 3, 5, 6}, Transpose::none},
                                       {{3, 4, 5}, {5, 6}, Transpose::none},
                                       {{2, 600, 5}, {2, 600, 4}, Transpose::a},
                                       {{4, 0}, {0, 3}, Transpose::none},
                                       {{600, 40}, {40, 600}, Transpose::none}};

ref::ops::Transpose to_reference_transpose(Transpose transpose) {
  return transpose == Transpose::none ? ref::ops::Transpose::none
         : transpose == Transpose::a  ? ref::ops::Transpose::a
                                      : ref::ops::Transpose::b;
}

TEST(DeviceMatmul, MatchesReferenceBits) {
  for (const auto& device : make_simulated_devices())
    for (const auto& [a_shape, b_shape, transpose] : kMatmulSamples) {
      const Tensor a = random_wide_range_tensor(a_shape, "a"),
                   b = random_wide_range_tensor(b_shape, "b");
      DeviceTensor<double> left(*device, a_shape), right(*device, b_shape);
      if (a.size() > 0) left = upload(*device, a);
      if (b.size() > 0) right = upload(*device, b);
      EXPECT_BITS_EQ(download(matmul(left, right, transpose)),
                     ref::ops::matmul(a, b, to_reference_transpose(transpose)));
    }
}

// Multiplies matrices as attention does: each head consists of some columns of a wider matrix. The
// product is added to the old values of the result.
TEST(DeviceMatmul, HandlesStridedBatchesAndAccumulation) {
  const std::size_t batch = 2, heads = 3, rows = 4, num_columns = 5, wide = 300;
  const Tensor a = random_wide_range_tensor({batch, rows, heads * wide}, "a"),
               b = random_wide_range_tensor({num_columns, wide}, "b");
  Tensor c = random_wide_range_tensor({batch, heads, rows, num_columns}, "c");
  for (const auto& device : make_simulated_devices()) {
    const auto left = upload(*device, a), right = upload(*device, b);
    auto result = upload(*device, c);
    const Matrices<double> to{result.span(), 0,
                              rows,          num_columns,
                              num_columns,   1,
                              batch,         heads * rows * num_columns,
                              heads,         rows * num_columns};
    const Matrices<const double> from{
        left.span(), 0, rows, wide, heads * wide, 1, batch, rows * heads * wide, heads, wide};
    matmul_into(*device, to, from, transposed(matrices(right.span(), right.shape())), true);
    Tensor expected = c;
    ref::ops::matmul_add<double>(
        {expected.data(), rows, num_columns, num_columns, 1, batch, heads * rows * num_columns,
         heads, rows * num_columns},
        ref::ops::MatrixView<const double>{a.data(), rows, wide, heads * wide, 1, batch,
                                           rows * heads * wide, heads, wide},
        ref::ops::transposed(ref::ops::matrices(b)));
    EXPECT_BITS_EQ(download(result), expected);
  }
}

TEST(DeviceMatmul, UnderflowOfANegativeProductGivesMinusZero) {
  const Tensor a = ref::tensor::full_tensor<double>({1, 1}, -0x1p-600);
  const Tensor b = ref::tensor::full_tensor<double>({1, 1}, 0x1p-600);
  for (const auto& device : make_simulated_devices())
    EXPECT_BITS_EQ(download(matmul(upload(*device, a), upload(*device, b))),
                   ref::ops::matmul(a, b));
}

TEST(DeviceMatmul, TestsTensorCoresOnceAndNeverDuringARecording) {
  const auto device = device::simulated_device(2);
  const auto a = upload(*device, random_wide_range_tensor({9, 300}, "a")),
             b = upload(*device, random_wide_range_tensor({300, 9}, "b"));
  EXPECT_EQ(device->tensor_cores_are_exact, false);
  const Tensor expected = download(matmul(a, b));
  device->tensor_cores_are_exact.reset();
  {
    device::Recording recording(*device, "product");
    const auto c = matmul(a, b);
    recording.perform();
    EXPECT_BITS_EQ(download(c), expected);
  }
  EXPECT_FALSE(device->tensor_cores_are_exact);
  EXPECT_BITS_EQ(download(matmul(a, b)), expected);
  EXPECT_EQ(device->tensor_cores_are_exact, true);
  const std::uint64_t before = device->next_order();
  ordered_products().prepare(*device);
  EXPECT_EQ(device->next_order(), before + 1);
}

TEST(DeviceMatmul, ErrorMessagesMatchTheReference) {
  const auto device = device::simulated_device();
  for (const auto& [a_shape, b_shape] :
       {std::pair<Shape, Shape>{{2, 3}, {2, 3}}, {{3}, {3, 1}}, {{2, 2, 3}, {4, 3, 2}}})
    for (const Transpose transpose : {Transpose::none, Transpose::a, Transpose::b}) {
      const Tensor a = random_wide_range_tensor(a_shape, "a"),
                   b = random_wide_range_tensor(b_shape, "b");
      EXPECT_EQ(
          refusal_message([&] { matmul(upload(*device, a), upload(*device, b), transpose); }),
          refusal_message([&] { ref::ops::matmul(a, b, to_reference_transpose(transpose)); }));
    }
}

}  // namespace
}  // namespace normproof::gpu::ops
