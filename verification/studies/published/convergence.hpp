#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "verification/studies/published/result.hpp"
#include "verification/training/dataset.hpp"

namespace normproof::verification::studies::published {

/// The rule that decides whether a training run converged: every loss is finite, and the mean of
/// the last losses is below `share` times the first loss. The first loss is the loss of the initial
/// state, which is the same for every learning rate.
struct ConvergenceRule {
  double share = 1;
  std::size_t last = 10;
};

/// Returns the mean of the last `last` losses, or of all losses if there are fewer. Returns nothing
/// if one of these losses is not finite.
std::optional<double> mean_of_last(const CellResult& cell, std::size_t last);

bool converged(const CellResult& cell, const ConvergenceRule& rule = {});

/// The number of sentences of each class.
struct ClassCounts {
  std::vector<std::size_t> training, validation;

  /// Returns the fraction of validation sentences that belong to the largest class.
  double majority() const;
};

ClassCounts class_counts(const training::Dataset& data);

/// The rule that decides whether a model learned. Let m be the fraction of validation sentences in
/// the largest class, and n the number of validation sentences. The standard error of m is sqrt(m
/// (1 - m) / n). The model learned if its final validation accuracy exceeds m by more than `errors`
/// standard errors.
struct LearningRule {
  double errors = 2;
};

bool learned(const CellResult& cell, const ClassCounts& classes, const LearningRule& rule = {});

/// Returns the smallest mean loss that predictions can reach if they do not depend on the sentence.
/// It is the entropy of the training classes, in nats. The weight of a class is its number of
/// sentences n_c if `count_weights` is true, otherwise N / (C n_c) for N sentences and C classes.
double loss_floor(const ClassCounts& classes, bool count_weights);

/// Returns the text of study.json, which describes everything on which the results in a folder
/// depend: the data, its classes and the version of the arithmetic. It also contains a SHA-256 of
/// this description.
std::string study_identity(const training::Dataset& data);

/// The fields of study.json that readers of results need.
struct Identity {
  ClassCounts classes;
  std::string data_sha256;  ///< hash of training::data_json; every result has the same hash
};

/// Parses a study.json that study_identity() wrote. The version of the arithmetic in it must be the
/// version that this program implements.
/// Throws    FileError naming `file` and the field if it is absent, altered, or of another format
///           or arithmetic
Identity parse_identity(std::string_view text, const std::string& file);

}  // namespace normproof::verification::studies::published
