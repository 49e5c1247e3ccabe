#pragma once

#include "verification/cli/options.hpp"

namespace normproof::verification::cli::tools {

/// Throws    UsageError where --set has an option twice
void refuse_repeated(const Settings& settings);

}  // namespace normproof::verification::cli::tools
