#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "gpu/device/device.hpp"
#include "verification/checks/agreement/row.hpp"
#include "verification/golden/corpus/case.hpp"
#include "verification/golden/corpus/path_globs.hpp"

namespace normproof::verification::checks::agreement {

/// A callback. It is called for each row of the results, as soon as all cases of the row's
/// operation have run.
using Finished = std::function<void(const Row&)>;

/// Returns the names of the rows of compare_ordered_mode, in order: first the primitives, then the
/// operations, then training.
std::vector<std::string> list_rows_in_order();

/// Compares the device in ordered mode with ref, bit for bit. It compares the primitives, each
/// operation, and some training steps. The cases of an operation are random cases and the cases of
/// the golden corpus in the given tier. `only` selects rows by name.
/// Requires  no other job runs on the device at the same time
Rows compare_ordered_mode(gpu::device::Device& device, std::uint64_t seed,
                          golden::corpus::Tier tier, const golden::corpus::PathGlobs& only,
                          const Finished& finished);

}  // namespace normproof::verification::checks::agreement
