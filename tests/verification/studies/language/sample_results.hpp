#pragma once

#include <string>
#include <vector>

#include "verification/studies/language/choice.hpp"
#include "verification/studies/language/tables.hpp"

namespace normproof::tests::verification::studies::language {

namespace language_study = normproof::verification::studies::language;

/// A condition of translators.
inline constexpr studies::language::Condition kTranslators{
    normproof::verification::training::Task::translate};

/// Returns a result with this last validation loss and, for a tested cell, the same test loss. BLEU
/// of a translator is 40 minus ten times the loss.
inline studies::language::CellResult sample_result(const studies::language::Cell& cell,
                                                   double loss) {
  studies::language::CellResult result;
  result.name = cell_name(cell);
  result.sha256 = result.data_sha256 = std::string(64, '0');
  result.steps = 3;
  result.training_loss = {3.0, 2.0};
  result.validation_loss = {loss + 1, loss};
  const bool tested = cell.purpose == studies::language::Purpose::test;
  if (tested) result.test_loss = loss;
  if (cell.task == kTranslators.task) {
    result.validation_bleu = {0.0, 40 - 10 * loss};
    if (tested) result.test_bleu = 40 - 10 * loss;
  }
  return result;
}

inline void add(studies::language::Results& results, const studies::language::Cell& cell,
                studies::language::CellResult result) {
  const std::string name = result.name = cell_name(cell);
  results.insert_or_assign(name, studies::language::Finished{cell, std::move(result)});
}

inline studies::language::CellResult diverged(studies::language::CellResult result) {
  result.diverged = {4, "step 4: a sentence"};
  result.test_loss.reset();
  result.test_bleu.reset();
  return result;
}

/// Adds cells that make 1e-2 the chosen rate of a norm.
inline void add_deciding(studies::language::Results& results,
                         const studies::language::Condition& condition, const std::string& norm) {
  for (const std::string& rate : studies::language::study_rates())
    for (std::uint64_t seed = 1; seed <= studies::language::kDecidingSeeds; ++seed) {
      const auto cell =
          cell_of(condition, norm, rate, seed, studies::language::Purpose::validation);
      add(results, cell, sample_result(cell, rate == "1e-2" ? 1.0 : 2.0));
    }
}

/// Adds the cells of add_deciding and tested cells with these test losses for the seeds 1, 2, ...
inline void add_tested(studies::language::Results& results,
                       const studies::language::Condition& condition, const std::string& norm,
                       const std::vector<double>& losses) {
  add_deciding(results, condition, norm);
  for (std::size_t i = 0; i < losses.size(); ++i) {
    const auto cell = cell_of(condition, norm, "1e-2", i + 1, studies::language::Purpose::test);
    add(results, cell, sample_result(cell, losses[i]));
  }
}

}  // namespace normproof::tests::verification::studies::language
