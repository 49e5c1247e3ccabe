#pragma once

#include <string>
#include <utility>
#include <vector>

namespace normproof::verification::checks::determinism {

/// Where this program was compiled and runs: name and value of compiler, flags, architecture,
/// instruction_set (of those that are there), threads, processor, system and C library. The bits of
/// the probes depend on none of them.
std::vector<std::pair<std::string, std::string>> environment();

}  // namespace normproof::verification::checks::determinism
