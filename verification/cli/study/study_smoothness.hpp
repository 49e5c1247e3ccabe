#pragma once

#include <string>

#include "verification/studies/published/tables.hpp"
#include "verification/support/report/document.hpp"

namespace normproof::verification::cli::study {

/// Returns a table that answers whether PowerNorm is smoother than BatchNorm, from runs of figures
/// 4 to 6 with the same seed. Each row is a norm layer. It has the number of steps at which
/// PowerNorm's Lipschitz constant, gamma/psi with the psi that divides, is below BatchNorm's,
/// gamma/sigma, each in its own run; the means of both; and that number if both are computed on the
/// same activations, those of either run. The table has no rows if there are no such runs.
support::report::Table smoothness_table(const studies::published::Results& results,
                                        const studies::published::Condition& condition);

/// Returns the answer in a sentence, over all layers and steps; empty if the table has no rows.
std::string smoothness_answer(const studies::published::Results& results,
                              const studies::published::Condition& condition);

}  // namespace normproof::verification::cli::study
