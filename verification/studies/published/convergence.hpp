#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "verification/studies/published/result.hpp"
#include "verification/training/dataset.hpp"

namespace normproof::verification::studies::published {

/// The rule for convergence: every loss is finite, and the mean of the last losses is below `share`
/// times the first loss. The first loss is that of the initial state, which is the same for every
/// learning rate.
struct ConvergenceRule {
  double share = 1;
  std::size_t last = 10;
};

/// Returns the mean of the last losses, or of all if there are fewer; nothing if one is not finite.
std::optional<double> mean_of_last(const CellResult& cell, std::size_t last);

bool converged(const CellResult& cell, const ConvergenceRule& rule = {});

/// The number of sentences per class.
struct ClassCounts {
  std::vector<std::size_t> training, validation;

  /// Returns the fraction of the largest class among the validation sentences.
  double majority() const;
};

ClassCounts class_counts(const training::Dataset& data);

/// The rule for learning: the final validation accuracy exceeds the share m of the largest class by
/// at least this number of standard errors sqrt(m (1 - m) / n), for n validation sentences.
struct LearningRule {
  double errors = 2;
};

bool learned(const CellResult& cell, const ClassCounts& classes, const LearningRule& rule = {});

/// Returns the minimum mean loss of predictions that ignore the sentence: the entropy, in nats, of
/// the training classes. A class is weighted by its count if `count_weights`, else by N / (C n_c).
double loss_floor(const ClassCounts& classes, bool count_weights);

/// Describes what the results of a folder depend on, as JSON: the data, its classes, the version of
/// the arithmetic, and the SHA-256 of all that.
std::string study_identity(const training::Dataset& data);

/// The part of study.json that readers of results need.
struct Identity {
  ClassCounts classes;
  std::string data_sha256;  ///< hash of training::data_json, which every result contains
};

/// Reads what study_identity wrote with the same version of the arithmetic.
/// Throws    FileError naming `file` and the field if it is absent, altered, or of another format
///           or arithmetic
Identity parse_identity(std::string_view text, const std::string& file);

}  // namespace normproof::verification::studies::published
