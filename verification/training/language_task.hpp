#pragma once

#include "verification/training/run_task.hpp"
#include "verification/training/text_data.hpp"

namespace normproof::verification::training {

/// Returns the quality measures that follow from a mean loss per character: perplexity = exp(loss)
/// and bits_per_character = loss / log 2.
Qualities language_qualities(double loss);

/// The task of predicting the next character of a text. Its quality measures are perplexity and
/// bits_per_character. In a training step, they are computed from the loss with label smoothing.
class LanguageTask : public RunTask {
 public:
  /// Keeps references to both arguments, which must outlive the task.
  LanguageTask(const RunConfig& config, const TextData& data);

  /// Returns a JSON text that describes the training text.
  /// Requires  (C1) weights_sha256 is empty: a language model begins with random weights
  std::string data_json(const std::string& weights_sha256) const override;
  ref::train::TrainState<double> initial_state() const override;
  std::size_t steps_per_epoch() const override;
  void begin_epoch(std::uint64_t epoch) override;
  TaskStepResult step(std::size_t k, ref::train::TrainState<double>& state,
                      const ref::encoder::TensorTap<double>& tap) const override;
  TaskValidation validate(ref::train::TrainState<double>& state) const override;

 private:
  const RunConfig& config_;
  const TextData& data_;
  std::vector<ref::train::TextBatch> epoch_, validation_;
};

}  // namespace normproof::verification::training
