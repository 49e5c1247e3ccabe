#include "verification/training/translate_task.hpp"

#include <algorithm>
#include <span>

#include "ref/numeric/elementary.hpp"
#include "ref/numeric/errors.hpp"
#include "verification/training/translator.hpp"

namespace normproof::verification::training {

namespace train = ref::train;

TranslateTask::TranslateTask(const RunConfig& config, const PairData& data)
    : config_(config),
      data_(data),
      training_(translation_config(config, data.words)),
      validation_(make_pairs_in_order(data.text.validation, data.words, config)) {}

std::string TranslateTask::data_json(const std::string& weights_sha256) const {
  if (!weights_sha256.empty())
    ref::numeric::contract_failure("TranslateTask", "weights", "are given",
                                   "none: a translator begins with random ones",
                                   ref::numeric::Clause::C1);
  return pairs_json(data_);
}

train::TrainState<double> TranslateTask::initial_state() const {
  return train::initial_translation_state(training_);
}

std::size_t TranslateTask::steps_per_epoch() const {
  const auto each = static_cast<std::size_t>(config_.train.accumulation);
  const std::size_t batches = (data_.text.training.source.size() - 1) / config_.batch_size + 1;
  return (batches - 1) / each + 1;
}

void TranslateTask::begin_epoch(std::uint64_t epoch) {
  epoch_ = pair_batches(data_, config_, epoch);
}

TaskStepResult TranslateTask::step(std::size_t k, train::TrainState<double>& state,
                                   const ref::encoder::TensorTap<double>& tap) const {
  const auto each = static_cast<std::size_t>(config_.train.accumulation);
  const auto rest = std::span<const train::PairBatch>(epoch_).subspan(k * each);
  TaskStepResult step{train::translation_step<double>(
                          training_, rest.first(std::min(each, rest.size())), state, tap),
                      {}};
  step.qualities = {{"perplexity", ref::numeric::exp(step.result.loss)}};
  return step;
}

TaskValidation TranslateTask::validate(train::TrainState<double>& state) const {
  const double loss = train::translation_loss<double>(training_, validation_, state);
  TaskValidation found{loss, {{"perplexity", ref::numeric::exp(loss)}}};
  const auto& [source, target] = data_.text.validation;
  const auto count =
      static_cast<std::ptrdiff_t>(std::min(config_.translation.bleu_pairs, source.size()));
  if (count == 0) return found;
  const auto translations =
      translate(config_, data_.words, state, {source.begin(), source.begin() + count});
  const Bleu bleu =
      corpus_bleu(translations, {target.begin(), target.begin() + count}, translation_tokenizer);
  found.qualities.emplace_back("bleu", bleu.score);
  return found;
}

}  // namespace normproof::verification::training
