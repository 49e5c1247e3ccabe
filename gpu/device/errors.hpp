#pragma once

#include <stdexcept>
#include <string>

namespace normproof::gpu::device {

/// A call of the device's library failed. The message names the call, the library's reason, the
/// file and the line.
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
std::string describe_failed_call(const std::string& call, const std::string& reason,
                                 const char* file, int line);

/// Throws    DeviceError because a download was requested while work is recorded
[[noreturn]] void fail_download(const std::string& recording);

/// Throws    DeviceError because an index is past the end of a Span, on the simulated device
[[noreturn]] void fail_out_of_bounds(std::size_t index, std::size_t size);

}  // namespace normproof::gpu::device
