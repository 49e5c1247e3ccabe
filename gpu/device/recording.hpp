#pragma once

#include <cstdint>
#include <string>

#include "gpu/device/span.hpp"
#include "gpu/device/tensor.hpp"

namespace normproof::gpu::device {

/// Records the device work that is submitted while this object exists. perform() submits the
/// recorded work. While work is recorded, the host cannot read values. A check of values
/// (ops/reduce.hpp) then cannot throw. Instead, it sets a flag if a value is invalid, and the work
/// continues as if all values were valid. After perform(), the caller must call has_failed_check().
/// If the result is true, the caller repeats the work without a recording to get the error.
/// Recorded work must therefore not modify its inputs.
class Recording {
 public:
  /// Requires  (C1) no recording is active on the device
  Recording(Device& device, const std::string& name);
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  /// Discards the work if it has not been performed.
  ~Recording();

  /// Submits the recorded work to the device. May be called only once.
  /// Requires  (C2) the work has not been performed yet
  /// Throws    DeviceError
  void perform();
  /// Whether a check of the recorded work has rejected a value. Waits for the work.
  /// Requires  (C3) the work has been performed
  bool has_failed_check() const;
  /// Returns the flag that a check sets to 1 if it rejects a value.
  Span<std::uint32_t> flag() const { return DeviceTensor<std::uint32_t>(flag_).span(); }

 private:
  void discard_recording() noexcept;

  Device& device_;
  DeviceTensor<std::uint32_t> flag_;
};

}  // namespace normproof::gpu::device
