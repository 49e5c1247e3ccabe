#pragma once

#include "verification/cli/options.hpp"

namespace normproof::verification::cli::tools {

/// Checks that no option occurs twice in --set.
/// Throws    UsageError if one does
void check_no_repeats(const Settings& settings);

}  // namespace normproof::verification::cli::tools
