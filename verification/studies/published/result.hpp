#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ref/numeric/errors.hpp"

namespace normproof::verification::studies::published {

/// The measurements of a training step, before the parameters move.
struct StepResult {
  double loss = 0, accuracy = 0, gradient_norm = 0;
  /// For cells with curves; absent if a probe is not finite.
  std::optional<double> lipschitz = {}, smoothness = {};

  bool operator==(const StepResult&) const = default;
};

/// The quality after the last step of an epoch or of the cell.
struct EpochResult {
  std::size_t step = 0;                         ///< number of steps taken
  double loss = 0, accuracy = 0, macro_f1 = 0;  ///< of the validation sentences

  bool operator==(const EpochResult&) const = default;
};

/// The point at which a cell became non-finite, which ends it.
struct Divergence {
  std::size_t step = 0;  ///< from 1: the step that could not be taken
  std::string sentence;

  bool operator==(const Divergence&) const = default;
};

/// Returns the sentence for a failed step in the form of the published results: with the clause of
/// the error, except for errors of norms and of the loss, which had no clauses when the results
/// were written.
std::string divergence_sentence(std::size_t step, const ref::numeric::ContractError& refusal);

/// The quantities of a norm over the steps of a cell (norm_dynamics.hpp), by name: one number per
/// step, absent if the quantity is undefined at that step.
struct SiteDynamics {
  std::string site;  ///< "layers.0.norm1"
  std::vector<std::pair<std::string, std::vector<std::optional<double>>>> series;
  std::vector<std::pair<std::string, double>> spreads;  ///< over the run

  /// Returns a series by its name, or null.
  const std::vector<std::optional<double>>* find(std::string_view name) const {
    for (const auto& [own, values] : series)
      if (own == name) return &values;
    return nullptr;
  }

  bool operator==(const SiteDynamics&) const = default;
};

/// The result of a cell. It does not depend on the machine, the time or the number of jobs.
struct CellResult {
  std::string name;         ///< cell_name
  std::string sha256;       ///< SHA-256 of the lines "<state_sha256>\n" after step 0, 1, ...
  std::string data_sha256;  ///< hash of training::data_json
  /// The L2 norm of each parameter's gradient at the initial state on the first batch, without the
  /// parameters of norms; empty if a gradient is not finite.
  std::vector<std::pair<std::string, double>> initial_gradients;
  std::vector<StepResult> steps;
  std::vector<EpochResult> epochs;
  std::vector<SiteDynamics> dynamics;  ///< for cells with dynamics
  std::optional<Divergence> diverged = {};

  bool operator==(const CellResult&) const = default;
};

/// Returns the result as one line of JSON without a line end. Doubles have the shortest form that
/// reads back to the same bits.
std::string result_line(const CellResult& result);

/// Parses what result_line wrote.
/// Throws    FileError naming `file`, which may include the line, the key and the expectation
CellResult parse_result(std::string_view line, const std::string& file);

}  // namespace normproof::verification::studies::published
