#pragma once

#include <optional>
#include <string>

#include "gpu/device/device.hpp"

namespace CLI {
class App;
}

namespace normproof::verification::cli::commands {

/// --device: a simulated one, or the first GPU.
void add_device(CLI::App& app, gpu::device::Backend& device);

/// The same with the processor, which is no device, among them.
void add_device_or_processor(CLI::App& app, std::optional<gpu::device::Backend>& device,
                             const std::string& what);

}  // namespace normproof::verification::cli::commands
