#pragma once

#include <string>

#include "verification/training/run_config.hpp"

namespace normproof::verification::studies::language {

/// The SHA-256 of the configurations of a task's cells, quick and whole, under every name: it tells
/// the study's protocol from that of a version of the program that trains the same names otherwise.
std::string protocol_sha256(training::Task task);

}  // namespace normproof::verification::studies::language
