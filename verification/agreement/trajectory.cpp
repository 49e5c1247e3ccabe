#include "verification/agreement/trajectory.hpp"

#include <fmt/format.h>

#include <array>

#include "ref/numeric/random.hpp"

namespace normproof::verification::agreement {
namespace {

using gpu::device::Device;
using gpu::device::download;
using gpu::device::upload;

gpu::train::LabelledBatch batch_on_device(Device& device, const ref::train::LabelledBatch& batch) {
  const ref::nn::Tokens& tokens = batch.inputs.tokens;
  return {{{tokens.batch_size, tokens.seq_len, tokens.ids},
           gpu::device::DeviceMask(device, batch.inputs.valid)},
          batch.labels};
}

}  // namespace

ref::train::LabelledBatch batch_of(const Trajectory& trajectory, std::int64_t step) {
  const std::uint64_t seed = trajectory.config.seed;
  const ref::numeric::RandomStream ids(seed, fmt::format("agreement/{}/ids", step));
  const ref::numeric::RandomStream lengths(seed, fmt::format("agreement/{}/lengths", step));
  const ref::numeric::RandomStream labels(seed, fmt::format("agreement/{}/labels", step));
  const std::size_t b = trajectory.batch_size, t = trajectory.seq_len;
  ref::train::LabelledBatch batch;
  batch.inputs.tokens = {b, t, std::vector<std::int32_t>(b * t, 0)};
  batch.inputs.valid = ref::tensor::full_tensor<bool>({b, t}, false);
  batch.labels.assign(b, 0);
  for (std::size_t s = 0; s < b; ++s) {
    const std::size_t length = 1 + lengths.below(s, t);
    for (std::size_t i = s * t; i < s * t + length; ++i) {
      batch.inputs.tokens.ids[i] =
          static_cast<std::int32_t>(ids.below(i, trajectory.config.encoder.vocab_size));
      batch.inputs.valid.data()[i] = true;
    }
    batch.labels[s] = static_cast<int>(labels.below(s, trajectory.config.encoder.num_classes));
  }
  return batch;
}

gpu::train::TrainState on_device(Device& device, const ref::train::TrainState<double>& state) {
  gpu::train::TrainState result;
  for (const auto& [name, values] : state.parameters)
    result.parameters.set(name, upload(device, values));
  for (const auto& [name, values] : state.norms) result.norms.set(name, upload(device, values));
  for (const auto& [name, values] : state.optimizer.moments)
    result.optimizer.moments.set(name, upload(device, values));
  result.optimizer.step = state.optimizer.step;
  result.step = state.step;
  return result;
}

ref::train::TrainState<double> on_host(const gpu::train::TrainState& state) {
  ref::train::TrainState<double> result;
  for (const auto& [name, values] : state.parameters) result.parameters.set(name, download(values));
  for (const auto& [name, values] : state.norms) result.norms.set(name, download(values));
  for (const auto& [name, values] : state.optimizer.moments)
    result.optimizer.moments.set(name, download(values));
  result.optimizer.step = state.optimizer.step;
  result.step = state.step;
  return result;
}

std::string trajectory_of_ref(const Trajectory& trajectory,
                              const std::function<void(std::int64_t, double)>& seen) {
  auto state = ref::train::initial_train_state(trajectory.config);
  for (std::int64_t s = 0; s < trajectory.steps; ++s) {
    const std::array<ref::train::LabelledBatch, 1> batches{batch_of(trajectory, s)};
    seen(s + 1, ref::train::train_step<double>(trajectory.config, batches, {}, state).loss);
  }
  return ref::train::state_sha256(state);
}

std::string trajectory_of_device(Device& device, const Trajectory& trajectory,
                                 const std::function<void(std::int64_t, double)>& seen) {
  auto state = on_device(device, ref::train::initial_train_state(trajectory.config));
  for (std::int64_t s = 0; s < trajectory.steps; ++s) {
    const auto batch = batch_on_device(device, batch_of(trajectory, s));
    seen(s + 1, gpu::train::train_step(trajectory.config, batch, {}, state).loss);
  }
  return ref::train::state_sha256(on_host(state));
}

void agree_on_trajectory(Device& device, const Trajectory& trajectory, std::string_view case_name,
                         Rows& rows) {
  rows.begin("training", case_name);
  auto expected = ref::train::initial_train_state(trajectory.config);
  auto state = on_device(device, expected);
  for (std::int64_t s = 0; s < trajectory.steps; ++s) {
    const std::array<ref::train::LabelledBatch, 1> batches{batch_of(trajectory, s)};
    const auto by_ref = ref::train::train_step<double>(trajectory.config, batches, {}, expected);
    const auto got =
        gpu::train::train_step(trajectory.config, batch_on_device(device, batches[0]), {}, state);
    rows.compare(fmt::format("loss of step {}", s + 1), got.loss, by_ref.loss);
    rows.compare(fmt::format("gradient norm of step {}", s + 1), got.gradient_norms.whole,
                 by_ref.gradient_norms.whole);
  }
  const auto host = on_host(state);
  for (const auto& [name, values] : expected.parameters)
    rows.compare(name, host.parameters.at(name), values);
  for (const auto& [name, values] : expected.norms) rows.compare(name, host.norms.at(name), values);
}

void agree_on_training(Device& device, std::uint64_t seed, Rows& rows) {
  using ref::model::NormPlacement;
  Trajectory trajectory;
  trajectory.batch_size = 3;
  trajectory.seq_len = 5;
  trajectory.steps = 2;
  auto& config = trajectory.config;
  config.seed = seed;
  for (const std::string& norm : ref::model::norm_names())
    for (const auto placement : {NormPlacement::post, NormPlacement::pre}) {
      const bool post = placement == NormPlacement::post;
      config.encoder = {
          .vocab_size = 13,
          .d_model = 8,
          .num_heads = 2,
          .d_ff = 12,
          .num_layers = 2,
          .activation = post ? ref::model::Activation::relu : ref::model::Activation::gelu,
          .placement = placement,
          .norm = ref::model::norm_options(norm)};
      config.optimizer = post ? ref::model::OptimizerOptions{ref::model::SgdOptions{}}
                              : ref::model::OptimizerOptions{ref::model::AdamOptions{}};
      config.learning_rate = 0.01;
      agree_on_trajectory(device, trajectory, fmt::format("{}/{}", norm, post ? "post" : "pre"),
                          rows);
    }
}

}  // namespace normproof::verification::agreement
