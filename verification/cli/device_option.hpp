#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "gpu/device/device.hpp"

namespace CLI {
class App;
}

namespace normproof::verification::cli {

/// Adds the option --device, which selects a simulated device or a GPU.
void add_device_option(CLI::App& app, normproof::gpu::device::Backend& device);

/// Adds the option --device, which selects the processor, a simulated device or a GPU.
void add_device_or_processor_option(CLI::App& app,
                                    std::optional<normproof::gpu::device::Backend>& device,
                                    const std::string& what);

/// Adds the option --device, which may be absent.
void add_device_option(CLI::App& app, std::optional<normproof::gpu::device::Backend>& device,
                       const std::string& what);

/// Opens a device. A process that mpirun started as a rank opens the GPU whose number is its rank
/// on this machine (normproof::gpu::device::device_of_rank). Any other process opens the first GPU.
/// Throws    UsageError, NoDeviceError, DeviceError
std::unique_ptr<normproof::gpu::device::Device> open_rank_device(
    normproof::gpu::device::Backend backend, std::uint64_t seed = 1);

}  // namespace normproof::verification::cli
