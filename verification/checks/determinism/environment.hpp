#pragma once

#include <string>
#include <utility>
#include <vector>

namespace normproof::verification::checks::determinism {

/// Returns where this program was compiled and runs, as names and values: compiler, flags,
/// architecture, instruction_set (of the available ones), threads, processor, system and C library.
/// The bits of the probes do not depend on any of them.
std::vector<std::pair<std::string, std::string>> environment();

}  // namespace normproof::verification::checks::determinism
