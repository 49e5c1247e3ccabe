#pragma once

#include "verification/studies/language/tables.hpp"
#include "verification/support/report/document.hpp"

namespace normproof::verification::cli::study {

// Tables of the tested or traced cells, at their chosen rates; no row if there are none.

/// Returns the fluctuations of batch statistics relative to the running ones, averaged over the
/// tested seeds, with one row per norm, layer and statistic.
support::report::Table fluctuation_table(const studies::language::Results& results,
                                         const studies::language::Condition& condition);

/// Returns the maximum of (1 - alpha) Gamma, averaged over the tested seeds, with one row per norm
/// that has it.
support::report::Table gamma_table(const studies::language::Results& results,
                                   const studies::language::Condition& condition);

/// Returns the fluctuations of the statistics of norm inputs relative to their running means, for
/// the cells with dynamics, with one row per norm and layer.
support::report::Table norm_input_table(const studies::language::Results& results,
                                        const studies::language::Condition& condition);

/// Returns the ratio of PowerNorm's gradient to its bound, for the cells with dynamics, with one
/// row per norm and layer that have it.
support::report::Table bound_table(const studies::language::Results& results,
                                   const studies::language::Condition& condition);

}  // namespace normproof::verification::cli::study
