#pragma once

#include <string>
#include <string_view>

#include "verification/training/run_config.hpp"

namespace normproof::verification::cli::train {

/// Returns a page with the curves of a run: loss, accuracy, bits per character or BLEU, and
/// gradient norm over the steps, the norms' statistics if there are any, and the configuration.
/// Requires  metrics.jsonl as training::run writes it
/// Throws    FileError naming the line that is invalid
std::string train_page(std::string_view metrics, const training::RunConfig& config);

}  // namespace normproof::verification::cli::train
