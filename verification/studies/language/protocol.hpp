#pragma once

#include <string>

#include "verification/training/run_config.hpp"

namespace normproof::verification::studies::language {

/// Returns the SHA-256 of the configurations of all training runs of a task, quick and whole. The
/// hash changes if a version of the program gives a training run of the same name another
/// configuration.
std::string protocol_sha256(training::Task task);

}  // namespace normproof::verification::studies::language
