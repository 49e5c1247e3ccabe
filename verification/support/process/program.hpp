#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "verification/support/process/child.hpp"

namespace normproof::verification::support::process {

/// The output of a program, and how it ended.
struct ProgramResult {
  Ending ending;
  std::string out, err;  ///< standard output and standard error
};

/// Runs a program to its end.
///
/// Computes  runs `arguments`, the first of which is the program's name, looked up on PATH, with
///           `input` as standard input. `environment` holds texts "NAME=value"; the program gets no
///           other variables. Input and outputs are files in memory instead of pipes, so that no
///           amount of either can block
/// Throws    std::system_error with the reason if the program cannot be started
ProgramResult run_program(const std::vector<std::string>& arguments, std::string_view input,
                          const std::vector<std::string>& environment);

}  // namespace normproof::verification::support::process
