#include "gpu/nn/dropout.hpp"

#include <gtest/gtest.h>

#include "ref/nn/dropout.hpp"
#include "tests/gpu/device/refusal.hpp"
#include "tests/gpu/device/samples.hpp"
#include "tests/verification/checks/compare/expect.hpp"

namespace normproof::gpu::nn {
namespace {

using device::download;
using device::upload;

TEST(DeviceDropout, MasksMatchTheReference) {
  for (const auto& device : make_simulated_devices())
    for (const double rate : {0.0, 0.1, 0.5, 0.999}) {
      const Shape shape = {3, 401};
      const auto keep = ref::nn::dropout_mask(
          shape, rate, {.seed = 42, .step = 7, .place = "layers.0.attention.weights"});
      const auto there = dropout_mask(*device, shape, rate, {42, 7, "layers.0.attention.weights"});
      EXPECT_EQ(download(there), keep);
      const auto x = random_wide_range_tensor(shape, "x");
      EXPECT_BITS_EQ(download(dropout(upload(*device, x), there, rate)),
                     ref::nn::dropout(x, keep, rate));
    }
}

TEST(DeviceDropout, UsesTheGivenMask) {
  const auto device = device::simulated_device();
  const ref::tensor::Mask given = {{true, false, true}};
  const DropoutKey key{1, 2, "p", upload(*device, given)};
  EXPECT_EQ(download(dropout_mask(*device, {1, 3}, 0.5, key)), given);
  EXPECT_NE(refusal_message([&] { dropout_mask(*device, {3, 1}, 0.5, key); }), kNoError);
}

TEST(DeviceDropout, RejectsRateOutOfRange) {
  const auto device = device::simulated_device();
  EXPECT_EQ(refusal_message([&] { dropout_mask(*device, {1}, 1, {}); }),
            refusal_message([&] { ref::nn::dropout_mask({1}, 1, {}); }));
}

}  // namespace
}  // namespace normproof::gpu::nn
