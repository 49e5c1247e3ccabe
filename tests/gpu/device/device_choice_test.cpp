#include "gpu/device/device_choice.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <string>

#include "gpu/device/errors.hpp"
#include "tests/ref/numeric/error_message.hpp"

namespace normproof::gpu::device {
namespace {

constexpr const char* kVariable = "NORMPROOF_SIMULATED_DEVICES";

TEST(DeviceChoice, AssignsRanksToDevicesRoundRobin) {
  const std::size_t expected_of_2[] = {0, 1, 0, 1, 0}, expected_of_3[] = {0, 1, 2, 0, 1};
  for (std::size_t rank = 0; rank < 5; ++rank) {
    EXPECT_EQ(device_of_rank(rank, 1), 0U);
    EXPECT_EQ(device_of_rank(rank, 2), expected_of_2[rank]);
    EXPECT_EQ(device_of_rank(rank, 3), expected_of_3[rank]);
  }
}

TEST(DeviceChoice, C1_RejectsZeroDevices) {
  EXPECT_EQ(ref::numeric::contract_violation([] { device_of_rank(0, 0); }).argument, "devices");
}

TEST(DeviceChoice, ReadsNumberOfSimulatedDevicesFromEnvironment) {
  ::unsetenv(kVariable);
  EXPECT_EQ(device_count(Backend::simulated), 1U);
  ::setenv(kVariable, "4", 1);
  EXPECT_EQ(device_count(Backend::simulated), 4U);
  EXPECT_EQ(open_device_of_rank(Backend::simulated, 5, 7)->next_order(), 7U);
  for (const char* text : {"", "0", "-1", "two", "2 "}) {
    ::setenv(kVariable, text, 1);
    EXPECT_EQ(ref::numeric::error_message<ref::numeric::UsageError>(
                  [] { device_count(Backend::simulated); }),
              std::string("NORMPROOF_SIMULATED_DEVICES is '") + text +
                  "'; expected a number of devices from 1 on");
  }
  ::unsetenv(kVariable);
}

TEST(DeviceChoice, ReportsMissingGpu) {
  try {
    open_device_of_rank(Backend::cuda, 3);
    GTEST_SKIP() << "this machine has a GPU";
  } catch (const NoDeviceError& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("no device: ")) << error.what();
  }
}

}  // namespace
}  // namespace normproof::gpu::device
