#pragma once

#include <optional>
#include <string>
#include <vector>

#include "verification/studies/published/tables.hpp"
#include "verification/support/report/document.hpp"

namespace normproof::verification::cli::study {

/// Figures 2 to 6 for a condition of the study; nothing if no cell of the figure was run. Values
/// read off the published figures are open symbols in the norm's color.

/// Returns figure 2 or 3: the gradient norm of each tensor at the initial state, mean and standard
/// deviation over the seeds.
std::optional<support::report::Figure> gradient_figure(
    const studies::published::Results& results, const studies::published::Condition& condition,
    std::size_t figure);

/// Returns figure 4, 5 or 6: loss, Lipschitz constant or smoothness step by step, one line per
/// seed; figure 4 also has the loss floor.
std::optional<support::report::Figure> curve_figure(const studies::published::Results& results,
                                                    const studies::published::Condition& condition,
                                                    const studies::published::ClassCounts& classes,
                                                    std::size_t figure);

/// Returns a figure of quantities of the norms' dynamics step by step, for the first seed of these
/// norms, with one line per site and quantity.
std::optional<support::report::Figure> dynamics_figure(
    const studies::published::Results& results, const studies::published::Condition& condition,
    const std::vector<std::string>& norms, const std::vector<std::string>& quantities,
    const std::string& title);

/// Returns a table that summarizes the dynamics of each norm over the run, one row per site; no
/// rows if nothing was run.
support::report::Table dynamics_table(const studies::published::Results& results,
                                      const studies::published::Condition& condition);

}  // namespace normproof::verification::cli::study
