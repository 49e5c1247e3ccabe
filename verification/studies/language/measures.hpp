#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "verification/studies/language/result.hpp"

namespace normproof::verification::studies::language {

/// Takes from the metrics.jsonl of a run what a result has of it: steps, losses, BLEU,
/// fluctuations, the bound on gradients, the largest (1 - alpha) Gamma, and the hash after the last
/// step.
///
/// Computes  means in the order of the steps: of the piece of step s of `planned`, from 1, whose
///           number is floor((s - 1) kPieces / planned), and of the steps after `warmup`. What is
///           not finite counts nowhere
/// Throws    FileError naming `file` and the line that is no such object
void take_measures(std::string_view metrics, const std::string& file, std::size_t planned,
                   std::int64_t warmup, CellResult& result);

}  // namespace normproof::verification::studies::language
