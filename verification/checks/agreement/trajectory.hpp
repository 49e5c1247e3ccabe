#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "gpu/ops/products.hpp"
#include "ref/train/language.hpp"
#include "ref/translation/translation.hpp"
#include "verification/checks/agreement/row.hpp"

namespace normproof::verification::checks::agreement {

/// What a run is trained for: classes of sentences, the tokens that follow, or translations.
enum class Trained { classes, language, translation };
inline constexpr std::array kTrained = {Trained::classes, Trained::language, Trained::translation};

/// The row of its runs: "training", "training_language", "training_translation".
std::string row_of(Trained task);

/// A run of training on sentences drawn from the seed.
struct Trajectory {
  Trained task = Trained::classes;
  ref::model::TrainConfig config;
  ref::model::DecoderConfig translator = {};  ///< of translations, in place of config.encoder
  std::size_t batch_size = 8;
  std::size_t seq_len = 12;  ///< of a source; a target is one shorter
  std::int64_t steps = 10;
};

/// The batch of a number: tokens and labels of the seed, each sentence with padding behind a length
/// of its own.
ref::train::LabelledBatch batch_of(const Trajectory& trajectory, std::int64_t step);
/// The same of a language model and of a translator: each real token has a target, drawn too.
ref::train::TextBatch text_of(const Trajectory& trajectory, std::int64_t step);
ref::translation::PairBatch pairs_of(const Trajectory& trajectory, std::int64_t step);

/// train::state_sha256 after the last step, by ref; `seen(step, loss)` after each.
std::string trajectory_of_ref(const Trajectory& trajectory,
                              const std::function<void(std::int64_t, double)>& seen);
/// train::state_sha256 after the last step, on a device; `seen(step, loss)` after each.
std::string trajectory_of_device(gpu::device::Device& device, const Trajectory& trajectory,
                                 const std::function<void(std::int64_t, double)>& seen,
                                 const gpu::ops::Products& products = gpu::ops::ordered_products());

/// Runs both side by side, and compares loss and gradient norms at each step, parameters and the
/// state of the norms after the last.
void agree_on_trajectory(gpu::device::Device& device, const Trajectory& trajectory,
                         std::string_view case_name, Rows& rows);

/// Runs of some steps for a task with every norm: either placement, SGD and Adam, one batch a step
/// and several, labels smoothed and gradients clipped or not; of classes causal or not, of the
/// others with a tied head or not.
void for_each_training(std::uint64_t seed, Trained task,
                       const std::function<void(const std::string&, const Trajectory&)>& take);

/// agree_on_trajectory of each.
void agree_on_training(gpu::device::Device& device, std::uint64_t seed, Trained task, Rows& rows);

}  // namespace normproof::verification::checks::agreement
