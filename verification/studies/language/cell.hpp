#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "verification/training/run_config.hpp"

namespace normproof::verification::studies::language {

/// quick: a second a cell, for what is made up; whole: minutes a cell, for a real text or pairs.
enum class Size { quick, whole };

/// What is trained is validated alone, tested once besides, or traced at its norms
/// (traced_task.hpp).
enum class Purpose { validation, test, dynamics };

/// One run of the study: independent of every other, and named by what it depends on.
struct Cell {
  training::Task task = training::Task::language;
  ref::model::NormPlacement placement = ref::model::NormPlacement::pre;
  std::string norm = "layer_norm";     ///< of study_norms(task)
  std::string learning_rate = "1e-2";  ///< as studies::published::number_name writes it
  std::uint64_t seed = 1;              ///< of the weights and the order of the batches
  Size size = Size::whole;
  Purpose purpose = Purpose::validation;

  bool operator==(const Cell&) const = default;
};

/// What is trained in the study; study_data.cpp has what each of them needs.
const std::vector<training::Task>& study_tasks();

/// layer_norm first, then the others of the paper and its code, rms_norm and dyt; of a translator,
/// which has two sides, kReleasedPlacement too.
const std::vector<std::string>& study_norms(training::Task task);

/// The norm of the encoder and, behind the +, that of the decoder: `power power layer layer` of the
/// released code.
inline constexpr const char* kReleasedPlacement = "power_norm_released+layer_norm";

/// The norms of encoder and decoder that a name of study_norms stands for, the same one unless it
/// has a +.
std::pair<std::string, std::string> sides_of(std::string_view norm);

/// What the others are set beside: the first of study_norms.
inline const std::string& reference_norm() {
  return study_norms(training::Task::language).front();
}

/// The learning rates among which one is chosen, ascending; the same for every norm.
const std::vector<std::string>& study_rates();

/// Steps in which the learning rate rises to its peak.
std::int64_t warmup_steps(const Cell& cell);

/// "language/pre/power_norm/rate-1e-2/seed-1", then "/quick", and "/test" or "/dynamics", where it
/// is so.
std::string cell_name(const Cell& cell);

/// Reads what cell_name writes.
/// Throws    UsageError naming the part, with the nearest known name where there is one, or the one
///           name that the cell has
Cell parse_cell(std::string_view name);

/// What is trained, by docs/guide/study_language.md; config_for adds what the data say.
/// Throws    UsageError where the rate is no number, or the norm is not known
training::RunConfig config_of(const Cell& cell);

}  // namespace normproof::verification::studies::language
