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

/// A result with the cell that its name describes.
struct Finished {
  Cell cell;
  CellResult result;
};

/// The results of a folder, by name.
using Results = std::map<std::string, Finished>;

/// Parses the lines of a store.
/// Throws    FileError naming `file` and what is wrong
Results read_results(const std::map<std::string, std::string>& lines, const std::string& file);

/// Returns the SHA-256 of all lines of results.jsonl, in the order of their names.
std::string results_sha256(const std::map<std::string, std::string>& lines);

/// The settings shared by the cells of a table, which differ only in norm, rate and seed.
struct Condition {
  training::Task task = training::Task::language;
  ref::model::NormPlacement placement = ref::model::NormPlacement::pre;
  Size size = Size::whole;

  bool operator==(const Condition&) const = default;
};

/// Returns a name such as "language, post-norm" or "language, pre-norm, quick".
std::string condition_name(const Condition& condition);

/// Returns the conditions that have results: by task, whole before quick, post before pre.
std::vector<Condition> list_conditions(const Results& results);

/// Returns the cell of a norm under a condition, at a rate and a seed.
Cell cell_of(const Condition& condition, const std::string& norm, const std::string& rate,
             std::uint64_t seed, Purpose purpose);

/// Returns the cell with dynamics of a norm at a rate, with seed 1.
Cell dynamics_cell(const Condition& condition, const std::string& norm, const std::string& rate);

/// Returns the tested cells of a norm at its chosen rate, by ascending seeds; none if no rate can
/// be chosen yet.
std::vector<const Finished*> tests_at_chosen_rate(const Results& results,
                                                  const Condition& condition,
                                                  const std::string& norm);

/// Returns the cell with dynamics of a norm at its chosen rate, or null.
const Finished* find_dynamics(const Results& results, const Condition& condition,
                              const std::string& norm);

/// Returns exp of the test loss, or nothing if the run diverged.
std::optional<double> test_perplexity(const CellResult& result);
/// Returns exp of the validation loss after the last epoch, or nothing if the run diverged.
std::optional<double> validation_perplexity(const CellResult& result);
/// Return the BLEU of a translator, or nothing if the run diverged or has none.
std::optional<double> test_bleu(const CellResult& result);
std::optional<double> validation_bleu(const CellResult& result);

/// A function that returns a quantity of a cell, or nothing if the cell has none, for example after
/// it diverged.
using Quantity = std::function<std::optional<double>(const CellResult&)>;

/// A comparison of two norms, seed by seed, over the seeds at which both were tested at their
/// chosen rates.
struct Paired {
  std::vector<double> differences;  ///< first minus second, if both have the quantity
  /// Numbers of seeds at which only one has the quantity.
  std::size_t first_only = 0, second_only = 0;
};
Paired paired_seeds(const Results& results, const Condition& condition, const std::string& first,
                    const std::string& second, const Quantity& quantity);
Paired paired_seeds(const Results& results, const Condition& condition, const std::string& first,
                    const Quantity& of_first, const std::string& second, const Quantity& of_second);

/// The mean of a quantity over the seeds that have it; nothing if none has.
struct Measured {
  std::optional<double> mean = {}, least = {}, largest = {};
  /// Mean difference from layer_norm over paired seeds.
  std::optional<Interval> beside_layer_norm = {};
};

/// The row of a norm in the table of a condition.
struct Row {
  std::string norm, rate;
  std::vector<const Finished*> tests;
  std::size_t diverged = 0;
  Measured perplexity = {}, bleu = {};
  std::optional<double> bits_per_character = {};  ///< the mean, if the loss is per character
};

/// Returns the rows of the norms that were tested, in the order of study_norms.
std::vector<Row> condition_rows(const Results& results, const Condition& condition);

/// Returns the mean of the numbers that are present, or nothing if there is none.
std::optional<double> mean_of_present(const Series& series);

/// Returns the mean of a statistic's fluctuation over the norm layers, or nothing if none has it.
std::optional<double> mean_fluctuation(const CellResult& result, const std::string& statistic);

}  // namespace normproof::verification::studies::language
