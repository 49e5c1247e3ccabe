#pragma once

#include "verification/cli/command.hpp"

namespace normproof::verification::cli::program {

/// Returns the program `normproof` with all its commands, in the order in which --help lists them.
/// There is no other list of the commands.
Command all_commands();

}  // namespace normproof::verification::cli::program
