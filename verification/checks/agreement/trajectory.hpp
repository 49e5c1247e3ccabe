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

/// Returns the name of the row of results for this task: "training", "training_language" or
/// "training_translation".
std::string row_name(TrainingTask task);

/// A training run (model, options, length) on random sentences drawn from the seed.
struct TrainingRun {
  TrainingTask task = TrainingTask::classes;
  ref::model::TrainConfig config;
  ref::model::DecoderConfig translator = {};  ///< for translation, instead of config.encoder
  std::size_t batch_size = 8;
  std::size_t seq_len = 12;  ///< of the source; the target has one token less
  std::int64_t steps = 10;
};

/// Returns the batch with the number `step`: tokens and labels drawn from the seed. The sentences
/// have different lengths and are padded.
ref::train::LabelledBatch draw_labelled_batch(const TrainingRun& trajectory, std::int64_t step);
/// Return the batch with the number `step` for a language model or a translator. Each real token
/// has a random target.
ref::train::TextBatch draw_text_batch(const TrainingRun& trajectory, std::int64_t step);
ref::train::PairBatch draw_pair_batch(const TrainingRun& trajectory, std::int64_t step);

/// Runs a training run with ref and returns train::state_sha256 of the final state. Calls
/// `seen(step, loss)` after each step.
std::string run_training_on_ref(const TrainingRun& trajectory,
                                const std::function<void(std::int64_t, double)>& seen);
/// Runs a training run on a device and returns train::state_sha256 of the final state. Calls
/// `seen(step, loss)` after each step.
std::string run_training_on_device(
    gpu::device::Device& device, const TrainingRun& trajectory,
    const std::function<void(std::int64_t, double)>& seen,
    const gpu::ops::Products& products = gpu::ops::ordered_products());

/// Runs a training run with ref and on a device. Compares the loss and the gradient norms at each
/// step, and the parameters and the state of the norms after the last step.
void compare_trajectory(gpu::device::Device& device, const TrainingRun& trajectory,
                        std::string_view case_name, Rows& rows);

/// Calls `take(name, run)` with short training runs of a task, with every norm. The runs have
/// pre-norm and post-norm, SGD and Adam, one or several batches per step, with or without smoothed
/// labels and clipped gradients. Classifiers are causal or not. Language models and translators
/// have tied or untied heads.
void for_each_training(std::uint64_t seed, TrainingTask task,
                       const std::function<void(const std::string&, const TrainingRun&)>& take);

/// Calls compare_trajectory for each run of for_each_training.
void compare_training(gpu::device::Device& device, std::uint64_t seed, TrainingTask task,
                      Rows& rows);

}  // namespace normproof::verification::checks::agreement
