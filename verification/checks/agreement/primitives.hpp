#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "gpu/device/device.hpp"
#include "verification/checks/agreement/row.hpp"

namespace normproof::verification::checks::agreement {

/// A building block of the layers, such as a sum. It is compared with ref on random inputs, and has
/// its own row in the results.
struct Primitive {
  std::string name;
  std::function<void(gpu::device::Device&, std::uint64_t seed, Rows&)> agree_on;
};

/// Returns the primitives: sums; matrix products of many extents; exp, log, tanh and erf for
/// arguments that are hard to round and special arguments; dropout; the embedding; and the float32
/// norms with one row per format.
const std::vector<Primitive>& primitives();

}  // namespace normproof::verification::checks::agreement
