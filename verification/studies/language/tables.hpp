#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "verification/studies/language/cell.hpp"
#include "verification/studies/language/result.hpp"
#include "verification/studies/language/student.hpp"

namespace normproof::verification::studies::language {

/// A finished training run: its settings, parsed from its name, and its result.
struct FinishedRun {
  Cell cell;
  CellResult result;
};

/// The finished training runs of a study's folder; the key is the name.
using Results = std::map<std::string, FinishedRun>;

/// Parses the results in `lines`, whose keys are the names of the training runs.
/// Throws    FileError naming `file` and what is wrong
Results read_results(const std::map<std::string, std::string>& lines, const std::string& file);

/// Returns the SHA-256 of all lines of results.jsonl, in the order of the names of the training
/// runs.
std::string results_sha256(const std::map<std::string, std::string>& lines);

/// The settings that all training runs in a table share. They differ only in norm, learning rate
/// and seed.
struct Condition {
  training::Task task = training::Task::language;
  ref::model::NormPlacement placement = ref::model::NormPlacement::pre;
  Size size = Size::whole;

  bool operator==(const Condition&) const = default;
};

/// Returns a name such as "language, post-norm" or "language, pre-norm, quick".
std::string condition_name(const Condition& condition);

/// Returns the conditions that have results, sorted by task, then whole before quick, then
/// post-norm before pre-norm.
std::vector<Condition> list_conditions(const Results& results);

/// Returns the training run with these settings.
Cell cell_of(const Condition& condition, const std::string& norm, const std::string& rate,
             std::uint64_t seed, RunPurpose purpose);

/// Returns the training run that records the dynamics of a norm at a learning rate. Its seed is 1.
Cell dynamics_cell(const Condition& condition, const std::string& norm, const std::string& rate);

/// Returns the tested training runs of a norm at its chosen learning rate, by ascending seeds. The
/// result is empty if the rate cannot be chosen yet.
std::vector<const FinishedRun*> find_tests_at_chosen_rate(const Results& results,
                                                          const Condition& condition,
                                                          const std::string& norm);

/// Returns the training run that recorded the dynamics of a norm at its chosen learning rate, or
/// null.
const FinishedRun* find_dynamics(const Results& results, const Condition& condition,
                                 const std::string& norm);

/// Returns the test perplexity, which is exp of the test loss, or nothing if the run diverged.
std::optional<double> test_perplexity(const CellResult& result);
/// Returns the validation perplexity, which is exp of the validation loss after the last epoch, or
/// nothing if the run diverged.
std::optional<double> validation_perplexity(const CellResult& result);
/// Return the BLEU of a translator, or nothing if the run diverged or has no BLEU.
std::optional<double> test_bleu(const CellResult& result);
std::optional<double> validation_bleu(const CellResult& result);

/// A function that returns a quantity of a result, such as its perplexity. It returns nothing if
/// the result lacks the quantity, for example because the run diverged.
using Quantity = std::function<std::optional<double>(const CellResult&)>;

/// A comparison of two norms, seed by seed. It covers the seeds for which each of the two norms was
/// tested at its chosen learning rate.
struct PairedDifferences {
  /// For each seed, the first norm's quantity minus the second norm's quantity.
  std::vector<double> differences;
  /// Numbers of seeds for which only the first or only the second norm has the quantity.
  std::size_t first_only = 0, second_only = 0;
};
PairedDifferences pair_seeds(const Results& results, const Condition& condition,
                             const std::string& first, const std::string& second,
                             const Quantity& quantity);
PairedDifferences pair_seeds(const Results& results, const Condition& condition,
                             const std::string& first, const Quantity& of_first,
                             const std::string& second, const Quantity& of_second);

/// The mean, minimum and maximum of a quantity over the seeds that have it. They are absent if no
/// seed has it.
struct QuantitySummary {
  std::optional<double> mean = {}, least = {}, largest = {};
  /// Confidence interval of the norm's quantity minus the quantity of layer_norm, over the seeds
  /// that have results for the two norms.
  std::optional<ConfidenceInterval> beside_layer_norm = {};
};

/// The row of one norm in the table of a condition.
struct Row {
  std::string norm, rate;
  std::vector<const FinishedRun*> tests;
  std::size_t diverged = 0;
  QuantitySummary perplexity = {}, bleu = {};
  /// Mean over the seeds, if the loss is per character.
  std::optional<double> bits_per_character = {};
};

/// Returns one row for each norm that was tested, in the order of study_norms().
std::vector<Row> condition_rows(const Results& results, const Condition& condition);

/// Returns the mean of the numbers that are not absent, or nothing if all are absent.
std::optional<double> mean_of_present(const Series& series);

/// Returns the fluctuation of a statistic, averaged over the norm layers, or nothing if no layer
/// has it.
std::optional<double> mean_fluctuation(const CellResult& result, const std::string& statistic);

}  // namespace normproof::verification::studies::language
