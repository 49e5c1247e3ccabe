#pragma once

#include <optional>
#include <string>
#include <vector>

#include "verification/studies/published/tables.hpp"
#include "verification/support/report/document.hpp"

namespace normproof::verification::cli::study {

/// Functions that draw the figures 2 to 6 of the published paper, for one condition of the study. A
/// function returns nothing if no training run of its figure has a result. Published values are
/// open symbols in the norm's color.

/// Returns figure 2 or 3: the gradient norm of each parameter tensor at the initial state, as mean
/// and standard deviation over the seeds.
std::optional<support::report::Figure> gradient_figure(
    const studies::published::Results& results, const studies::published::Condition& condition,
    std::size_t figure);

/// Returns figure 4 (loss), 5 (Lipschitz constant) or 6 (smoothness) over the training steps. The
/// figure has one line per norm and seed. Figure 4 also shows the smallest loss of predictions that
/// ignore the input (loss_floor).
std::optional<support::report::Figure> curve_figure(const studies::published::Results& results,
                                                    const studies::published::Condition& condition,
                                                    const studies::published::ClassCounts& classes,
                                                    std::size_t figure);

/// Returns a figure of quantities that were recorded for the norm layers at every step. It shows
/// the first seed of each norm, with one line per norm layer and quantity.
std::optional<support::report::Figure> dynamics_figure(
    const studies::published::Results& results, const studies::published::Condition& condition,
    const std::vector<std::string>& norms, const std::vector<std::string>& quantities,
    const std::string& title);

/// Returns a table that summarizes the recorded quantities over the steps, with one row per norm
/// and norm layer. It has no rows if no training run recorded them.
support::report::Table dynamics_table(const studies::published::Results& results,
                                      const studies::published::Condition& condition);

}  // namespace normproof::verification::cli::study
