#pragma once

#include <string>
#include <vector>

#include "verification/cli/command.hpp"

namespace normproof::verification::cli {

/// Parses a command line.
///
/// Computes  the function that runs the selected command. `arguments` does not include the name of
///           the program. The command's options have been read and checked. For --help and
///           --version, the function prints the help or the version
/// Throws    UsageError with one sentence. For an unknown command or option it suggests the nearest
///           known one
Run parse_arguments(const Command& program, const std::vector<std::string>& arguments);

}  // namespace normproof::verification::cli
