#pragma once

#include <string>

#include "verification/training/run_config.hpp"

namespace normproof::verification::studies::language {

/// Returns the SHA-256 of the configurations of a task's cells, quick and whole, for every name. It
/// detects a version of the program that trains the same names differently.
std::string protocol_sha256(training::Task task);

}  // namespace normproof::verification::studies::language
