#pragma once

#include <stdexcept>
#include <string>

namespace normproof::gpu::device {

/// The error of a failed call of the device's library, such as CUDA or cuBLAS. The message names
/// the call, the library's reason, the file and the line.
class DeviceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The error that no device is available: no GPU, no driver, or a build without CUDA.
class NoDeviceError : public DeviceError {
 public:
  using DeviceError::DeviceError;
};

/// Returns the message of the error of a failed call.
/// Computes  "<file>:<line>: <call>: <reason>"
std::string describe_failed_call(const std::string& call, const std::string& reason,
                                 const char* file, int line);

/// Reports that a download was requested while work is recorded.
/// Throws    DeviceError, always
[[noreturn]] void throw_download_error(const std::string& recording);

/// Reports that an index on the simulated device is past the end of a Span.
/// Throws    DeviceError, always
[[noreturn]] void throw_out_of_bounds_error(std::size_t index, std::size_t size);

}  // namespace normproof::gpu::device
