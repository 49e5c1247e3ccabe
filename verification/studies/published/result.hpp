#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ref/numeric/errors.hpp"

namespace normproof::verification::studies::published {

/// A step of training, before the parameters move.
struct StepResult {
  double loss = 0, accuracy = 0, gradient_norm = 0;
  /// Of cells with curves; absent where a probe is not finite.
  std::optional<double> lipschitz = {}, smoothness = {};

  bool operator==(const StepResult&) const = default;
};

/// After the last step of an epoch, or of the cell.
struct EpochResult {
  std::size_t step = 0;                         ///< steps done
  double loss = 0, accuracy = 0, macro_f1 = 0;  ///< of the validation sentences

  bool operator==(const EpochResult&) const = default;
};

/// Where a cell stopped being finite, which ends it.
struct Divergence {
  std::size_t step = 0;  ///< from 1: the step that could not be taken
  std::string sentence;

  bool operator==(const Divergence&) const = default;
};

/// The sentence of a step that was refused, as the published results have it: with its clause, but
/// where a norm or the loss refuses, whose refusals had none when they were written.
std::string divergence_sentence(std::size_t step, const ref::numeric::ContractError& refusal);

/// A norm in its place, over the steps of a cell (norm_dynamics.hpp): each quantity by its name, a
/// number a step, absent where it has no meaning at that step.
struct SiteDynamics {
  std::string site;  ///< "layers.0.norm1"
  std::vector<std::pair<std::string, std::vector<std::optional<double>>>> series;
  std::vector<std::pair<std::string, double>> spreads;  ///< over the run

  /// A series by its name, or null.
  const std::vector<std::optional<double>>* find(std::string_view name) const {
    for (const auto& [own, values] : series)
      if (own == name) return &values;
    return nullptr;
  }

  bool operator==(const SiteDynamics&) const = default;
};

/// What a cell computed. Nothing in it depends on the machine, the time or the number of jobs.
struct CellResult {
  std::string name;         ///< cell_name
  std::string sha256;       ///< of the lines "<state_sha256>\n" after step 0, 1, ...
  std::string data_sha256;  ///< of training::data_json
  /// The L2 norm of each parameter's gradient at the initial state, first batch, without those of
  /// the norms; empty where they are not finite.
  std::vector<std::pair<std::string, double>> initial_gradients;
  std::vector<StepResult> steps;
  std::vector<EpochResult> epochs;
  std::vector<SiteDynamics> dynamics;  ///< of cells with dynamics
  std::optional<Divergence> diverged = {};

  bool operator==(const CellResult&) const = default;
};

/// One line of JSON, without the end of line; doubles in the shortest form that reads back to the
/// same bits.
std::string result_line(const CellResult& result);

/// Reads what result_line writes.
/// Throws    FileError naming `file`, which may say the line too, the key and the expectation
CellResult parse_result(std::string_view line, const std::string& file);

}  // namespace normproof::verification::studies::published
