#include "verification/studies/language/device_task.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "ref/numeric/elementary.hpp"
#include "ref/numeric/errors.hpp"
#include "verification/checks/agreement/device_state.hpp"
#include "verification/training/language_task.hpp"

namespace normproof::verification::studies::language {

namespace train = ref::train;
using training::Task;

namespace {

/// Returns the batches of training step k, which are `each` consecutive batches. The last step has
/// the batches that remain, which may be fewer.
template <class Batch>
std::span<const Batch> select_step_batches(const std::vector<Batch>& epoch, std::size_t each,
                                           std::size_t k) {
  const auto rest = std::span<const Batch>(epoch).subspan(k * each);
  return rest.first(std::min(each, rest.size()));
}

/// Whether the tap requests every tensor of the step, rather than only statistics of norms.
bool requests_all_tensors(const ref::encoder::TensorTap<double>& tap) {
  return tap.requests("loss");
}

void pass_statistics_to_tap(const gpu::train::StepResult& found,
                            const ref::encoder::TensorTap<double>& tap) {
  for (const auto& of_batch : found.statistics)
    for (const auto& [name, values] : of_batch)
      if (tap.requests(name)) tap(name, download(values));
}

}  // namespace

void DeviceTask::begin_epoch(std::uint64_t epoch) {
  task_.begin_epoch(epoch);
  if (config_.task == Task::translate)
    pairs_ = training::pair_batches(data_.pairs.value(), config_, epoch);
  else
    texts_ = training::text_batches(data_.text.value(), config_, epoch);
}

training::TaskStepResult DeviceTask::step(std::size_t k, train::TrainState<double>& state,
                                          const ref::encoder::TensorTap<double>& tap) const {
  if (requests_all_tensors(tap)) return task_.step(k, state, tap);
  const auto each = static_cast<std::size_t>(config_.train.accumulation);
  const bool is_translation = config_.task == Task::translate;
  gpu::train::TrainState there = checks::agreement::on_device(device_, state);
  gpu::train::StepResult found;
  try {
    if (is_translation) {
      const auto config = training::translation_config(config_, data_.pairs.value().words);
      const auto batches =
          checks::agreement::on_device(device_, select_step_batches(pairs_, each, k));
      found = gpu::train::translation_step({config.model, config.training}, batches, there);
    } else {
      const auto batches =
          checks::agreement::on_device(device_, select_step_batches(texts_, each, k));
      found = gpu::train::language_step(config_.train, batches, there);
    }
  } catch (const ref::numeric::ContractError&) {
    return task_.step(k, state, tap);  // The CPU repeats the step and reports the error.
  }
  pass_statistics_to_tap(found, tap);
  state = checks::agreement::copy_to_host(there);
  training::TaskStepResult step{
      {found.loss,
       {},
       {std::move(found.gradient_norms.per_tensor), found.gradient_norms.whole},
       found.learning_rate},
      {}};
  if (is_translation)
    step.qualities = {{"perplexity", ref::numeric::exp(found.loss)}};
  else
    step.qualities = training::language_qualities(found.loss);
  return step;
}

}  // namespace normproof::verification::studies::language
