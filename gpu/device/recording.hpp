#pragma once

#include <cstdint>
#include <string>

#include "gpu/device/span.hpp"
#include "gpu/device/tensor.hpp"

namespace normproof::gpu::device {

/// Work that is recorded while this lives, and done by perform(). Host code cannot see values
/// meanwhile. A check of values (ops/reduce.hpp) takes them to be fine, and leaves a flag where one
/// is not. Whoever records checks looks at the flag afterwards, and where it is set does the work
/// again, not recorded, to hear what is refused: so such work may not change what it was given.
class Recording {
 public:
  /// Requires  (C1) nothing is being recorded on the device
  Recording(Device& device, const std::string& name);
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  /// Forgets what has not been performed.
  ~Recording();

  /// Gives the work to the device, once.
  /// Requires  (C2) the work is not performed yet
  /// Throws    DeviceError
  void perform();
  /// Whether a check has refused a value; waits for the work.
  /// Requires  (C3) the work is performed
  bool refused() const;
  /// What a check sets to 1 where it refuses a value.
  Span<std::uint32_t> flag() const { return DeviceTensor<std::uint32_t>(flag_).span(); }

 private:
  void forget() noexcept;

  Device& device_;
  DeviceTensor<std::uint32_t> flag_;
};

}  // namespace normproof::gpu::device
