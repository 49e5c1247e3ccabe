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

/// --device: a simulated one, or a GPU.
void add_device(CLI::App& app, normproof::gpu::device::Backend& device);

/// The same with the processor, which is no device, among them.
void add_device_or_processor(CLI::App& app, std::optional<normproof::gpu::device::Backend>& device,
                             const std::string& what);

/// The same where none need be given.
void add_device(CLI::App& app, std::optional<normproof::gpu::device::Backend>& device,
                const std::string& what);

/// Opens what --device names: of a rank of mpirun that of its number on this machine
/// (normproof::gpu::device::device_of_rank), else the first.
/// Throws    UsageError, NoDeviceError, DeviceError
std::unique_ptr<normproof::gpu::device::Device> open_own_device(
    normproof::gpu::device::Backend backend, std::uint64_t seed = 1);

}  // namespace normproof::verification::cli
