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

/// Adds --device: a simulated one, or a GPU.
void add_device(CLI::App& app, normproof::gpu::device::Backend& device);

/// Adds --device with the processor as a further choice.
void add_device_or_processor(CLI::App& app, std::optional<normproof::gpu::device::Backend>& device,
                             const std::string& what);

/// Adds --device as an option that may be absent.
void add_device(CLI::App& app, std::optional<normproof::gpu::device::Backend>& device,
                const std::string& what);

/// Opens the device that --device names. A rank of mpirun opens the device with its number on this
/// machine (normproof::gpu::device::device_of_rank), any other process the first one.
/// Throws    UsageError, NoDeviceError, DeviceError
std::unique_ptr<normproof::gpu::device::Device> open_rank_device(
    normproof::gpu::device::Backend backend, std::uint64_t seed = 1);

}  // namespace normproof::verification::cli
