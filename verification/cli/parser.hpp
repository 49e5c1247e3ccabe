#pragma once

#include <string>
#include <vector>

#include "verification/cli/command.hpp"

namespace normproof::verification::cli {

/// Parses a command line.
///
/// Computes  the function that runs the command given by the arguments (without the program's
///           name), with its options read and checked; for --help and --version, the function that
///           prints them
/// Throws    UsageError with one sentence, such as an unknown command or option with the nearest
///           known one
Run parse_arguments(const Command& program, const std::vector<std::string>& arguments);

}  // namespace normproof::verification::cli
