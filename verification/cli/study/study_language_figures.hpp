#pragma once

#include <optional>
#include <vector>

#include "verification/studies/language/tables.hpp"
#include "verification/support/report/document.hpp"

namespace normproof::verification::cli::study {

// Figures of the tested training runs, which have the chosen learning rates. A function returns no
// figure if there are no such runs.

/// Returns a figure of the validation loss after each epoch, with one line per norm. The line is
/// the mean over the seeds whose training run did not diverge.
std::optional<support::report::Figure> learning_figure(
    const studies::language::Results& results, const studies::language::Condition& condition);

/// Returns a figure of the validation BLEU of translators after each epoch, with one line per norm.
/// The line is the mean over the seeds whose training run did not diverge.
std::optional<support::report::Figure> bleu_figure(const studies::language::Results& results,
                                                   const studies::language::Condition& condition);

/// Returns figures of the fluctuations of the batch variance and of the quadratic mean, relative to
/// their running values. Each training run is split into pieces, and each piece has one value.
/// There is one line per norm, the mean over layers and seeds. For translators, there is one figure
/// for the encoder and one for the decoder. A figure without lines is left out.
std::vector<support::report::Figure> fluctuation_figures(
    const studies::language::Results& results, const studies::language::Condition& condition);

/// Returns figures of the fluctuations of the variance and of the quadratic mean of norm inputs.
/// They cover the training runs that record statistics of every norm layer at every step. Norms
/// without running statistics have lines too.
std::vector<support::report::Figure> norm_input_figures(
    const studies::language::Results& results, const studies::language::Condition& condition);

}  // namespace normproof::verification::cli::study
