#pragma once

#include <cstdint>
#include <functional>

#include "gpu/device/device.hpp"
#include "verification/agreement/row.hpp"

namespace normproof::verification::agreement {

struct Agreement {
  Rows rows;
  std::size_t left_out = 0;  ///< cases of the corpus that a device does not take
};

/// The primitives, the golden corpus's quick tier, random cases and some steps of training, by ref
/// and on the device in ordered mode, with zero tolerance. `begin(part)` before each part.
/// Requires  (C1) no job runs on the device at the same time
Agreement agree_ordered(gpu::device::Device& device, std::uint64_t seed,
                        const std::function<void(std::string_view part)>& begin);

}  // namespace normproof::verification::agreement
