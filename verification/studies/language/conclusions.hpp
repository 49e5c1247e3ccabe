#pragma once

#include <string>
#include <vector>

#include "verification/studies/language/tables.hpp"
#include "verification/studies/published/conclusions.hpp"

namespace normproof::verification::studies::language {

/// Returns the statements that the study tests for a task. p1 compares PowerNorm with LayerNorm by
/// perplexity, and p2 compares BatchNorm with LayerNorm by perplexity. p3 compares the fluctuation
/// of statistics. Translators also have b1 and b2, which compare the same norms by BLEU, and b3,
/// which compares kReleasedPlacement with LayerNorm.
const std::vector<studies::published::Statement>& statements(training::Task task);

/// Decides whether the results support a statement about two norms.
///
/// Computes  the verdict from the 95 % confidence interval of the paired differences over seeds.
///           The verdict is `holds` if the whole interval is on the stated side of 0, `fails` if it
///           is on the other side, and otherwise `unsettled`. It is `not_run` if fewer than two
///           seeds have results for the two norms. If only one of the two runs of a seed diverged,
///           the difference is infinite, in favor of the run that did not diverge. If a difference
///           is infinite, the verdict is `holds` or `fails` only if all seeds agree
/// Requires  (C1) id is one of statements(condition.task)
studies::published::Finding find(const std::string& id, const Results& results,
                                 const Condition& condition);

}  // namespace normproof::verification::studies::language
