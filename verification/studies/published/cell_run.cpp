#include "verification/studies/published/cell_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "ref/io/sha256.hpp"
#include "verification/studies/published/curves.hpp"
#include "verification/studies/published/device_learner.hpp"
#include "verification/studies/published/norm_dynamics.hpp"
#include "verification/studies/published/targets.hpp"
#include "verification/training/classification.hpp"
#include "verification/training/run.hpp"

namespace normproof::verification::studies::published {

namespace model = ref::model;
namespace train = ref::train;
using train::LabelledBatch;

namespace {

using Norms = std::vector<std::pair<std::string, double>>;

/// Returns the gradient norms of all parameters except the parameters of norm layers. The embedding
/// comes first.
Norms exclude_norm_layers(const ref::encoder::EncoderConfig& config, const Norms& norms) {
  Norms own;
  for (const auto& [name, norm] : norms) {
    if (ref::encoder::norm_parameter(config, name) != nullptr) continue;
    own.insert(name.starts_with("embedding") ? own.begin() : own.end(), {name, norm});
  }
  return own;
}

/// Returns the maximum of one member of Probe over all probes, or nothing if a value is not finite.
std::optional<double> max_over_probes(const std::vector<Probe<double>>& probes,
                                      double Probe<double>::*member) {
  double most = 0;
  for (const Probe<double>& probe : probes) {
    if (!std::isfinite(probe.*member)) return std::nullopt;
    most = std::max(most, probe.*member);
  }
  return most;
}

/// Executes one training run of the study, step by step.
class CellRun {
 public:
  CellRun(const Cell& cell, const training::Dataset& data, const CellOptions& options)
      : cell_(cell), data_(data), options_(options), config_(make_run_config(cell)) {
    config_.train.encoder.vocab_size = data.vocab_size;
    const auto weights = training::class_weights(data, config_);
    learner_ = options.device == nullptr || cell.dynamics
                   ? processor_learner(config_.train, weights)
                   : device_learner(*options.device, config_.train, weights);
    result_.name = cell_name(cell);
    result_.data_sha256 = ref::io::sha256(training::data_json(data));
    validation_ = set_targets(training::validation_batches(data, config_));
    learner_->set_validation(validation_);
    if (cell.dynamics) dynamics_.emplace(config_.train.encoder);
  }

  CellResult run() {
    append_state_hash();
    const std::size_t each = training::steps_per_epoch(data_, config_);
    if (cell_.steps == 0) {
      begin_epoch(0);
      run_or_record_divergence([&] { measure_initial_gradients(); });
    }
    for (std::size_t step = 0; step < cell_.steps; ++step) {
      const std::size_t k = step % each;
      if (k == 0) begin_epoch(step / each);
      if (!run_or_record_divergence([&] { take_step(k); })) break;
      if (options_.after_step)
        options_.after_step({step + 1, cell_.steps, result_.steps.back().loss});
      const bool last = k + 1 == each || step + 1 == cell_.steps;
      if (last && !run_or_record_divergence([&] { validate(); })) break;
    }
    if (dynamics_) result_.dynamics = dynamics_->result();
    result_.sha256 = ref::io::sha256(trajectory_);
    return std::move(result_);
  }

 private:
  /// Identifies the batches of one training step: `count` consecutive batches, beginning at index
  /// `first`.
  struct StepBatches {
    std::size_t first, count;
  };
  StepBatches select_batches(std::size_t k) const {
    const auto own = training::select_step_batches(batches_, config_, k);
    return {static_cast<std::size_t>(own.data() - batches_.data()), own.size()};
  }

  /// Calls `f` and returns true. If `f` fails because of a non-finite value, records that the
  /// training run diverged and returns false.
  template <class F>
  bool run_or_record_divergence(F f) {
    try {
      f();
      return true;
    } catch (const ref::numeric::ContractError& error) {
      const std::size_t step = steps_done() + 1;
      if (training::is_caused_by_settings(step, std::nullopt, error))
        training::throw_step_failure(config_, step, std::nullopt, error);
      result_.diverged = {step, divergence_sentence(step, error)};
      return false;
    }
  }

