#pragma once

#include <string>

#include "verification/studies/published/tables.hpp"
#include "verification/support/report/document.hpp"

namespace normproof::verification::cli::study {

/// Returns a table that shows whether PowerNorm is smoother than BatchNorm. It compares training
/// runs of figures 4 to 6 that have the same seed, with one row per norm layer. The table has no
/// rows if there are no such training runs.
///
/// The compared Lipschitz constants are gamma/psi for PowerNorm, with the psi by which it divides,
/// and gamma/sigma for BatchNorm. A row shows the number of steps at which PowerNorm's constant is
/// smaller, with each constant taken from the training run of its norm, and the means of the two
/// constants. It also shows two such numbers of steps for constants that are computed from the same
/// activations: first from the activations of BatchNorm's training run, then from the activations
/// of PowerNorm's training run.
support::report::Table smoothness_table(const studies::published::Results& results,
                                        const studies::published::Condition& condition);

/// Returns a sentence that says whether PowerNorm is smoother than BatchNorm, over all norm layers
/// and steps. The sentence is empty if smoothness_table has no rows.
std::string smoothness_answer(const studies::published::Results& results,
                              const studies::published::Condition& condition);

}  // namespace normproof::verification::cli::study
