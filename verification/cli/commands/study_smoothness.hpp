#pragma once

#include <string>

#include "verification/report/document.hpp"
#include "verification/study/tables.hpp"

namespace normproof::verification::cli::commands {

/// Returns a table that answers whether PowerNorm is smoother than BatchNorm, from runs of figures
/// 4 to 6 with the same seed. Each row is a norm layer. It has the number of steps at which
/// PowerNorm's Lipschitz constant, gamma/psi with the psi that divides, is below BatchNorm's,
/// gamma/sigma, each in its own run; the means of both; and that number if both are computed on the
/// same activations, those of either run. The table has no rows if there are no such runs.
report::Table smoothness_table(const study::Results& results, const study::Condition& condition);

/// Returns the answer in a sentence, over all layers and steps; empty if the table has no rows.
std::string smoothness_answer(const study::Results& results, const study::Condition& condition);

}  // namespace normproof::verification::cli::commands
