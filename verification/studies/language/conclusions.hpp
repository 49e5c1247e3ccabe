#pragma once

#include <string>
#include <vector>

#include "verification/studies/language/tables.hpp"
#include "verification/studies/published/conclusions.hpp"

namespace normproof::verification::studies::language {

/// Returns the statements of a task. p1: PowerNorm against LayerNorm; p2: BatchNorm against
/// LayerNorm; p3: the fluctuation of statistics. For translators also b1 and b2, the first two in
/// BLEU, and b3: the released placement against LayerNorm.
const std::vector<studies::published::Statement>& statements(training::Task task);

/// Evaluates a statement on results.
///
/// Computes  the verdict by the 95 % interval of the paired differences over seeds: holds if all of
///           it is on the stated side, fails if all of it is on the other, else unsettled; not_run
///           if fewer than two seeds have both runs. If one of the two diverged at a seed, the
///           difference is infinite in favor of the other: then the statement holds, or fails, only
///           if every seed agrees
/// Requires  (C1) id is one of statements(condition.task)
studies::published::Finding find(const std::string& id, const Results& results,
                                 const Condition& condition);

}  // namespace normproof::verification::studies::language
