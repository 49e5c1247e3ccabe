#pragma once

#include <optional>
#include <vector>

#include "verification/studies/language/tables.hpp"
#include "verification/support/report/document.hpp"

namespace normproof::verification::cli::study {

// Figures of the tested cells, at their chosen rates; nothing if there are none.

/// Returns the validation loss after each epoch, averaged over the seeds that stayed finite, with
/// one line per norm.
std::optional<support::report::Figure> learning_figure(
    const studies::language::Results& results, const studies::language::Condition& condition);

/// Returns the validation BLEU after each epoch in the same way, for translators.
std::optional<support::report::Figure> bleu_figure(const studies::language::Results& results,
                                                   const studies::language::Condition& condition);

/// Returns the fluctuations of batch variance and quadratic mean relative to the running ones, in
/// each piece of the run, averaged over layers and seeds, with one line per norm. For translators
/// there is a figure for each side that has such a norm.
std::vector<support::report::Figure> fluctuation_figures(
    const studies::language::Results& results, const studies::language::Condition& condition);

/// Returns the fluctuations of the variance and of the quadratic mean of norm inputs in the same
/// way, for the cells with dynamics. Norms without running statistics have lines too.
std::vector<support::report::Figure> norm_input_figures(
    const studies::language::Results& results, const studies::language::Condition& condition);

}  // namespace normproof::verification::cli::study
