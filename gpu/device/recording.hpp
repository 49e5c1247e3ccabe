#pragma once

#include <cstdint>
#include <string>

#include "gpu/device/span.hpp"
#include "gpu/device/tensor.hpp"

namespace normproof::gpu::device {

/// Records work during its lifetime; perform() then does it. The host cannot see values while work
/// is recorded. A check of values (ops/reduce.hpp) therefore assumes that they are valid, and sets
/// a flag if one is not. A caller whose work contains checks must look at the flag afterwards. If
/// it is set, the caller repeats the work without recording, to get the error. Recorded work must
/// therefore not modify its inputs.
class Recording {
 public:
  /// Requires  (C1) nothing is being recorded on the device
  Recording(Device& device, const std::string& name);
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  /// Discards work that has not been performed.
  ~Recording();

  /// Submits the work to the device. May be called once.
  /// Throws    std::logic_error the second time; DeviceError
  void perform();
  /// Whether a check has rejected a value. Waits for the work.
  /// Requires  (C2) performed
  bool refused() const;
  /// The flag that a check sets to 1 if it rejects a value.
  Span<std::uint32_t> flag() const { return DeviceTensor<std::uint32_t>(flag_).span(); }

 private:
  void forget() noexcept;

  Device& device_;
  DeviceTensor<std::uint32_t> flag_;
};

}  // namespace normproof::gpu::device
