#pragma once

#include "verification/cli/command.hpp"

namespace normproof::verification::cli::program {

/// Returns the program with every command, in the order of --help. This is the only list of
/// commands.
Command all_commands();

}  // namespace normproof::verification::cli::program
