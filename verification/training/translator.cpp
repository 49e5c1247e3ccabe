#include "verification/training/translator.hpp"

#include <memory>
#include <utility>

#include "ref/decoder/incremental_decoder.hpp"
#include "ref/numeric/parallel.hpp"
#include "verification/training/beam_search.hpp"

namespace normproof::verification::training {
namespace {

using ref::decoder::IncrementalDecoder;

/// The decoding state of one translation.
class TranslationState : public DecodingState {
 public:
  explicit TranslationState(IncrementalDecoder<double> decoder) : decoder_(std::move(decoder)) {}

  std::unique_ptr<DecodingState> fork() const override {
    return std::make_unique<TranslationState>(decoder_);
  }
  ref::tensor::Tensor<double> append(std::int32_t token) override { return decoder_.append(token); }

 private:
  IncrementalDecoder<double> decoder_;
};

}  // namespace

std::vector<std::string> translate(const RunConfig& config, const PairVocabularies& words,
                                   const ref::train::TrainState<double>& state,
                                   const std::vector<std::string>& sentences,
                                   const TranslationSearch& search) {
  const ref::model::DecoderConfig model = translation_config(config, words).model;
  const auto parameters = ref::decoder::from_named(model, state.parameters);
  const BeamOptions options{.begin = words.target.begin_id(),
                            .end = words.target.end_id(),
                            .width = search.width,
                            .length_penalty = search.length_penalty,
                            .max_length = config.translation.max_length};
  std::vector<std::string> translations(sentences.size());
  ref::numeric::parallel_for(sentences.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      std::vector<std::int32_t> source = words.source.encode(sentences[i]);
      if (source.empty()) continue;
      source.push_back(words.source.end_id());
      const TranslationState start(
          IncrementalDecoder<double>(model, parameters, state.norms, source));
      translations[i] = words.target.decode(beam_search(start, options).front().tokens);
    }
  });
  return translations;
}

}  // namespace normproof::verification::training
