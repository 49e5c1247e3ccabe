#pragma once

#include "verification/training/run_task.hpp"
#include "verification/training/text_data.hpp"

namespace normproof::verification::training {

/// perplexity, exp(loss), and bits_per_character, loss / log 2, of a mean loss a character.
Qualities language_qualities(double loss);

/// The next character of a text. Qualities: perplexity and bits_per_character, of a step those of
/// its loss, label smoothing included.
class LanguageTask : public RunTask {
 public:
  /// Both have to stay.
  LanguageTask(const RunConfig& config, const TextData& data);

  /// Requires  (C1) weights_sha256 is empty: a language model begins with random weights
  std::string data_json(const std::string& weights_sha256) const override;
  ref::train::TrainState<double> initial_state() const override;
  std::size_t steps_of_epoch() const override;
  void begin_epoch(std::uint64_t epoch) override;
  TaskStep step(std::size_t k, ref::train::TrainState<double>& state,
                const ref::encoder::Tap<double>& tap) const override;
  TaskValidation validate(ref::train::TrainState<double>& state) const override;

 private:
  const RunConfig& config_;
  const TextData& data_;
  std::vector<ref::train::TextBatch> epoch_, validation_;
};

}  // namespace normproof::verification::training
