#include <benchmark/benchmark.h>

#include <string>

#include "ref/numeric/parallel.hpp"
#include "ref/numeric/random.hpp"
#include "ref/train/trainer.hpp"

// One step of training at batch 32, sequence 64, vocabulary 30522, SGD, without dropout: names are
// <layers>x<d_model>-<activation>/<threads>. PyTorch's: torch_training.py.
namespace {

namespace model = normproof::ref::model;
namespace train = normproof::ref::train;

constexpr std::size_t kBatch = 32, kLength = 64, kVocabulary = 30522;

model::TrainConfig config_of(std::size_t layers, std::size_t d_model,
                             model::Activation activation) {
  model::TrainConfig config;
  config.encoder.vocab_size = kVocabulary;
  config.encoder.d_model = d_model;
  config.encoder.num_heads = 4;
  config.encoder.d_ff = 4 * d_model;
  config.encoder.num_layers = layers;
  config.encoder.activation = activation;
  config.encoder.dropout = 0;
  config.encoder.positions = false;
  config.learning_rate = 1e-3;
  return config;
}

train::LabelledBatch random_batch() {
  const normproof::ref::numeric::RandomStream random(1, "tokens");
  train::LabelledBatch batch{{{kBatch, kLength, {}}, {}}, {}};
  for (std::size_t i = 0; i < kBatch * kLength; ++i)
    batch.inputs.tokens.ids.push_back(static_cast<std::int32_t>(random.below(i, kVocabulary)));
  for (std::size_t b = 0; b < kBatch; ++b) batch.labels.push_back(static_cast<int>(b % 3));
  return batch;
}

void run_steps(benchmark::State& state, const model::TrainConfig& config, int threads) {
  normproof::ref::numeric::set_num_threads(threads);
  train::TrainState<double> run = train::initial_train_state(config);
  const std::vector<train::LabelledBatch> batches = {random_batch()};
  for (auto _ : state)
    benchmark::DoNotOptimize(train::train_step<double>(config, batches, {}, run).loss);
}

}  // namespace

int main(int argc, char** argv) {
  for (const std::size_t layers : {1, 5})
    for (const std::size_t d_model : {64, 128, 256})
      for (const auto& [name, activation] :
           {std::pair{"relu", model::Activation::relu}, std::pair{"gelu", model::Activation::gelu}})
        for (const int threads : {1, 2}) {
          const std::string full = std::to_string(layers) + "x" + std::to_string(d_model) + "-" +
                                   name + "/" + std::to_string(threads) + "/";
          const model::TrainConfig config = config_of(layers, d_model, activation);
          benchmark::RegisterBenchmark(
              full.c_str(), [=](benchmark::State& state) { run_steps(state, config, threads); })
              ->Unit(benchmark::kMillisecond)
              ->UseRealTime();
        }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
