#pragma once

#include <optional>
#include <vector>

#include "verification/studies/language/tables.hpp"
#include "verification/support/report/document.hpp"

namespace normproof::verification::cli::study {

// Of the cells that were tested, at their chosen rates; nothing where there is none.

/// The validation loss after each epoch, means over the seeds that stayed finite: a line a norm.
std::optional<support::report::Figure> learning_figure(
    const studies::language::Results& results, const studies::language::Condition& condition);

/// The same of BLEU, where sentences are translated.
std::optional<support::report::Figure> bleu_figure(const studies::language::Results& results,
                                                   const studies::language::Condition& condition);

/// Batch variance and quadratic mean beside the running ones, piece by piece of the run, means over
/// layers and seeds: a line a norm. Of a translator a figure for each side that has such a norm.
std::vector<support::report::Figure> fluctuation_figures(
    const studies::language::Results& results, const studies::language::Condition& condition);

/// The variance, then the quadratic mean of what norm layers take, beside running ones, of the
/// cells with dynamics; otherwise likewise: norms without running statistics have lines too.
std::vector<support::report::Figure> taken_figures(const studies::language::Results& results,
                                                   const studies::language::Condition& condition);

}  // namespace normproof::verification::cli::study
