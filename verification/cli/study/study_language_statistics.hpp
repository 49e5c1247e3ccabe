#pragma once

#include "verification/studies/language/tables.hpp"
#include "verification/support/report/document.hpp"

namespace normproof::verification::cli::study {

// Of the cells that were tested or traced, at their chosen rates; no row where there is none.

/// Batch statistics beside the running ones, means over the seeds that were tested: a row a norm,
/// layer and statistic.
support::report::Table fluctuation_table(const studies::language::Results& results,
                                         const studies::language::Condition& condition);

/// The largest (1 - alpha) Gamma, the mean over the seeds that were tested: a row a norm that has
/// it.
support::report::Table gamma_table(const studies::language::Results& results,
                                   const studies::language::Condition& condition);

/// Statistics of what every norm layer takes beside running means of theirs, of the cells with
/// dynamics: a row a norm and layer.
support::report::Table taken_table(const studies::language::Results& results,
                                   const studies::language::Condition& condition);

/// The share of its bound that PowerNorm's gradient comes to, of the cells with dynamics: a row a
/// norm that has it and layer.
support::report::Table bound_table(const studies::language::Results& results,
                                   const studies::language::Condition& condition);

}  // namespace normproof::verification::cli::study
