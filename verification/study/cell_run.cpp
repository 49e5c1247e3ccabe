#include "verification/study/cell_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ref/io/sha256.hpp"
#include "verification/study/curves.hpp"
#include "verification/study/norm_dynamics.hpp"
#include "verification/study/targets.hpp"
#include "verification/training/classification.hpp"
#include "verification/training/run.hpp"

namespace normproof::verification::study {

namespace model = ref::model;
namespace train = ref::train;
using ref::tensor::Tensor;
using train::LabelledBatch;

namespace {

using Norms = std::vector<std::pair<std::string, double>>;

/// Of the parameters that are no norm's, the embedding first.
Norms without_norms(const Norms& norms) {
  Norms own;
  for (const auto& [name, norm] : norms) {
    if (name.ends_with(".gamma") || name.ends_with(".beta")) continue;
    own.insert(name.starts_with("embedding") ? own.begin() : own.end(), {name, norm});
  }
  return own;
}

/// The largest of the probes, or nothing where one is not finite.
std::optional<double> largest_of(const std::vector<Probe<double>>& probes,
                                 double Probe<double>::*member) {
  double most = 0;
  for (const Probe<double>& probe : probes) {
    if (!std::isfinite(probe.*member)) return std::nullopt;
    most = std::max(most, probe.*member);
  }
  return most;
}

/// One cell, step after step.
class CellRun {
 public:
  CellRun(const Cell& cell, const training::Dataset& data, const CellOptions& options)
      : cell_(cell), data_(data), options_(options), config_(config_of(cell)) {
    config_.train.encoder.vocab_size = data.vocab_size;
    weights_ = training::class_weights(data, config_);
    state_ = train::initial_train_state(config_.train);
    result_.name = cell_name(cell);
    result_.data_sha256 = ref::io::sha256(training::data_json(data));
    validation_ = with_targets(training::validation_batches(data, config_));
    if (cell.dynamics) dynamics_.emplace(config_.train.encoder);
  }

  CellResult go() {
    add_state();
    const std::size_t each = training::steps_of_epoch(data_, config_);
    if (cell_.steps == 0) {
      batches_ = with_targets(training::training_batches(data_, config_, 0));
      caught([&] { measure_initial_gradients(); });
    }
    for (std::size_t step = 0; step < cell_.steps; ++step) {
      const std::size_t k = step % each;
      if (k == 0) batches_ = with_targets(training::training_batches(data_, config_, step / each));
      if (!caught([&] { take_step(k); })) break;
      if (options_.after_step)
        options_.after_step({step + 1, cell_.steps, result_.steps.back().loss});
      const bool last = k + 1 == each || step + 1 == cell_.steps;
      if (last && !caught([&] { validate(); })) break;
    }
    if (dynamics_) result_.dynamics = dynamics_->result();
    result_.sha256 = ref::io::sha256(trajectory_);
    return std::move(result_);
  }

 private:
  /// Whether f ended; else what was not finite ends the cell.
  template <class F>
  bool caught(F f) {
    try {
      f();
      return true;
    } catch (const ref::numeric::ContractError& error) {
      const auto step = static_cast<std::size_t>(state_.step) + 1;
      try {
        training::step_failure(step, std::nullopt, error);
      } catch (const training::RunFailure& failure) {
        result_.diverged = {step, failure.what()};
      }
      return false;
    }
  }

  std::vector<LabelledBatch> with_targets(std::vector<LabelledBatch> batches) const {
    if (cell_.protocol.misaligned_labels)
      for (LabelledBatch& batch : batches)
        batch.targets = misaligned_targets(batch, config_.train.encoder.mask_padding);
    return batches;
  }

  void add_state() { trajectory_ += fmt::format("{}\n", train::state_sha256(state_)); }

  void measure_initial_gradients() {
    const auto batch = training::batches_of_step(batches_, config_, 0);
    const auto found = train::loss_gradient<double>(config_.train, batch, weights_, state_);
    result_.initial_gradients = without_norms(train::gradient_norms(found.gradients).of_tensors);
  }

  /// Step k of an epoch.
  void take_step(std::size_t k) {
    const auto batch = training::batches_of_step(batches_, config_, k);
    const auto mode =
        cell_.protocol.inference_stays_on && k > 0 ? model::Mode::inference : model::Mode::training;
    StepResult step;
    if (cell_.curves) probe(batch, mode, step);
    std::optional<train::TrainState<double>> before;
    ref::encoder::Tap<double> tap;
    if (dynamics_) {
      before = state_;
      tap = dynamics_->begin_step(*before, batch[0].inputs.valid);
    }
    const auto found = train::train_step<double>(config_.train, batch, weights_, state_, tap, mode);
    if (dynamics_) dynamics_->end_step(state_);
    if (state_.step == 1)
      result_.initial_gradients = without_norms(found.gradient_norms.of_tensors);
    step.loss = found.loss;
    step.accuracy =
        training::classify(found.predictions, batch[0].labels, config_.train.encoder.num_classes)
            .accuracy;
    step.gradient_norm = found.gradient_norms.whole;
    result_.steps.push_back(step);
    add_state();
  }

  void probe(std::span<const LabelledBatch> batch, model::Mode mode, StepResult& step) {
    try {
      const auto probes = probe_loss<double>({config_.train, batch, mode}, weights_, state_,
                                             cell_.protocol.consecutive_probes);
      step.lipschitz = largest_of(probes, &Probe<double>::loss_change);
      step.smoothness = largest_of(probes, &Probe<double>::gradient_change);
    } catch (const ref::numeric::ContractError&) {
      // A probe is not finite: the step says whether the cell is.
    }
  }

  void validate() {
    const auto found = train::evaluate<double>(config_.train, validation_, weights_, state_);
    const training::Classification quality = training::classify(
        found.predictions, data_.validation.labels, config_.train.encoder.num_classes);
    result_.epochs.push_back(
        {static_cast<std::size_t>(state_.step), found.loss, quality.accuracy, quality.macro_f1});
  }

  const Cell& cell_;
  const training::Dataset& data_;
  const CellOptions& options_;
  training::RunConfig config_;
  Tensor<double> weights_;
  train::TrainState<double> state_;
  std::vector<LabelledBatch> batches_, validation_;
  std::optional<NormDynamics> dynamics_;
  std::string trajectory_;
  CellResult result_;
};

}  // namespace

CellResult run_cell(const Cell& cell, const training::Dataset& data, const CellOptions& options) {
  return CellRun(cell, data, options).go();
}

}  // namespace normproof::verification::study
