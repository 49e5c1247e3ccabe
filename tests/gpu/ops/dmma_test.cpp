#include "gpu/ops/dmma.hpp"

#include <gtest/gtest.h>

#include "gpu/device/errors.hpp"
#include "ref/numeric/errors.hpp"

namespace normproof::gpu::ops {
namespace {

TEST(DmmaProduct, RequiresAGpu) {
  const auto device = device::simulated_device();
  const auto a = device::full_tensor(*device, {8, 5}, 1),
             b = device::full_tensor(*device, {5, 8}, 1);
  EXPECT_THROW(dmma_product(a, b), device::NoDeviceError);
  const auto wide = device::full_tensor(*device, {16, 5}, 1);
  EXPECT_THROW(dmma_product(wide, b), device::NoDeviceError);
  EXPECT_THROW(dmma_product(device::full_tensor(*device, {12, 5}, 1), b),
               ref::numeric::ContractError);
  EXPECT_THROW(dmma_product(b, a), ref::numeric::ContractError);
}

}  // namespace
}  // namespace normproof::gpu::ops
