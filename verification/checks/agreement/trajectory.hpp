#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "gpu/ops/products.hpp"
#include "ref/train/language.hpp"
#include "ref/train/translation.hpp"
#include "verification/checks/agreement/row.hpp"

namespace normproof::verification::checks::agreement {

/// The task of a training run: classification of sentences, next-token prediction, or translation.
enum class TrainingTask { classes, language, translation };
inline constexpr std::array kTrainingTasks = {TrainingTask::classes, TrainingTask::language,
                                              TrainingTask::translation};

/// Returns the row of its runs: "training", "training_language", "training_translation".
std::string row_name(TrainingTask task);

/// A training run on random sentences drawn from the seed.
struct Trajectory {
  TrainingTask task = TrainingTask::classes;
  ref::model::TrainConfig config;
  ref::model::DecoderConfig translator = {};  ///< for translation, instead of config.encoder
  std::size_t batch_size = 8;
  std::size_t seq_len = 12;  ///< of the source; the target is shorter by one
  std::int64_t steps = 10;
};

/// Returns the batch with this number: tokens and labels drawn from the seed, with sentences of
/// different lengths and padding.
ref::train::LabelledBatch labelled_batch(const Trajectory& trajectory, std::int64_t step);
/// Returns the batch of a language model or a translator. Each real token has a random target.
ref::train::TextBatch text_batch(const Trajectory& trajectory, std::int64_t step);
ref::train::PairBatch pair_batch(const Trajectory& trajectory, std::int64_t step);

/// Runs with ref. Calls `seen(step, loss)` after each step. Returns train::state_sha256 after the
/// last one.
std::string run_trajectory_on_ref(const Trajectory& trajectory,
                                  const std::function<void(std::int64_t, double)>& seen);
/// Runs on a device. Calls `seen(step, loss)` after each step. Returns train::state_sha256 after
/// the last one.
std::string run_trajectory_on_device(
    gpu::device::Device& device, const Trajectory& trajectory,
    const std::function<void(std::int64_t, double)>& seen,
    const gpu::ops::Products& products = gpu::ops::ordered_products());

/// Runs both side by side. Compares loss and gradient norms at each step, and the parameters and
/// the state of the norms after the last step.
void agree_on_trajectory(gpu::device::Device& device, const Trajectory& trajectory,
                         std::string_view case_name, Rows& rows);

/// Calls `take` with runs of a few steps for a task, with every norm: both placements, SGD and
/// Adam, one and several batches per step, with and without smoothed labels and clipped gradients;
/// for classes, causal or not; for the other tasks, with tied and untied heads.
void for_each_training(std::uint64_t seed, TrainingTask task,
                       const std::function<void(const std::string&, const Trajectory&)>& take);

/// Calls agree_on_trajectory for each run.
void agree_on_training(gpu::device::Device& device, std::uint64_t seed, TrainingTask task,
                       Rows& rows);

}  // namespace normproof::verification::checks::agreement
