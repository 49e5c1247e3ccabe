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

/// Is shown each row as soon as no case of its operation is left.
using Finished = std::function<void(const Row&)>;

/// The names of the rows of agree_ordered, in their order: primitives, operations, training.
std::vector<std::string> ordered_rows();

/// The primitives; each operation on its cases of the golden corpus's tier and on random ones; some
/// steps of training: by ref and on the device in ordered mode, with zero tolerance. Of these rows
/// the ones whose name `only` matches.
/// Requires  no job runs on the device at the same time
Rows agree_ordered(gpu::device::Device& device, std::uint64_t seed, golden::corpus::Tier tier,
                   const golden::corpus::PathGlobs& only, const Finished& finished);

}  // namespace normproof::verification::checks::agreement
