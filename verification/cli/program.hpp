#pragma once

#include <string>
#include <vector>

#include "verification/cli/command.hpp"

namespace normproof::verification::cli {

/// Runs a program that consists of these commands. `arguments` does not include the name of the
/// program. This is the only function that converts an error into an exit status and a message. The
/// message is one sentence on standard error that begins with "normproof: ".
///
/// Computes  the exit status: 2 for UsageError and ContractError, 3 for FileError, 77 for
///           NoDeviceError, 1 for any other error
int run_program(Command commands(), const std::vector<std::string>& arguments) noexcept;

}  // namespace normproof::verification::cli
