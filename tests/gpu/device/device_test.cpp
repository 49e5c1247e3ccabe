#include "gpu/device/device.hpp"

#include <gtest/gtest.h>

#include "gpu/device/errors.hpp"
#include "tests/ref/numeric/error_message.hpp"

namespace normproof::gpu::device {
namespace {

TEST(Device, BackendNamesParseBackToTheirBackends) {
  for (const Backend backend : {Backend::simulated, Backend::cuda})
    EXPECT_EQ(parse_backend(to_string(backend)), backend);
  EXPECT_THROW(parse_backend("gpu"), ref::numeric::UsageError);
}

TEST(Device, SimulatedThreadOrderChangesWithEachLaunchUnlessTheSeedIsZero) {
  const auto random_device = simulated_device(7);
  EXPECT_EQ(random_device->next_order(), 7u);
  EXPECT_EQ(random_device->next_order(), 8u);
  const auto ascending = simulated_device(0);
  EXPECT_EQ(ascending->next_order(), 0u);
  EXPECT_EQ(ascending->next_order(), 0u);
}

TEST(Device, SimulatedMemoryInitiallyHoldsNaN) {
  const auto device = simulated_device();
  void* const memory = device->allocate(sizeof(double));
  double value = 0;
  device->download(&value, memory, sizeof value);
  EXPECT_NE(value, value);
  device->release(memory);
}

TEST(Device, ReportsMissingGpu) {
  try {
    cuda_device();
    GTEST_SKIP() << "this machine has a GPU";
  } catch (const NoDeviceError& error) {
    EXPECT_EQ(std::string(error.what()).find("no device: "), 0u) << error.what();
  }
}

}  // namespace
}  // namespace normproof::gpu::device
