#pragma once

#include "verification/training/bleu.hpp"
#include "verification/training/pair_data.hpp"
#include "verification/training/run_task.hpp"

namespace normproof::verification::training {

/// The tokenizer for the BLEU of translations. The words of the corpora are separated by spaces,
/// and <unk> counts as a word.
inline constexpr BleuTokenizer translation_tokenizer = BleuTokenizer::none;

/// The task of translating sentences. Its quality measures are perplexity = exp(loss) and, in
/// validation, bleu. The loss of a training step includes label smoothing. bleu is the BLEU of
/// greedy translations of the first validation pairs; their number is the setting
/// translation.bleu_pairs.
class TranslateTask : public RunTask {
 public:
  /// Keeps references to both arguments, which must outlive the task.
  TranslateTask(const RunConfig& config, const PairData& data);

  /// Returns a JSON text that describes the sentence pairs.
  /// Requires  (C1) weights_sha256 is empty: a translator begins with random weights
  std::string data_json(const std::string& weights_sha256) const override;
  ref::train::TrainState<double> initial_state() const override;
  std::size_t steps_per_epoch() const override;
  void begin_epoch(std::uint64_t epoch) override;
  TaskStepResult step(std::size_t k, ref::train::TrainState<double>& state,
                      const ref::encoder::TensorTap<double>& tap) const override;
  TaskValidation validate(ref::train::TrainState<double>& state) const override;

 private:
  const RunConfig& config_;
  const PairData& data_;
  const ref::train::TranslationConfig training_;
  std::vector<ref::train::PairBatch> epoch_, validation_;
};

}  // namespace normproof::verification::training