  std::vector<LabelledBatch> set_targets(std::vector<LabelledBatch> batches) const {
    if (cell_.protocol.misaligned_labels)
      for (LabelledBatch& batch : batches)
        batch.targets = misaligned_targets(batch, config_.train.encoder.mask_padding);
    return batches;
  }

  void begin_epoch(std::size_t epoch) {
    batches_ = set_targets(training::training_batches(data_, config_, epoch));
    learner_->set_batches(batches_);
  }

  std::size_t steps_done() const { return static_cast<std::size_t>(learner_->state().step); }

  void append_state_hash() {
    trajectory_ += fmt::format("{}\n", train::state_sha256(learner_->state()));
  }

  void measure_initial_gradients() {
    const StepBatches batches = select_batches(0);
    const auto found = learner_->loss_gradient(batches.first, batches.count, model::Mode::training,
                                               learner_->state());
    result_.initial_gradients = exclude_norm_layers(
        config_.train.encoder, train::gradient_norms(found.gradients).per_tensor);
  }

  /// Performs training step k of an epoch.
  void take_step(std::size_t k) {
    const StepBatches batches = select_batches(k);
    const LabelledBatch& batch = batches_[batches.first];
    const auto mode =
        cell_.protocol.inference_stays_on && k > 0 ? model::Mode::inference : model::Mode::training;
    StepResult step;
    if (cell_.curves) probe(batches, mode, step);
    std::optional<train::TrainState<double>> before;
    ref::encoder::TensorTap<double> tap;
    if (dynamics_) {
      before = learner_->state();
      tap = dynamics_->begin_step(*before, batch.inputs.valid);
    }
    const auto found = learner_->step(batches.first, batches.count, mode, tap);
    if (dynamics_) dynamics_->end_step(learner_->state());
    if (steps_done() == 1)
      result_.initial_gradients =
          exclude_norm_layers(config_.train.encoder, found.gradient_norms.per_tensor);
    step.loss = found.loss;
    step.accuracy =
        training::classify(found.predictions, batch.labels, config_.train.encoder.num_classes)
            .accuracy;
    step.gradient_norm = found.gradient_norms.whole;
    result_.steps.push_back(step);
    append_state_hash();
  }

  void probe(const StepBatches& batches, model::Mode mode, StepResult& step) {
    try {
      const auto probes = probe_loss<double>(
          [&](train::TrainState<double>& at) {
            return learner_->loss_gradient(batches.first, batches.count, mode, at);
          },
          config_.train.learning_rate, learner_->state(), cell_.protocol.consecutive_probes);
      step.lipschitz = max_over_probes(probes, &Probe<double>::loss_change);
      step.smoothness = max_over_probes(probes, &Probe<double>::gradient_change);
    } catch (const ref::numeric::ContractError&) {
      // If a probe is not finite, the values stay absent. Probes do not decide whether the training
      // run diverges; only its steps do.
    }
  }

  void validate() {
    const auto found = learner_->evaluate();
    const training::Classification quality = training::classify(
        found.predictions, data_.validation.labels, config_.train.encoder.num_classes);
    result_.epochs.push_back({steps_done(), found.loss, quality.accuracy, quality.macro_f1});
  }

  const Cell& cell_;
  const training::Dataset& data_;
  const CellOptions& options_;
  training::RunConfig config_;
  std::vector<LabelledBatch> batches_, validation_;
  std::unique_ptr<Learner> learner_;
  std::optional<NormDynamics> dynamics_;
  std::string trajectory_;
  CellResult result_;
};

}  // namespace

CellResult run_cell(const Cell& cell, const training::Dataset& data, const CellOptions& options) {
  return CellRun(cell, data, options).run();
}

}  // namespace normproof::verification::studies::published
