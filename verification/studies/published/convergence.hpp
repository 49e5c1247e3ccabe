#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "verification/studies/published/result.hpp"
#include "verification/training/dataset.hpp"

namespace normproof::verification::studies::published {

/// A cell has converged where every loss is finite and the mean of the last ones is below a share
/// of the first. The first is that of the initial state, the same for every learning rate.
struct ConvergenceRule {
  double share = 1;
  std::size_t last = 10;
};

/// The mean of the last losses, of all where there are fewer; nothing where one is not finite.
std::optional<double> mean_of_last(const CellResult& cell, std::size_t last);

bool converged(const CellResult& cell, const ConvergenceRule& rule = {});

/// How many sentences of each class there are.
struct ClassCounts {
  std::vector<std::size_t> training, validation;

  /// The share of the largest class, of the validation sentences.
  double majority() const;
};

ClassCounts class_counts(const training::Dataset& data);

/// A cell has learned where it ends with an accuracy on the validation sentences above that of the
/// largest class, by this many standard errors sqrt(m (1 - m) / n) of that share m of n sentences.
struct LearningRule {
  double errors = 2;
};

bool learned(const CellResult& cell, const ClassCounts& classes, const LearningRule& rule = {});

/// The least mean loss without looking at a sentence: the entropy, in nats, of the training
/// classes, each weighted by its count where `count_weights`, else by N / (C n_c).
double loss_floor(const ClassCounts& classes, bool count_weights);

/// What a folder of results is of, as JSON: the data, its classes, the arithmetic contract, and the
/// SHA-256 of all that.
std::string study_identity(const training::Dataset& data);

/// What of it a reader of results needs.
struct Identity {
  ClassCounts classes;
  std::string data_sha256;  ///< of training::data_json, as every result has it
};

/// Reads what study_identity writes, of this arithmetic contract.
/// Throws    FileError naming `file` and the field: absent, altered, or of another format or
///           contract
Identity parse_identity(std::string_view text, const std::string& file);

}  // namespace normproof::verification::studies::published
