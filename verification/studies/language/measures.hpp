#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "verification/studies/language/result.hpp"

namespace normproof::verification::studies::language {

/// Reads the measures of a result from the metrics.jsonl of a run: steps, losses, BLEU,
/// fluctuations, the bound on gradients, the maximum of (1 - alpha) Gamma, and the hash after the
/// last step.
///
/// Computes  means in the order of the steps, over each piece of the run and over the steps after
///           `warmup`. Step s of `planned`, from 1, belongs to piece floor((s - 1) kPieces /
///           planned). Non-finite values are left out
/// Throws    FileError naming `file` and the line that is invalid
void read_measures(std::string_view metrics, const std::string& file, std::size_t planned,
                   std::int64_t warmup, CellResult& result);

}  // namespace normproof::verification::studies::language
