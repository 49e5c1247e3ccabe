#pragma once

#include "verification/cli/command.hpp"

namespace normproof::verification::cli::program {

/// The program with every command, in the order of its --help: the one list of them.
Command all_commands();

}  // namespace normproof::verification::cli::program
