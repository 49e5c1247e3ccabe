#pragma once

#include <string>
#include <vector>

#include "verification/cli/command.hpp"

namespace normproof::verification::cli {

/// Computes  what runs the command of `program` that the arguments (without the program's name)
///           spell out, with its options read and checked; for --help and --version, what prints
///           them
/// Throws    UsageError, one sentence: an unknown command or option with the nearest known one
Run parse_arguments(const Command& program, const std::vector<std::string>& arguments);

}  // namespace normproof::verification::cli
