#pragma once

#include <string>

#include "verification/studies/published/tables.hpp"
#include "verification/support/report/document.hpp"

namespace normproof::verification::cli::study {

/// Is PowerNorm smoother than BatchNorm here? Of the runs of figures 4 to 6 of the same seed, a row
/// a norm layer: at how many of the steps PowerNorm's Lipschitz constant, gamma/psi with the psi
/// that divides, is below BatchNorm's, gamma/sigma, each in its own run; the means of both; and at
/// how many it is where both are taken on the same activations, those of either run. Without rows
/// where there are no two such runs.
support::report::Table smoothness_table(const studies::published::Results& results,
                                        const studies::published::Condition& condition);

/// The same in a sentence, over all layers and steps; empty where the table has no rows.
std::string smoothness_answer(const studies::published::Results& results,
                              const studies::published::Condition& condition);

}  // namespace normproof::verification::cli::study
