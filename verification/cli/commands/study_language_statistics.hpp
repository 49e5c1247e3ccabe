#pragma once

#include "verification/language_study/tables.hpp"
#include "verification/report/document.hpp"

namespace normproof::verification::cli::commands {

// Tables of the tested or traced cells, at their chosen rates; no row if there are none.

/// Returns the fluctuations of batch statistics relative to the running ones, averaged over the
/// tested seeds, with one row per norm, layer and statistic.
report::Table fluctuation_table(const language_study::Results& results,
                                const language_study::Condition& condition);

/// Returns the maximum of (1 - alpha) Gamma, averaged over the tested seeds, with one row per norm
/// that has it.
report::Table gamma_table(const language_study::Results& results,
                          const language_study::Condition& condition);

/// Returns the fluctuations of the statistics of norm inputs relative to their running means, for
/// the cells with dynamics, with one row per norm and layer.
report::Table taken_table(const language_study::Results& results,
                          const language_study::Condition& condition);

/// Returns the ratio of PowerNorm's gradient to its bound, for the cells with dynamics, with one
/// row per norm and layer that have it.
report::Table bound_table(const language_study::Results& results,
                          const language_study::Condition& condition);

}  // namespace normproof::verification::cli::commands
