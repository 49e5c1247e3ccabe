#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "ref/decoder/incremental_decoder.hpp"
#include "ref/encoder/incremental_encoder.hpp"
#include "ref/numeric/parallel.hpp"
#include "ref/numeric/random.hpp"
#include "ref/train/language.hpp"
#include "ref/train/translation.hpp"

// Measures the time of a causal language model and of a translator. torch_sequences.py times the
// same models in PyTorch: pre-norm, 2 layers per side, 4 heads, d_ff = 4 d_model, LayerNorm, no
// dropout. Benchmark names are <what>-<d_model>-<vocabulary>/<threads>. `language` and `translate`
// are a training step with Adam. `complete` and `decode` generate one sentence token by token, with
// cached keys and values; each token is the most likely one.
namespace {

namespace model = normproof::ref::model;
namespace train = normproof::ref::train;
using normproof::ref::numeric::RandomStream;
using normproof::ref::tensor::Tensor;

/// Number of contexts, and number of characters in each context.
constexpr std::size_t kContexts = 32, kContext = 64;
/// Number of sentence pairs, and number of words in each source or target sentence.
constexpr std::size_t kPairs = 64, kWords = 16;

struct SequenceSize {
  std::size_t d_model, vocabulary;
};

normproof::ref::encoder::EncoderInputs random_tokens(const char* name, std::size_t batch,
                                                     std::size_t length, std::size_t vocabulary) {
  const RandomStream random(1, name);
  normproof::ref::encoder::EncoderInputs inputs{{batch, length, {}}, {}};
  for (std::size_t i = 0; i < batch * length; ++i)
    inputs.tokens.ids.push_back(static_cast<std::int32_t>(random.below(i, vocabulary)));
  return inputs;
}

std::vector<int> next_tokens(const model::Tokens& tokens) {
  std::vector<int> targets(tokens.ids.begin(), tokens.ids.end());
  std::rotate(targets.begin(), targets.begin() + 1, targets.end());
  return targets;
}

model::TrainConfig make_train_config(const SequenceSize& size) {
  model::TrainConfig config;
  model::EncoderConfig& encoder = config.encoder;
  encoder.vocab_size = encoder.num_classes = size.vocabulary;
  encoder.d_model = size.d_model;
  encoder.num_heads = 4;
  encoder.d_ff = 4 * size.d_model;
  encoder.num_layers = 2;
  encoder.placement = model::NormPlacement::pre;
  encoder.pooling = model::Pooling::per_position;
  encoder.causal = encoder.tied_head = true;
  encoder.dropout = 0;
  config.optimizer = model::AdamOptions{};
  config.learning_rate = 1e-3;
  return config;
}

train::TranslationConfig make_translator(const SequenceSize& size) {
  train::TranslationConfig config;
  config.training = make_train_config(size);
  config.model.source_vocab_size = config.model.target_vocab_size = size.vocabulary;
  config.model.d_model = size.d_model;
  config.model.encoder.d_ff = config.model.decoder.d_ff = 4 * size.d_model;
  config.model.placement = model::NormPlacement::pre;
  config.model.dropout = 0;
  config.model.tied_head = true;
  return config;
}

template <class Step>
void repeat(benchmark::State& state, Step step) {
  // The first steps are not timed, because they touch their memory for the first time. The
  // benchmark of PyTorch does the same.
  for (int i = 0; i < 2; ++i) step();
  for (auto _ : state) benchmark::DoNotOptimize(step());
}

void run_language(benchmark::State& state, const SequenceSize& size) {
  const model::TrainConfig config = make_train_config(size);
  train::TrainState<double> run = train::initial_train_state(config);
  train::TextBatch batch{random_tokens("text", kContexts, kContext, size.vocabulary), {}};
  batch.targets = next_tokens(batch.inputs.tokens);
  const std::vector<train::TextBatch> batches = {batch};
  repeat(state, [&] { return train::language_step<double>(config, batches, run).loss; });
}

void run_translate(benchmark::State& state, const SequenceSize& size) {
  const train::TranslationConfig config = make_translator(size);
  train::TrainState<double> run = train::initial_translation_state(config);
  train::PairBatch batch{{random_tokens("source", kPairs, kWords, size.vocabulary),
                          random_tokens("target", kPairs, kWords, size.vocabulary)},
                         {}};
  batch.targets = next_tokens(batch.inputs.target.tokens);
  const std::vector<train::PairBatch> batches = {batch};
  repeat(state, [&] { return train::translation_step<double>(config, batches, run).loss; });
}

std::int32_t most_likely_token(const Tensor<double>& logits) {
  return static_cast<std::int32_t>(std::max_element(logits.data(), logits.data() + logits.size()) -
                                   logits.data());
}

void run_complete(benchmark::State& state, const SequenceSize& size) {
  const model::TrainConfig config = make_train_config(size);
  const train::TrainState<double> run = train::initial_train_state(config);
  const auto parameters = normproof::ref::encoder::from_named(config.encoder, run.parameters);
  repeat(state, [&] {
    normproof::ref::encoder::IncrementalEncoder<double> incremental(config.encoder, parameters,
                                                                    run.norms);
    std::int32_t token = 1;
    for (std::size_t i = 0; i < kContext; ++i) token = most_likely_token(incremental.append(token));
    return token;
  });
}

void run_decode(benchmark::State& state, const SequenceSize& size) {
  const train::TranslationConfig config = make_translator(size);
  const train::TrainState<double> run = train::initial_translation_state(config);
  const auto parameters = normproof::ref::decoder::from_named(config.model, run.parameters);
  const auto source = random_tokens("source", 1, kWords, size.vocabulary).tokens.ids;
  repeat(state, [&] {
    normproof::ref::decoder::IncrementalDecoder<double> incremental(config.model, parameters,
                                                                    run.norms, source);
    std::int32_t token = 1;
    for (std::size_t i = 0; i < kWords; ++i) token = most_likely_token(incremental.append(token));
    return token;
  });
}

}  // namespace

int main(int argc, char** argv) {
  using Run = void (*)(benchmark::State&, const SequenceSize&);
  constexpr std::pair<const char*, Run> kRuns[] = {{"language", run_language},
                                                   {"translate", run_translate},
                                                   {"complete", run_complete},
                                                   {"decode", run_decode}};
  constexpr SequenceSize kSizes[] = {{64, 65}, {64, 4096}, {256, 4096}};
  for (const auto& [what, run] : kRuns)
    for (const SequenceSize& size : kSizes)
      for (const int threads : {1, 2})
        benchmark::RegisterBenchmark(
            fmt::format("{}-{}-{}/{}/", what, size.d_model, size.vocabulary, threads).c_str(),
            [=, run = run](benchmark::State& state) {
              normproof::ref::numeric::set_num_threads(threads);
              run(state, size);
            })
            ->Unit(benchmark::kMillisecond)
            ->UseRealTime();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
