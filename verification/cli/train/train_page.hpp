#pragma once

#include <string>
#include <string_view>

#include "verification/training/run_config.hpp"

namespace normproof::verification::cli::train {

/// Returns an HTML page about a training run. It shows loss, gradient norm, and accuracy, bits per
/// character or BLEU over the steps; the statistics of the norms, if they were recorded; and the
/// configuration.
/// Requires  `metrics` is the text of metrics.jsonl, as training::run writes it
/// Throws    FileError naming the line that is invalid
std::string train_page(std::string_view metrics, const training::RunConfig& config);

}  // namespace normproof::verification::cli::train
