#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <string>

#include "ref/numeric/parallel.hpp"
#include "ref/numeric/random.hpp"
#include "ref/train/trainer.hpp"

// Measures the time of one training step with vocabulary 30522 and SGD, without dropout.
// torch_training.py times the same steps in PyTorch. The batch has 32 sentences of 64 tokens.
// Benchmark names are <layers>x<d_model>-<activation>/<threads>. To show scaling, other benchmarks
// change one size of 1x64-relu; their names are <batch|sequence|layers|d_model>=<size>/<threads>.
namespace {

namespace model = normproof::ref::model;
namespace train = normproof::ref::train;

constexpr std::size_t kVocabulary = 30522;

struct Size {
  std::size_t batch = 32, sequence = 64, layers = 1, d_model = 64;
  model::Activation activation = model::Activation::relu;
};

model::TrainConfig make_config(const Size& size) {
  model::TrainConfig config;
  config.encoder.vocab_size = kVocabulary;
  config.encoder.d_model = size.d_model;
  config.encoder.num_heads = 4;
  config.encoder.d_ff = 4 * size.d_model;
  config.encoder.num_layers = size.layers;
  config.encoder.activation = size.activation;
  config.encoder.dropout = 0;
  config.encoder.positions = false;
  config.learning_rate = 1e-3;
  return config;
}

train::LabelledBatch random_batch(const Size& size) {
  const normproof::ref::numeric::RandomStream random(1, "tokens");
  train::LabelledBatch batch{{{size.batch, size.sequence, {}}, {}}, {}};
  for (std::size_t i = 0; i < size.batch * size.sequence; ++i)
    batch.inputs.tokens.ids.push_back(static_cast<std::int32_t>(random.below(i, kVocabulary)));
  for (std::size_t b = 0; b < size.batch; ++b) batch.labels.push_back(static_cast<int>(b % 3));
  return batch;
}

void run_steps(benchmark::State& state, const Size& size, int threads) {
  normproof::ref::numeric::set_num_threads(threads);
  const model::TrainConfig config = make_config(size);
  train::TrainState<double> run = train::initial_train_state(config);
  const std::vector<train::LabelledBatch> batches = {random_batch(size)};
  // The first steps are not timed, because they touch their memory for the first time. The
  // benchmark of PyTorch does the same.
  for (int i = 0; i < 2; ++i) train::train_step<double>(config, batches, {}, run);
  for (auto _ : state)
    benchmark::DoNotOptimize(train::train_step<double>(config, batches, {}, run).loss);
}

void add(const std::string& name, const Size& size) {
  for (const int threads : {1, 2})
    benchmark::RegisterBenchmark(fmt::format("{}/{}/", name, threads).c_str(),
                                 [=](benchmark::State& state) { run_steps(state, size, threads); })
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime();
}

void add_scaling_benchmarks(const char* name, std::size_t Size::*field,
                            std::initializer_list<std::size_t> values) {
  for (const std::size_t value : values) {
    Size size;
    size.*field = value;
    add(fmt::format("{}={}", name, value), size);
  }
}

}  // namespace

int main(int argc, char** argv) {
  for (const std::size_t layers : {1, 5})
    for (const std::size_t d_model : {64, 128, 256})
      for (const auto& [name, activation] :
           {std::pair{"relu", model::Activation::relu}, std::pair{"gelu", model::Activation::gelu}})
        add(fmt::format("{}x{}-{}", layers, d_model, name),
            {.layers = layers, .d_model = d_model, .activation = activation});
  add_scaling_benchmarks("batch", &Size::batch, {8, 16, 32, 64, 128});
  add_scaling_benchmarks("sequence", &Size::sequence, {16, 32, 64, 128, 256, 512});
  add_scaling_benchmarks("layers", &Size::layers, {1, 2, 4, 8});
  add_scaling_benchmarks("d_model", &Size::d_model, {32, 64, 128, 256, 512});
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
