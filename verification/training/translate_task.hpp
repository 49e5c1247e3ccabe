#pragma once

#include "verification/training/bleu.hpp"
#include "verification/training/pair_data.hpp"
#include "verification/training/run_task.hpp"

namespace normproof::verification::training {

/// How BLEU of translations is counted: words of the corpora have spaces between, and <unk> is one.
inline constexpr BleuTokenizer translation_tokenizer = BleuTokenizer::none;

/// The translation of a sentence. Qualities: perplexity, exp(loss), of a step that of its loss,
/// label smoothing included; validated, bleu too, of the greedy translations of the first
/// translation.bleu_pairs pairs.
class TranslateTask : public RunTask {
 public:
  /// Both have to stay.
  TranslateTask(const RunConfig& config, const PairData& data);

  /// Requires  (C1) weights_sha256 is empty: a translator begins with random weights
  std::string data_json(const std::string& weights_sha256) const override;
  ref::train::TrainState<double> initial_state() const override;
  std::size_t steps_of_epoch() const override;
  void begin_epoch(std::uint64_t epoch) override;
  TaskStep step(std::size_t k, ref::train::TrainState<double>& state,
                const ref::encoder::Tap<double>& tap) const override;
  TaskValidation validate(ref::train::TrainState<double>& state) const override;

 private:
  const RunConfig& config_;
  const PairData& data_;
  const ref::translation::TranslationConfig training_;
  std::vector<ref::translation::PairBatch> epoch_, validation_;
};

}  // namespace normproof::verification::training
