#include "verification/cli/device_option.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verification/cli/parsed.hpp"

namespace normproof::tests::verification::cli {
namespace {

using normproof::gpu::device::Backend;
using testing::HasSubstr;

struct DeviceCommand {
  static constexpr const char* name = "device";
  static constexpr const char* summary = "A device alone";

  Backend device = Backend::simulated;
  void add(CLI::App& app) { tool::add_device_option(app, device); }
};

struct ProcessorCommand {
  static constexpr const char* name = "processor";
  static constexpr const char* summary = "A device or the processor";

  std::optional<Backend> device = {};
  void add(CLI::App& app) { tool::add_device_or_processor_option(app, device, "What runs"); }
};

TEST(DeviceOption, ParsesADevice) {
  EXPECT_EQ(parse_command<DeviceCommand>({}).device, Backend::simulated);
  EXPECT_EQ(parse_command<DeviceCommand>({"--device", "cuda"}).device, Backend::cuda);
  EXPECT_THAT(refusal<DeviceCommand>({"--device", "processor"}), HasSubstr("simulated, cuda"));
}

TEST(DeviceOption, ParsesADeviceOrTheProcessor) {
  EXPECT_EQ(parse_command<ProcessorCommand>({"--device", "cuda"}).device, Backend::cuda);
  EXPECT_EQ(parse_command<ProcessorCommand>({"--device", "simulated"}).device, Backend::simulated);
  EXPECT_FALSE(parse_command<ProcessorCommand>({"--device", "processor"}).device);
  EXPECT_THAT(refusal<ProcessorCommand>({"--device", "cpu"}), HasSubstr("unknown device 'cpu'"));
}

}  // namespace
}  // namespace normproof::tests::verification::cli
