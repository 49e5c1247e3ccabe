#include "verification/agreement/trajectory.hpp"

#include <fmt/format.h>

#include <optional>

#include "ref/numeric/random.hpp"
#include "verification/agreement/device_state.hpp"

namespace normproof::verification::agreement {

using gpu::device::Device;

std::vector<ref::train::LabelledBatch> batches_of(const Trajectory& trajectory, std::int64_t step) {
  std::vector<ref::train::LabelledBatch> batches;
  const std::int64_t each = trajectory.config.accumulation;
  batches.reserve(static_cast<std::size_t>(each));
  for (std::int64_t i = 0; i < each; ++i) batches.push_back(batch_of(trajectory, step * each + i));
  return batches;
}

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

std::string trajectory_of_ref(const Trajectory& trajectory,
                              const std::function<void(std::int64_t, double)>& seen) {
  auto state = ref::train::initial_train_state(trajectory.config);
  for (std::int64_t s = 0; s < trajectory.steps; ++s) {
    const auto batches = batches_of(trajectory, s);
    seen(s + 1, ref::train::train_step<double>(trajectory.config, batches, {}, state).loss);
  }
  return ref::train::state_sha256(state);
}

std::string trajectory_of_device(Device& device, const Trajectory& trajectory,
                                 const std::function<void(std::int64_t, double)>& seen,
                                 const gpu::ops::Products& products) {
  auto state = on_device(device, ref::train::initial_train_state(trajectory.config));
  for (std::int64_t s = 0; s < trajectory.steps; ++s) {
    const auto batches = on_device(device, batches_of(trajectory, s));
    seen(s + 1, gpu::train::train_step(trajectory.config, batches, {}, state, products).loss);
  }
  return ref::train::state_sha256(on_host(state));
}

void agree_on_trajectory(Device& device, const Trajectory& trajectory, std::string_view case_name,
                         Rows& rows) {
  rows.begin("training", case_name);
  auto expected = ref::train::initial_train_state(trajectory.config);
  auto state = on_device(device, expected);
  for (std::int64_t s = 0; s < trajectory.steps; ++s) {
    const auto batches = batches_of(trajectory, s);
    const auto by_ref = ref::train::train_step<double>(trajectory.config, batches, {}, expected);
    const auto got =
        gpu::train::train_step(trajectory.config, on_device(device, batches), {}, state);
    rows.compare(fmt::format("loss of step {}", s + 1), got.loss, by_ref.loss);
    rows.compare(fmt::format("gradient norm of step {}", s + 1), got.gradient_norms.whole,
                 by_ref.gradient_norms.whole);
  }
  const auto host = on_host(state);
  for (const auto& [name, values] : expected.parameters)
    rows.compare(name, host.parameters.at(name), values);
  for (const auto& [name, values] : expected.norms) rows.compare(name, host.norms.at(name), values);
}

void for_each_training(std::uint64_t seed,
                       const std::function<void(const std::string&, const Trajectory&)>& take) {
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
      config.loss.label_smoothing = post ? 0.1 : 0;
      config.max_gradient_norm = post ? std::optional(0.5) : std::nullopt;
      config.accumulation = 1;
      take(fmt::format("{}/{}", norm, post ? "post" : "pre"), trajectory);
      if (post && !ref::model::norm_layer(config.encoder.norm).over_samples()) {
        config.encoder.causal = true;
        config.encoder.pooling = ref::model::Pooling::per_position;
        take(fmt::format("{}/post/causal", norm), trajectory);
        config.encoder.causal = false;
        config.encoder.pooling = ref::model::Pooling::masked_mean;
      }
      config.accumulation = 3;
      if (!post) take(fmt::format("{}/pre/accumulation", norm), trajectory);
    }
}

void agree_on_training(Device& device, std::uint64_t seed, Rows& rows) {
  for_each_training(seed, [&](const std::string& name, const Trajectory& trajectory) {
    agree_on_trajectory(device, trajectory, name, rows);
  });
}

}  // namespace normproof::verification::agreement
