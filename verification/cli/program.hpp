#pragma once

#include <string>
#include <vector>

#include "verification/cli/command.hpp"

namespace normproof::verification::cli {

/// Runs a program of these commands with these arguments (without its name). This is the only place
/// where errors become an exit status and a sentence on standard error that begins with "normproof:
/// ".
///
/// Computes  2 for UsageError and ContractError, 3 for FileError, 77 for NoDeviceError, 1 for
///           anything else
int run_program(Command commands(), const std::vector<std::string>& arguments) noexcept;

}  // namespace normproof::verification::cli
