#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ref/numeric/errors.hpp"

namespace normproof::verification::studies::published {

/// Measurements of a training step, at the parameters before the step.
struct StepResult {
  double loss = 0, accuracy = 0, gradient_norm = 0;
  /// Lipschitz constant and smoothness, if curves are recorded. Absent if a probe is not finite.
  std::optional<double> lipschitz = {}, smoothness = {};

  bool operator==(const StepResult&) const = default;
};

/// Measurements on the validation sentences after an epoch, or after the last step of the training
/// run.
struct EpochResult {
  std::size_t step = 0;                         ///< number of completed steps
  double loss = 0, accuracy = 0, macro_f1 = 0;  ///< measured on the validation sentences

  bool operator==(const EpochResult&) const = default;
};

/// The step at which a value was not finite, which ended the training run.
struct Divergence {
  std::size_t step = 0;  ///< number of the step that failed, counted from 1
  std::string sentence;

  bool operator==(const Divergence&) const = default;
};

/// Returns the error message of a failed step, in the form that it has in published results. The
/// message includes the clause of the error, except for errors of norms and of the loss. Those
/// messages had no clause when the results were published.
std::string divergence_sentence(std::size_t step, const ref::numeric::ContractError& refusal);

/// The quantities of a norm layer over the steps of a training run (norm_dynamics.hpp). A quantity
/// has one number per step. The number is absent if the quantity is undefined in that step.
struct NormLayerDynamics {
  std::string site;  ///< name of the norm layer, such as "layers.0.norm1"
  std::vector<std::pair<std::string, std::vector<std::optional<double>>>> series;
  /// The numbers that norm_dynamics.hpp calls `spreads`. There is one pair of name and number per
  /// statistic, for the whole run.
  std::vector<std::pair<std::string, double>> spreads;

  /// Returns the numbers of a quantity, or null if there is no quantity of this name.
  const std::vector<std::optional<double>>* find(std::string_view name) const {
    for (const auto& [own, values] : series)
      if (own == name) return &values;
    return nullptr;
  }

  bool operator==(const NormLayerDynamics&) const = default;
};

/// The result of a training run. It does not depend on the machine, the time or the number of jobs.
struct CellResult {
  std::string name;  ///< name of the training run, as written by cell_name()
  /// The SHA-256 of a text that has one line "<state_sha256>\n" for each state: after step 0, after
  /// step 1, and so on.
  std::string sha256;
  std::string data_sha256;  ///< hash of training::data_json
  /// The L2 norm of the gradient of each parameter tensor, at the initial state on the first batch.
  /// Parameters of norms are left out. Empty if a gradient is not finite.
  std::vector<std::pair<std::string, double>> initial_gradients;
  std::vector<StepResult> steps;
  std::vector<EpochResult> epochs;
  std::vector<NormLayerDynamics> dynamics;  ///< one entry per norm layer, if dynamics are recorded
  std::optional<Divergence> diverged = {};

  bool operator==(const CellResult&) const = default;
};

/// Returns the result as one line of JSON without a line end. Doubles are written with the fewest
/// digits that read back to the same bits.
std::string result_line(const CellResult& result);

/// Parses a line that result_line() wrote.
/// Throws    FileError naming `file` (a name that may include the line number), the key and the
///           expectation
CellResult parse_result(std::string_view line, const std::string& file);

}  // namespace normproof::verification::studies::published
