#pragma once

#include <string>
#include <vector>

#include "verification/studies/language/choice.hpp"
#include "verification/studies/language/tables.hpp"

namespace normproof::tests::verification::studies::language {

namespace language_study = normproof::verification::studies::language;

/// The condition of the study in which translators are trained.
inline constexpr language_study::Condition kTranslatorCondition{
    normproof::verification::training::Task::translate};

/// Returns the result of a cell (one training run). The last validation loss is `loss`. If the cell
/// is tested, its test loss is also `loss`. A translator has the BLEU score `40 - 10 loss`.
inline language_study::CellResult sample_result(const language_study::Cell& cell, double loss) {
  language_study::CellResult result;
  result.name = cell_name(cell);
  result.sha256 = result.data_sha256 = std::string(64, '0');
  result.steps = 3;
  result.training_loss = {3.0, 2.0};
  result.validation_loss = {loss + 1, loss};
  const bool tested = cell.purpose == language_study::RunPurpose::test;
  if (tested) result.test_loss = loss;
  if (cell.task == kTranslatorCondition.task) {
    result.validation_bleu = {0.0, 40 - 10 * loss};
    if (tested) result.test_bleu = 40 - 10 * loss;
  }
  return result;
}

inline void add(language_study::Results& results, const language_study::Cell& cell,
                language_study::CellResult result) {
  const std::string name = result.name = cell_name(cell);
  results.insert_or_assign(name, language_study::FinishedRun{cell, std::move(result)});
}

inline language_study::CellResult diverged(language_study::CellResult result) {
  result.diverged = {4, "step 4: a sentence"};
  result.test_loss.reset();
  result.test_bleu.reset();
  return result;
}

/// Adds training runs (cells) whose validation losses make 1e-2 the chosen learning rate of a norm.
inline void add_rate_deciding_runs(language_study::Results& results,
                                   const language_study::Condition& condition,
                                   const std::string& norm) {
  for (const std::string& rate : language_study::study_rates())
    for (std::uint64_t seed = 1; seed <= language_study::kRateSelectionSeeds; ++seed) {
      const auto cell =
          cell_of(condition, norm, rate, seed, language_study::RunPurpose::validation);
      add(results, cell, sample_result(cell, rate == "1e-2" ? 1.0 : 2.0));
    }
}

/// Adds the training runs of add_rate_deciding_runs, and tested runs with these test losses. The
/// seeds of the tested runs are 1, 2, and so on.
inline void add_tested_runs(language_study::Results& results,
                            const language_study::Condition& condition, const std::string& norm,
                            const std::vector<double>& losses) {
  add_rate_deciding_runs(results, condition, norm);
  for (std::size_t i = 0; i < losses.size(); ++i) {
    const auto cell = cell_of(condition, norm, "1e-2", i + 1, language_study::RunPurpose::test);
    add(results, cell, sample_result(cell, losses[i]));
  }
}

}  // namespace normproof::tests::verification::studies::language
