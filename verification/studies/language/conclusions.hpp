#pragma once

#include <string>
#include <vector>

#include "verification/studies/language/tables.hpp"
#include "verification/studies/published/conclusions.hpp"

namespace normproof::verification::studies::language {

/// p1: PowerNorm beside LayerNorm; p2: BatchNorm beside LayerNorm; p3: what fluctuates. Of a
/// translator b1 and b2 too, the first two in BLEU, and b3: the released placement beside
/// LayerNorm.
const std::vector<studies::published::Statement>& statements(training::Task task);

/// Computes  by the 95 % interval of the paired differences over seeds: holds where all of it is
///           on the side that is stated, fails where all of it is on the other, else unsettled;
///           not_run where fewer than two seeds have both. A seed at which one of the two diverged
///           is infinitely on the other's side: then holds, or fails, where every seed says so
/// Requires  (C1) id is one of statements(condition.task)
studies::published::Finding find(const std::string& id, const Results& results,
                                 const Condition& condition);

}  // namespace normproof::verification::studies::language
