#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "verification/support/process/child.hpp"

namespace normproof::verification::support::process {

/// The output of a program, and how the program ended.
struct ProgramResult {
  ProcessEnding ending;
  std::string out, err;  ///< standard output and standard error
};

/// Runs a program and waits until it has ended.
///
/// Computes  runs `arguments`. The first argument is the program, which is looked up on PATH.
///           `input` becomes its standard input. `environment` holds the environment variables as
///           "NAME=value"; the program gets no others. Input and outputs are files in memory rather
///           than pipes, so that the program cannot block on them
/// Throws    std::system_error with the reason if the program cannot be started
ProgramResult run_program(const std::vector<std::string>& arguments, std::string_view input,
                          const std::vector<std::string>& environment);

}  // namespace normproof::verification::support::process
