#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "verification/training/run_config.hpp"

namespace normproof::verification::studies::language {

/// The size of a training run. A `quick` run takes about a second and is meant for generated data.
/// A `whole` run takes minutes and is meant for a real text or real sentence pairs.
enum class Size { quick, whole };

/// What the study measures on a trained model after validation. With `validation`, it measures
/// nothing more. With `test`, it measures the loss on the test data. With `dynamics`, it measures
/// statistics of the model's norms at every step (traced_task.hpp).
enum class RunPurpose { validation, test, dynamics };

/// A cell: one training run of the study. Training runs are independent of each other. The name of
/// a training run contains every setting on which it depends.
struct Cell {
  training::Task task = training::Task::language;
  ref::model::NormPlacement placement = ref::model::NormPlacement::pre;
  std::string norm = "layer_norm";     ///< one of study_norms(task)
  std::string learning_rate = "1e-2";  ///< in the form of studies::published::number_name
  std::uint64_t seed = 1;  ///< seed of the initial weights and of the order of the batches
  Size size = Size::whole;
  RunPurpose purpose = RunPurpose::validation;

  bool operator==(const Cell&) const = default;
};

/// Returns the tasks of the study. Code that depends on the task is in study_data.cpp.
const std::vector<training::Task>& study_tasks();

/// Returns the names of the norms that the study compares for a task. layer_norm is the first. The
/// list has the norms of the paper [SYG+20] and of its code, and also rms_norm and dyt. For
/// translators, which have an encoder and a decoder, the list also has kReleasedPlacement, which
/// names one norm for the encoder and another norm for the decoder.
const std::vector<std::string>& study_norms(training::Task task);

/// The norms of a translator in the code that the authors of [SYG+20] released, where they are
/// written `power power layer layer`. The name before the + is the norm of the encoder, and the
/// name after it is the norm of the decoder.
inline constexpr const char* kReleasedPlacement = "power_norm_released+layer_norm";

/// Splits a name of study_norms() into the norm of the encoder and the norm of the decoder. If the
/// name has no +, encoder and decoder have the same norm.
std::pair<std::string, std::string> split_norms_by_side(std::string_view norm);

/// Returns the name of the norm with which the study compares all others: the first of
/// study_norms().
inline const std::string& reference_norm() {
  return study_norms(training::Task::language).front();
}

/// Returns the learning rates that the study tries, in ascending order. They are the same for every
/// norm.
const std::vector<std::string>& study_rates();

/// Returns the number of training steps in which the learning rate rises to its maximum.
std::int64_t warmup_steps(const Cell& cell);

/// Returns the name of a training run, such as "language/pre/power_norm/rate-1e-2/seed-1". "/quick"
/// and "/test" or "/dynamics" are appended if they apply.
std::string cell_name(const Cell& cell);

/// Parses the name of a training run, as written by cell_name().
/// Throws    UsageError that names the invalid part. It suggests the nearest known name if there is
///           one, or the correct form of the name
Cell parse_cell(std::string_view name);

/// Returns the training configuration of a training run, as described in
/// docs/guide/study_language.md. It lacks the settings that depend on the data;
/// make_run_config_with_data() adds them.
/// Throws    UsageError if the rate is not a number, or the norm is unknown
training::RunConfig make_run_config(const Cell& cell);

}  // namespace normproof::verification::studies::language
