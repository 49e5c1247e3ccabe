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

/// Called with each row as soon as all cases of its operation are done.
using Finished = std::function<void(const Row&)>;

/// Returns the names of the rows of agree_ordered in order: primitives, operations, training.
std::vector<std::string> ordered_rows();

/// Compares ref with the device in ordered mode, with zero tolerance: the primitives; each
/// operation on its cases in this tier of the golden corpus and on random cases; some training
/// steps. Runs only the rows whose name `only` matches.
/// Requires  no other job runs on the device at the same time
Rows agree_ordered(gpu::device::Device& device, std::uint64_t seed, golden::corpus::Tier tier,
                   const golden::corpus::PathGlobs& only, const Finished& finished);

}  // namespace normproof::verification::checks::agreement
