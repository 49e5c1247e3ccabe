#pragma once

#include <string>
#include <utility>
#include <vector>

namespace normproof::verification::checks::determinism {

/// Returns facts about the program and the machine, as names and values: compiler, flags,
/// architecture, instruction_set (the instruction set in use, and all available ones), threads,
/// processor, system and C library. The bits of the probes do not depend on them.
std::vector<std::pair<std::string, std::string>> environment();

}  // namespace normproof::verification::checks::determinism
