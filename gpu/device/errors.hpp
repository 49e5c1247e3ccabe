#pragma once

#include <stdexcept>
#include <string>

namespace normproof::gpu::device {

/// A call of the device's library failed: the call, what the library says, file and line.
class DeviceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// There is no device to run on: no GPU, no driver, or a build without CUDA.
class NoDeviceError : public DeviceError {
 public:
  using DeviceError::DeviceError;
};

/// Computes  "<file>:<line>: <call>: <reason>"
std::string failed_call(const std::string& call, const std::string& reason, const char* file,
                        int line);

/// What a download gives while work is recorded.
[[noreturn]] void refuse_download(const std::string& recording);

/// What an index past the end of a Span gives on the simulated device.
[[noreturn]] void out_of_bounds(std::size_t index, std::size_t size);

}  // namespace normproof::gpu::device
