#pragma once

#include "verification/cli/options.hpp"

namespace normproof::verification::cli::tools {

/// Checks that --set does not set the same option twice.
/// Throws    UsageError if it does
void check_no_repeats(const Settings& settings);

}  // namespace normproof::verification::cli::tools
