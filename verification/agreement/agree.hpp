#pragma once

#include <cstdint>
#include <functional>

#include "gpu/device/device.hpp"
#include "verification/agreement/row.hpp"
#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::agreement {

/// Is shown each row as soon as no case of its operation is left.
using Finished = std::function<void(const Row&)>;

/// The primitives; each operation on its cases of the golden corpus's tier and on random ones; some
/// steps of training: by ref and on the device in ordered mode, with zero tolerance.
/// Requires  no job runs on the device at the same time
Rows agree_ordered(gpu::device::Device& device, std::uint64_t seed, golden::corpus::Tier tier,
                   const Finished& finished);

}  // namespace normproof::verification::agreement
