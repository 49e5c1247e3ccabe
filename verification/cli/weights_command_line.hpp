#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "verification/cli/weights.hpp"

namespace normproof::verification::cli {

/// The options of `normproof weights`, as text.
struct WeightsTexts {
  std::string run, out;
};

void add_weights(CLI::App& app, WeightsTexts& texts);

/// Throws    UsageError
WeightsCommand weights_command(const CLI::App& command);

}  // namespace normproof::verification::cli
