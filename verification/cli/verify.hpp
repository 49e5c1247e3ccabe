#pragma once

#include "verification/cli/command_line.hpp"
#include "verification/cli/report.hpp"

namespace normproof::verification::cli {

/// Checks the claims, follows the statistics, writes the files that are asked for and then the
/// table on standard output.
/// Returns   true where everything is as expected
/// Throws    UsageError, FileError
bool verify(const VerifyCommand& command);

/// Everything of `verify` but the output.
Report make_report(const VerifyCommand& command);

}  // namespace normproof::verification::cli
