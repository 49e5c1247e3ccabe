#include "verification/training/language_task.hpp"

#include <algorithm>
#include <span>

#include "ref/data/contexts.hpp"
#include "ref/numeric/elementary.hpp"
#include "ref/numeric/errors.hpp"

namespace normproof::verification::training {

namespace train = ref::train;

Qualities language_qualities(double loss) {
  return {{"perplexity", ref::numeric::exp(loss)},
          {"bits_per_character", loss / ref::numeric::log(2.0)}};
}

LanguageTask::LanguageTask(const RunConfig& config, const TextData& data)
    : config_(config), data_(data), validation_(make_batches_in_order(data.validation, config)) {}

std::string LanguageTask::data_json(const std::string& weights_sha256) const {
  if (!weights_sha256.empty())
    ref::numeric::contract_failure("LanguageTask", "weights", "are given",
                                   "none: a language model begins with random ones",
                                   ref::numeric::Clause::C1);
  return text_json(data_);
}

train::TrainState<double> LanguageTask::initial_state() const {
  return train::initial_train_state(config_.train);
}

std::size_t LanguageTask::steps_per_epoch() const {
  const std::size_t batches = ref::data::count_context_batches(
      data_.training.size(), {.length = config_.context, .batch_size = config_.batch_size});
  const auto each = static_cast<std::size_t>(config_.train.accumulation);
  return (batches + each - 1) / each;
}

void LanguageTask::begin_epoch(std::uint64_t epoch) {
  epoch_ = text_batches(data_, config_, epoch);
}

TaskStepResult LanguageTask::step(std::size_t k, train::TrainState<double>& state,
                                  const ref::encoder::TensorTap<double>& tap) const {
  const auto each = static_cast<std::size_t>(config_.train.accumulation);
  const auto rest = std::span<const train::TextBatch>(epoch_).subspan(k * each);
  TaskStepResult step{train::language_step<double>(
                          config_.train, rest.first(std::min(each, rest.size())), state, tap),
                      {}};
  step.qualities = language_qualities(step.result.loss);
  return step;
}

TaskValidation LanguageTask::validate(train::TrainState<double>& state) const {
  const double loss = train::language_loss<double>(config_.train, validation_, state);
  return {loss, language_qualities(loss)};
}

}  // namespace normproof::verification::training
