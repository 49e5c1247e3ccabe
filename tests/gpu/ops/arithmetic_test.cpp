#include "gpu/ops/arithmetic.hpp"

#include <gtest/gtest.h>

#include "tests/gpu/device/samples.hpp"
#include "tests/verification/checks/compare/expect.hpp"

namespace normproof::gpu::ops {
namespace {

using device::download;
using device::upload;
using Tensor = ref::tensor::Tensor<double>;

TEST(DeviceAdd, AddsElementwiseAndRepeatsShorterOperand) {
  const Tensor a = {{1, 2, -3}, {4, 0.5, 1e300}}, b = {{10, 20, 30}, {40, 50, 1e300}};
  for (const auto& device : make_simulated_devices()) {
    EXPECT_BITS_EQ(download(add(upload(*device, a), upload(*device, b))),
                   (Tensor{{11, 22, 27}, {44, 50.5, 2e300}}));
    EXPECT_BITS_EQ(download(add(upload(*device, a), upload(*device, Tensor{1, 2, 3}))),
                   (Tensor{{2, 4, 0}, {5, 2.5, 1e300}}));
  }
}

}  // namespace
}  // namespace normproof::gpu::ops
