#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "verification/studies/language/result.hpp"

namespace normproof::verification::studies::language {

/// Reads the results of a training run from its metrics.jsonl: number of steps, losses, BLEU,
/// fluctuations, the bound on gradients, the maximum of (1 - alpha_backward) Gamma, and the hash of
/// the state after the last step. Gamma is the statistic mean_x_hat_squared of a power norm.
///
/// Computes  means in the order of the steps, for each piece of the run and for all steps after
///           `warmup`. `planned` is the number of steps of a complete run. Step s, counted from 1,
///           belongs to piece `floor((s - 1) kPieces / planned)`. Non-finite values are left out
/// Throws    FileError naming `file` and the line that is invalid
void read_measures(std::string_view metrics, const std::string& file, std::size_t planned,
                   std::int64_t warmup, CellResult& result);

}  // namespace normproof::verification::studies::language
