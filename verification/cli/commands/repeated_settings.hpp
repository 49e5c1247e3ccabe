#pragma once

#include "verification/cli/options.hpp"

namespace normproof::verification::cli::commands {

/// Throws    UsageError where --set has an option twice
void refuse_repeated(const Settings& settings);

}  // namespace normproof::verification::cli::commands
