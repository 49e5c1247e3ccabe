#pragma once

#include <string>
#include <vector>

#include "verification/cli/command.hpp"

namespace normproof::verification::cli {

/// Runs a program of these commands with these arguments (without its name): the one place where
/// errors become an exit status and a sentence on standard error that begins with "normproof: ".
///
/// Computes  UsageError and ContractError give 2, FileError 3, NoDeviceError 77, anything else 1
int run_program(Command commands(), const std::vector<std::string>& arguments) noexcept;

}  // namespace normproof::verification::cli
