#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "gpu/norm/norm.hpp"
#include "gpu/ops/library_products.hpp"
#include "gpu/train/trainer.hpp"
#include "ref/numeric/random.hpp"
#include "ref/train/train_state.hpp"
#include "verification/benchmark/device_rows.hpp"
#if defined(NORMPROOF_CUDA)
#include "gpu/device/cuda_device.cuh"
#endif

namespace normproof::verification::benchmark {
namespace {

namespace model = ref::model;

/// The shape of a norm's input: number of rows and width. `length` is T if the input has the shape
/// [B,T,D].
struct NormSize {
  std::size_t rows, width, length;
};

std::vector<NormSize> norm_sizes(bool tiny) {
  if (tiny) return {{64, 8, 8}, {16, 32, 8}};
  return {{65536, 1024, 128}, {8192, 8192, 128}};
}

std::size_t bytes_touched(const NormSize& size) {
  return size.rows * size.width * sizeof(double);
}

void copy_on_device(Device& device, double* to, const double* from, std::size_t bytes) {
#if defined(NORMPROOF_CUDA)
  if (device.backend() == gpu::device::Backend::cuda) {
    NORMPROOF_CUDA_CALL(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice,
                                        gpu::device::cuda_stream(device)));
    return;
  }
#endif
  device.enqueue([=] { std::copy_n(from, bytes / sizeof(double), to); });
}

gpu::norm::NormInputs norm_inputs(DeviceRows& rows, const model::NormOptions& options,
                                  const NormSize& size) {
  const Shape shape = {size.rows / size.length, size.length, size.width};
  gpu::norm::NormInputs in{.x = rows.numbers("x", shape), .grad_y = rows.numbers("grad_y", shape)};
  for (const model::NormParameter& own : model::norm_layer(options).parameters)
    gpu::norm::set_parameter(
        in, own.name,
        rows.numbers(std::string(own.name), {model::entry_extent(own.shape, size.width)}));
  return in;
}

DeviceWork make_norm_work(DeviceRows& rows, const std::string& row, const std::string& name,
                          const NormSize& size, bool backward) {
  const model::NormOptions options = model::norm_options(name);
  const gpu::norm::NormInputs in = norm_inputs(rows, options, size);
  const auto state = gpu::norm::initial_state(rows.device(), options, size.width);
  if (!backward)
    return record_layer(rows.device(), row, [=] { gpu::norm::norm_forward(options, in, state); });
  const auto forward = gpu::norm::norm_forward(options, in, state);
  return record_layer(rows.device(), row, [=] { gpu::norm::norm_backward(options, in, forward); });
}

struct StepSize {
  std::size_t layers, d_model, batch, length, vocabulary;
};

model::TrainConfig make_config(const StepSize& size) {
  model::TrainConfig config;
  config.encoder.vocab_size = size.vocabulary;
  config.encoder.d_model = size.d_model;
  config.encoder.num_heads = 4;
  config.encoder.d_ff = 4 * size.d_model;
  config.encoder.num_layers = size.layers;
  config.encoder.dropout = 0;
  config.encoder.positions = false;
  config.learning_rate = 1e-3;
  return config;
}

/// A training run. Each timed repetition continues it.
struct TrainingRun {
  model::TrainConfig config;
  std::vector<gpu::train::LabelledBatch> batches;
  gpu::train::TrainState state;
};

TrainingRun make_training_run(Device& device, const StepSize& size) {
  TrainingRun run{make_config(size), {}, {}};
  const ref::numeric::RandomStream random(1, "tokens");
  gpu::train::LabelledBatch batch{{{size.batch, size.length, {}}, {}}, {}, {}};
  for (std::size_t i = 0; i < size.batch * size.length; ++i)
    batch.inputs.tokens.ids.push_back(static_cast<std::int32_t>(random.below(i, size.vocabulary)));
  for (std::size_t b = 0; b < size.batch; ++b) batch.labels.push_back(static_cast<int>(b % 3));
  run.batches.push_back(std::move(batch));
  const auto state = ref::train::initial_train_state(run.config);
  run.state.parameters = gpu::device::upload(device, state.parameters);
  run.state.norms = gpu::device::upload(device, state.norms);
  run.state.optimizer.moments = gpu::device::upload(device, state.optimizer.moments);
  return run;
}

}  // namespace

void add_copy_benchmarks(DeviceRows& rows) {
  const NormSize size = norm_sizes(rows.tiny()).front();
  rows.add({.name = fmt::format("copy/{}", bytes_touched(size)),
            .batch = rows.tiny() ? 1 : 20,
            .bytes = 2.0 * static_cast<double>(bytes_touched(size)),
            .operations = 0,
            .prepare = [&rows, size] {
              const auto from = rows.numbers("x", {size.rows * size.width});
              DeviceTensor<double> to(rows.device(), from.shape());
              return DeviceWork{[&rows, from, to](std::int64_t times) mutable {
                for (std::int64_t i = 0; i < times; ++i)
                  copy_on_device(rows.device(), to.span().data, from.span().data,
                                 from.size() * sizeof(double));
              }};
            }});
}

void add_norm_benchmarks(DeviceRows& rows) {
  for (const NormSize& size : norm_sizes(rows.tiny()))
    for (const std::string& name : model::norm_names())
      for (const bool backward : {false, true}) {
        const std::string row = fmt::format(
            "norm/{}/{}/{}x{}", name, backward ? "backward" : "forward", size.rows, size.width);
        // Forward reads and writes two tensors, x and y. Backward reads and writes three: x, grad_y
        // and grad_x. The norm `none` only reads one tensor, to check its values.
        const bool none = std::holds_alternative<model::NoneOptions>(model::norm_options(name));
        const double tensors = none ? 1 : backward ? 3 : 2;
        rows.add({.name = row,
                  .batch = rows.tiny() ? 2 : 50,
                  .bytes = tensors * static_cast<double>(bytes_touched(size)),
                  .operations = 0,
                  .prepare = [&rows, row, name, size, backward] {
                    return make_norm_work(rows, row, name, size, backward);
                  }});
      }
}

void add_training_step_benchmarks(DeviceRows& rows) {
  const StepSize size = rows.tiny() ? StepSize{1, 16, 3, 8, 40} : StepSize{5, 256, 256, 128, 30522};
  const auto run = std::make_shared<std::optional<TrainingRun>>();
  const auto library = std::make_shared<gpu::ops::LibraryProducts>(gpu::ops::Precision::float64);
  for (const bool ordered : {true, false})
    rows.add({.name = fmt::format("step/{}x{}/{}x{}/{}/{}", size.layers, size.d_model, size.batch,
                                  size.length, size.vocabulary, ordered ? "ordered" : "double"),
              .batch = rows.tiny() ? 1 : 3,
              .bytes = 0,
              .operations = static_cast<double>(size.batch * size.length),
              .prepare = [&rows, size, run, library, ordered] {
                if (!*run) *run = make_training_run(rows.device(), size);
                return DeviceWork{[run, library, ordered](std::int64_t times) {
                  TrainingRun& own = **run;
                  const gpu::ops::Products& products =
                      ordered ? gpu::ops::ordered_products() : *library;
                  for (std::int64_t i = 0; i < times; ++i)
                    gpu::train::train_step(own.config, own.batches, {}, own.state, products);
                }};
              }});
}

}  // namespace normproof::verification::benchmark
