#include "verification/training/classify_task.hpp"

namespace normproof::verification::training {

namespace train = ref::train;

namespace {

Qualities step_qualities(const Classification& quality) {
  return {{"accuracy", quality.accuracy}, {"macro_f1", quality.macro_f1}};
}

}  // namespace

ClassifyTask::ClassifyTask(const RunConfig& config, const Dataset& data)
    : config_(config),
      data_(data),
      weights_(class_weights(data, config)),
      validation_(validation_batches(data, config)) {}

std::string ClassifyTask::data_json(const std::string& weights_sha256) const {
  return training::data_json(data_, weights_sha256);
}

train::TrainState<double> ClassifyTask::initial_state() const {
  return train::initial_train_state(config_.train);
}

std::size_t ClassifyTask::steps_per_epoch() const {
  return training::steps_per_epoch(data_, config_);
}

void ClassifyTask::begin_epoch(std::uint64_t epoch) {
  epoch_ = training_batches(data_, config_, epoch);
}

TaskStepResult ClassifyTask::step(std::size_t k, train::TrainState<double>& state,
                                  const ref::encoder::TensorTap<double>& tap) const {
  const auto used = select_step_batches(epoch_, config_, k);
  TaskStepResult step{train::train_step<double>(config_.train, used, weights_, state, tap), {}};
  std::vector<int> labels;
  for (const train::LabelledBatch& batch : used)
    labels.insert(labels.end(), batch.labels.begin(), batch.labels.end());
  step.qualities =
      step_qualities(classify(step.result.predictions, labels, config_.train.encoder.num_classes));
  return step;
}

TaskValidation ClassifyTask::validate(train::TrainState<double>& state) const {
  const auto result = train::evaluate<double>(config_.train, validation_, weights_, state);
  return {result.loss, step_qualities(classify(result.predictions, data_.validation.labels,
                                               config_.train.encoder.num_classes))};
}

}  // namespace normproof::verification::training
