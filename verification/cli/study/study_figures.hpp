#pragma once

#include <optional>
#include <string>
#include <vector>

#include "verification/studies/published/tables.hpp"
#include "verification/support/report/document.hpp"

namespace normproof::verification::cli::study {

/// Figures 2 to 6 of a condition of the study, nothing where no cell of it was run. What was read
/// off the published figure is drawn as open symbols of the norm's colour.

/// 2 and 3: the gradient's norm tensor by tensor at the initial state, mean and standard deviation
/// over the seeds.
std::optional<support::report::Figure> gradient_figure(
    const studies::published::Results& results, const studies::published::Condition& condition,
    std::size_t figure);

/// 4, 5 and 6: loss, Lipschitz and smoothness step by step, a line a seed; figure 4 with the loss
/// floor.
std::optional<support::report::Figure> curve_figure(const studies::published::Results& results,
                                                    const studies::published::Condition& condition,
                                                    const studies::published::ClassCounts& classes,
                                                    std::size_t figure);

/// Quantities of the norms' dynamics step by step, of the first seed of these norms: a line a site
/// and quantity.
std::optional<support::report::Figure> dynamics_figure(
    const studies::published::Results& results, const studies::published::Condition& condition,
    const std::vector<std::string>& norms, const std::vector<std::string>& quantities,
    const std::string& title);

/// What each norm did over the run, a row a site; no rows where nothing was run.
support::report::Table dynamics_table(const studies::published::Results& results,
                                      const studies::published::Condition& condition);

}  // namespace normproof::verification::cli::study
