#include "gpu/nn/linear.hpp"

#include <gtest/gtest.h>

#include "tests/gpu/device/refusal.hpp"
#include "tests/gpu/nn/samples.hpp"
#include "tests/verification/checks/compare/expect.hpp"

namespace normproof::gpu::nn {
namespace {

using device::download;
using device::upload;

TEST(DeviceLinear, MatchesReferenceBits) {
  for (const auto& device : make_simulated_devices())
    for (const std::size_t inner : {1, 7, 300}) {
      const auto map = sample_linear(5, inner, "map");
      const auto x = random_wide_range_tensor({3, 4, inner}, "x"),
                 grad_y = random_wide_range_tensor({3, 4, 5}, "grad_y");
      const Linear there = on_device(*device, map);
      EXPECT_BITS_EQ(download(linear(upload(*device, x), there)), ref::nn::linear(x, map));
      const auto got = linear_backward(upload(*device, grad_y), upload(*device, x), there);
      const auto expected = ref::nn::linear_backward(grad_y, x, map);
      EXPECT_BITS_EQ(download(got.grad_x), expected.grad_x);
      EXPECT_BITS_EQ(download(got.parameters.weight), expected.parameters.weight);
      EXPECT_BITS_EQ(download(got.parameters.bias), expected.parameters.bias);
    }
}

TEST(DeviceLinear, ErrorMessagesMatchTheReference) {
  const auto device = device::simulated_device();
  const auto map = sample_linear(5, 7, "map");
  for (const ref::tensor::Shape& shape : {ref::tensor::Shape{7}, {2, 6}}) {
    const auto x = random_wide_range_tensor(shape, "x");
    EXPECT_EQ(refusal_message([&] { linear(upload(*device, x), on_device(*device, map)); }),
              refusal_message([&] { ref::nn::linear(x, map); }));
  }
}

}  // namespace
}  // namespace normproof::gpu::nn
