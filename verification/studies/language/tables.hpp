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

/// The results of a folder, each with the cell that its name says.
struct Finished {
  Cell cell;
  CellResult result;
};

/// By name.
using Results = std::map<std::string, Finished>;

/// Reads the lines of a store.
/// Throws    FileError naming `file` and what is wrong
Results read_results(const std::map<std::string, std::string>& lines, const std::string& file);

/// The SHA-256 of all lines of results.jsonl, in the order of their names.
std::string results_sha256(const std::map<std::string, std::string>& lines);

/// What has a table of its own: everything in it differs in norm, rate and seed alone.
struct Condition {
  training::Task task = training::Task::language;
  ref::model::NormPlacement placement = ref::model::NormPlacement::pre;
  Size size = Size::whole;

  bool operator==(const Condition&) const = default;
};

/// "language, post-norm", "language, pre-norm, quick"
std::string condition_name(const Condition& condition);

/// The conditions of which there are results: by task, whole before quick, post
/// before pre.
std::vector<Condition> conditions_of(const Results& results);

/// A norm under a condition, at a rate and a seed.
Cell cell_of(const Condition& condition, const std::string& norm, const std::string& rate,
             std::uint64_t seed, Purpose purpose);

/// The cell with dynamics at a rate, of the seed 1.
Cell dynamics_cell_of(const Condition& condition, const std::string& norm, const std::string& rate);

/// The cells of a norm that were tested at the chosen rate, by ascending seeds; none where no rate
/// can be chosen yet.
std::vector<const Finished*> tests_of(const Results& results, const Condition& condition,
                                      const std::string& norm);

/// The cell of a norm with dynamics at the chosen rate, or none.
const Finished* dynamics_of(const Results& results, const Condition& condition,
                            const std::string& norm);

/// exp of the test loss; nothing of a run that diverged.
std::optional<double> test_perplexity(const CellResult& result);
/// exp of the validation loss after the last epoch, likewise.
std::optional<double> validation_perplexity(const CellResult& result);
/// The same of BLEU, which a translator has.
std::optional<double> test_bleu(const CellResult& result);
std::optional<double> validation_bleu(const CellResult& result);

/// A quantity of a cell; nothing where it has none, as of a run that diverged.
using Quantity = std::function<std::optional<double>(const CellResult&)>;

/// Two norms seed by seed, of the seeds at which both were tested at their chosen rates.
struct Paired {
  std::vector<double> differences;                ///< first minus second, where both have one
  std::size_t first_alone = 0, second_alone = 0;  ///< seeds at which one has the quantity alone
};
Paired paired_seeds(const Results& results, const Condition& condition, const std::string& first,
                    const std::string& second, const Quantity& quantity);
Paired paired_seeds(const Results& results, const Condition& condition, const std::string& first,
                    const Quantity& of_first, const std::string& second, const Quantity& of_second);

/// A quantity over the seeds that have it; nothing where there is none.
struct Measured {
  std::optional<double> mean = {}, least = {}, largest = {};
  std::optional<Interval> beside_layer_norm = {};  ///< the difference, of paired seeds
};

/// A norm in the table of a condition.
struct Row {
  std::string norm, rate;
  std::vector<const Finished*> tests;
  std::size_t diverged = 0;
  Measured perplexity = {}, bleu = {};
  std::optional<double> bits_per_character = {};  ///< the mean, where a loss is one of characters
};

/// The norms that were tested, in the order of study_norms.
std::vector<Row> rows_of(const Results& results, const Condition& condition);

/// The mean of the numbers that there are; nothing where there is none.
std::optional<double> mean_of(const Series& series);

/// The mean over the norm layers of a statistic's fluctuation, nothing where it has none.
std::optional<double> mean_fluctuation(const CellResult& result, const std::string& statistic);

}  // namespace normproof::verification::studies::language
