#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "verification/support/process/child.hpp"

namespace normproof::verification::support::process {

/// What a program said, and how it ended.
struct ProgramResult {
  Ending ending;
  std::string out, err;  ///< standard output and standard error
};

/// Runs a program to its end.
///
/// Computes  `arguments`, the first of which is the program's name, looked for on PATH; `input` is
///           its standard input; `environment` holds texts "NAME=value", and nothing else is handed
///           on. Input and outputs are files in memory, not pipes, so no amount of either can block
/// Throws    std::system_error with the reason where the program cannot be started
ProgramResult run_program(const std::vector<std::string>& arguments, std::string_view input,
                          const std::vector<std::string>& environment);

}  // namespace normproof::verification::support::process
