#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "verification/training/run_config.hpp"

namespace normproof::verification::studies::language {

/// quick: about a second per cell, for made-up data; whole: minutes per cell, for a real text or
/// real pairs.
enum class Size { quick, whole };

/// What is done with the trained model besides validation: nothing more, one test, or a trace of
/// its norms (traced_task.hpp).
enum class Purpose { validation, test, dynamics };

/// One training run of the study. Runs are independent of each other, and a run's name lists
/// everything it depends on.
struct Cell {
  training::Task task = training::Task::language;
  ref::model::NormPlacement placement = ref::model::NormPlacement::pre;
  std::string norm = "layer_norm";     ///< one of study_norms(task)
  std::string learning_rate = "1e-2";  ///< as studies::published::number_name writes it
  std::uint64_t seed = 1;              ///< seed of the weights and the order of the batches
  Size size = Size::whole;
  Purpose purpose = Purpose::validation;

  bool operator==(const Cell&) const = default;
};

/// Returns the tasks of the study. study_data.cpp has everything that depends on the task.
const std::vector<training::Task>& study_tasks();

/// Returns the norms of a task: layer_norm first, then the others of the paper and its code,
/// rms_norm and dyt; for translators, which have two sides, also kReleasedPlacement.
const std::vector<std::string>& study_norms(training::Task task);

/// The norms of a translator in the released code (`power power layer layer`): that of the encoder,
/// then, after the +, that of the decoder.
inline constexpr const char* kReleasedPlacement = "power_norm_released+layer_norm";

/// Returns the norms of encoder and decoder for a name of study_norms. They are equal unless the
/// name has a +.
std::pair<std::string, std::string> norms_by_side(std::string_view norm);

/// Returns the norm that the others are compared with, the first of study_norms.
inline const std::string& reference_norm() {
  return study_norms(training::Task::language).front();
}

/// Returns the learning rates to choose from, ascending; they are the same for every norm.
const std::vector<std::string>& study_rates();

/// Returns the number of steps in which the learning rate rises to its peak.
std::int64_t warmup_steps(const Cell& cell);

/// Returns the name of a cell, such as "language/pre/power_norm/rate-1e-2/seed-1", with "/quick"
/// and then "/test" or "/dynamics" appended if they apply.
std::string cell_name(const Cell& cell);

/// Parses a name written by cell_name.
/// Throws    UsageError naming the part, with the nearest known name if there is one, or the name
///           that the cell should have
Cell parse_cell(std::string_view name);

/// Returns the training configuration of a cell, as described in docs/guide/study_language.md.
/// config_for adds what depends on the data.
/// Throws    UsageError if the rate is not a number, or the norm is unknown
training::RunConfig config_of(const Cell& cell);

}  // namespace normproof::verification::studies::language
