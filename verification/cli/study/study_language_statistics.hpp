#pragma once

#include "verification/studies/language/tables.hpp"
#include "verification/support/report/document.hpp"

namespace normproof::verification::cli::study {

// Tables of training runs at their chosen learning rates. A table has no rows if there are no such
// training runs.

/// Returns the fluctuations of batch statistics relative to their running values, averaged over the
/// tested seeds. The table has one row per norm, layer and statistic.
support::report::Table fluctuation_table(const studies::language::Results& results,
                                         const studies::language::Condition& condition);

/// Returns the maximum of (1 - alpha_backward) Gamma, averaged over the tested seeds. Gamma is the
/// statistic mean_x_hat_squared. The table has one row per norm that has this statistic.
support::report::Table gamma_table(const studies::language::Results& results,
                                   const studies::language::Condition& condition);

/// Returns a table of the fluctuations of the statistics of norm inputs, relative to their moving
/// averages. It covers the training runs that record statistics of every norm layer at every step.
/// It has one row per norm and layer.
support::report::Table norm_input_table(const studies::language::Results& results,
                                        const studies::language::Condition& condition);

/// Returns a table of the ratio of PowerNorm's gradient to its bound. It covers the training runs
/// that record statistics of every norm layer at every step. It has one row per norm and layer, if
/// the bound was recorded for them.
support::report::Table bound_table(const studies::language::Results& results,
                                   const studies::language::Condition& condition);

}  // namespace normproof::verification::cli::study
