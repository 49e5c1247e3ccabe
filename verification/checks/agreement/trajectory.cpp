#include "verification/checks/agreement/trajectory.hpp"

#include <fmt/format.h>

#include <optional>

#include "ref/numeric/random.hpp"
#include "verification/checks/agreement/device_state.hpp"

namespace normproof::verification::checks::agreement {

using gpu::device::Device;
using ref::model::NormPlacement;
using ref::numeric::RandomStream;

namespace {

RandomStream make_random_stream(const TrainingRun& trajectory, std::int64_t step,
                                const char* name) {
  return {trajectory.config.seed, fmt::format("agreement/{}/{}", step, name)};
}

/// Returns padded sentences: `b` sentences of at most `t` tokens. The tokens are drawn from `ids`,
/// and the lengths of the sentences are drawn from `lengths`.
ref::encoder::EncoderInputs padded_sentences(const RandomStream& ids, const RandomStream& lengths,
                                             std::size_t b, std::size_t t, std::size_t vocabulary) {
  ref::encoder::EncoderInputs inputs;
  inputs.tokens = {b, t, std::vector<std::int32_t>(b * t, 0)};
  inputs.valid = ref::tensor::full_tensor<bool>({b, t}, false);
  for (std::size_t s = 0; s < b; ++s) {
    const std::size_t length = 1 + lengths.below(s, t);
    for (std::size_t i = s * t; i < s * t + length; ++i) {
      inputs.tokens.ids[i] = static_cast<std::int32_t>(ids.below(i, vocabulary));
      inputs.valid.data()[i] = true;
    }
  }
  return inputs;
}

/// Returns a random target for each real token, and kIgnored for padding.
std::vector<int> random_targets(const RandomStream& random,
                                const ref::encoder::EncoderInputs& inputs, std::size_t vocabulary) {
  std::vector<int> targets;
  for (std::size_t i = 0; i < inputs.tokens.ids.size(); ++i)
    targets.push_back(inputs.valid.data()[i] ? static_cast<int>(random.below(i, vocabulary))
                                             : ref::train::kIgnored);
  return targets;
}

/// Returns all batches of a step. batch(trajectory, number) makes one batch.
template <class F>
auto select_step_batches(const TrainingRun& trajectory, std::int64_t step, const F& batch) {
  std::vector<decltype(batch(trajectory, step))> batches;
  const std::int64_t each = trajectory.config.accumulation;
  batches.reserve(static_cast<std::size_t>(each));
  for (std::int64_t i = 0; i < each; ++i) batches.push_back(batch(trajectory, step * each + i));
  return batches;
}

ref::train::TrainState<double> initial_state(const TrainingRun& trajectory) {
  if (trajectory.task == TrainingTask::translation)
    return ref::train::initial_translation_state({trajectory.translator, trajectory.config});
  return ref::train::initial_train_state(trajectory.config);
}

/// Runs step s of a training run with ref. The first step is 0.
ref::train::StepResult<double> run_step_on_ref(const TrainingRun& trajectory, std::int64_t s,
                                               ref::train::TrainState<double>& state) {
  const auto& config = trajectory.config;
  if (trajectory.task == TrainingTask::language)
    return ref::train::language_step<double>(
        config, select_step_batches(trajectory, s, draw_text_batch), state);
  if (trajectory.task == TrainingTask::translation)
    return ref::train::translation_step<double>({trajectory.translator, config},
                                                select_step_batches(trajectory, s, draw_pair_batch),
                                                state);
  return ref::train::train_step<double>(
      config, select_step_batches(trajectory, s, draw_labelled_batch), {}, state);
}

gpu::train::StepResult run_step_on_device(Device& device, const TrainingRun& trajectory,
                                          std::int64_t s, gpu::train::TrainState& state,
                                          const gpu::ops::Products& products) {
  const auto& config = trajectory.config;
  const auto batches = [&](const auto& batch) {
    return on_device(device, select_step_batches(trajectory, s, batch));
  };
  if (trajectory.task == TrainingTask::language)
    return gpu::train::language_step(config, batches(draw_text_batch), state, products);
  if (trajectory.task == TrainingTask::translation)
    return gpu::train::translation_step({trajectory.translator, config}, batches(draw_pair_batch),
                                        state, products);
  return gpu::train::train_step(config, batches(draw_labelled_batch), {}, state, products);
}

}  // namespace

std::string row_name(TrainingTask task) {
  if (task == TrainingTask::language) return "training_language";
  return task == TrainingTask::translation ? "training_translation" : "training";
}

ref::train::LabelledBatch draw_labelled_batch(const TrainingRun& trajectory, std::int64_t step) {
  const ref::model::EncoderConfig& encoder = trajectory.config.encoder;
  const std::size_t b = trajectory.batch_size;
  ref::train::LabelledBatch batch;
  batch.inputs = padded_sentences(make_random_stream(trajectory, step, "ids"),
                                  make_random_stream(trajectory, step, "lengths"), b,
                                  trajectory.seq_len, encoder.vocab_size);
  const RandomStream labels = make_random_stream(trajectory, step, "labels");
  for (std::size_t s = 0; s < b; ++s)
    batch.labels.push_back(static_cast<int>(labels.below(s, encoder.num_classes)));
  return batch;
}

ref::train::TextBatch draw_text_batch(const TrainingRun& trajectory, std::int64_t step) {
  const std::size_t vocabulary = trajectory.config.encoder.vocab_size;
  ref::train::TextBatch batch;
  batch.inputs = padded_sentences(make_random_stream(trajectory, step, "ids"),
                                  make_random_stream(trajectory, step, "lengths"),
                                  trajectory.batch_size, trajectory.seq_len, vocabulary);
  batch.targets =
      random_targets(make_random_stream(trajectory, step, "targets"), batch.inputs, vocabulary);
  return batch;
}

ref::train::PairBatch draw_pair_batch(const TrainingRun& trajectory, std::int64_t step) {
  const ref::model::DecoderConfig& translator = trajectory.translator;
  ref::train::PairBatch batch;
  batch.inputs.source = padded_sentences(
      make_random_stream(trajectory, step, "ids"), make_random_stream(trajectory, step, "lengths"),
      trajectory.batch_size, trajectory.seq_len, translator.source_vocab_size);
  batch.inputs.target =
      padded_sentences(make_random_stream(trajectory, step, "target/ids"),
                       make_random_stream(trajectory, step, "target/lengths"),
                       trajectory.batch_size, trajectory.seq_len - 1, translator.target_vocab_size);
  batch.targets = random_targets(make_random_stream(trajectory, step, "targets"),
                                 batch.inputs.target, translator.target_vocab_size);
  return batch;
}

std::string run_training_on_ref(const TrainingRun& trajectory,
                                const std::function<void(std::int64_t, double)>& seen) {
  auto state = initial_state(trajectory);
  for (std::int64_t s = 0; s < trajectory.steps; ++s)
    seen(s + 1, run_step_on_ref(trajectory, s, state).loss);
  return ref::train::state_sha256(state);
}

std::string run_training_on_device(Device& device, const TrainingRun& trajectory,
                                   const std::function<void(std::int64_t, double)>& seen,
                                   const gpu::ops::Products& products) {
  auto state = on_device(device, initial_state(trajectory));
  for (std::int64_t s = 0; s < trajectory.steps; ++s)
    seen(s + 1, run_step_on_device(device, trajectory, s, state, products).loss);
  return ref::train::state_sha256(copy_to_host(state));
}

void compare_trajectory(Device& device, const TrainingRun& trajectory, std::string_view case_name,
                        Rows& rows) {
  rows.begin(row_name(trajectory.task), case_name);
  auto expected = initial_state(trajectory);
  auto state = on_device(device, expected);
  for (std::int64_t s = 0; s < trajectory.steps; ++s) {
    const auto by_ref = run_step_on_ref(trajectory, s, expected);
    const auto got = run_step_on_device(device, trajectory, s, state, gpu::ops::ordered_products());
    rows.compare(fmt::format("loss of step {}", s + 1), got.loss, by_ref.loss);
    rows.compare(fmt::format("gradient norm of step {}", s + 1), got.gradient_norms.whole,
                 by_ref.gradient_norms.whole);
  }
  const auto host = copy_to_host(state);
  for (const auto& [name, values] : expected.parameters)
    rows.compare(name, host.parameters.at(name), values);
  for (const auto& [name, values] : expected.norms) rows.compare(name, host.norms.at(name), values);
}

namespace {

using TakeTrajectory = std::function<void(const std::string&, const TrainingRun&)>;

/// Returns a training run of two steps with three sentences. With post-norm it uses SGD, smoothed
/// labels and clipping; with pre-norm it uses Adam.
TrainingRun make_short_training_run(std::uint64_t seed, TrainingTask task,
                                    NormPlacement placement) {
  const bool post = placement == NormPlacement::post;
  TrainingRun trajectory;
  trajectory.task = task;
  trajectory.batch_size = 3;
  trajectory.seq_len = 5;
  trajectory.steps = 2;
  auto& config = trajectory.config;
  config.seed = seed;
  config.optimizer = post ? ref::model::OptimizerOptions{ref::model::SgdOptions{}}
                          : ref::model::OptimizerOptions{ref::model::AdamOptions{}};
  config.learning_rate = 0.01;
  config.loss.label_smoothing = post ? 0.1 : 0;
  config.max_gradient_norm = post ? std::optional(0.5) : std::nullopt;
  config.encoder = {
      .vocab_size = 13,
      .d_model = 8,
      .num_heads = 2,
      .d_ff = 12,
      .num_layers = 2,
      .activation = post ? ref::model::Activation::relu : ref::model::Activation::gelu,
      .placement = placement};
  return trajectory;
}

bool has_statistics_over_samples(const std::string& norm) {
  return ref::model::norm_layer(ref::model::norm_options(norm)).uses_statistics_per_sample();
}

void set_causal(ref::model::EncoderConfig& encoder) {
  encoder.causal = true;
  encoder.pooling = ref::model::Pooling::per_position;
}

void collect_classifier_runs(const std::string& norm, TrainingRun trajectory,
                             const std::string& name, const TakeTrajectory& take) {
  auto& config = trajectory.config;
  config.encoder.norm = ref::model::norm_options(norm);
  take(name, trajectory);
  if (config.encoder.placement == NormPlacement::pre) {
    config.accumulation = 3;
    take(name + "/accumulation", trajectory);
  } else if (!has_statistics_over_samples(norm)) {
    set_causal(config.encoder);
    take(name + "/causal", trajectory);
  }
}

void collect_language_runs(const std::string& norm, TrainingRun trajectory, const std::string& name,
                           const TakeTrajectory& take) {
  if (has_statistics_over_samples(norm)) return;
  auto& config = trajectory.config;
  config.encoder.norm = ref::model::norm_options(norm);
  config.encoder.num_classes = config.encoder.vocab_size;
  set_causal(config.encoder);
  const bool post = config.encoder.placement == NormPlacement::post;
  config.encoder.tied_head = post;
  config.encoder.scaled_embedding = !post;
  config.accumulation = post ? 1 : 2;
  take(name, trajectory);
}

/// Calls `take` with a translation run whose encoder uses the norm `norm`. The decoder uses the
/// same norm, or layer_norm if `norm` has statistics over sentences.
void collect_translation_runs(const std::string& norm, TrainingRun trajectory,
                              const std::string& name, const TakeTrajectory& take) {
  const ref::model::EncoderConfig& like = trajectory.config.encoder;
  const auto side = [&](const std::string& own) {
    const ref::model::NormOptions options = ref::model::norm_options(own);
    return ref::model::LayersConfig{like.num_heads, like.d_ff, 1, options, options};
  };
  const bool post = like.placement == NormPlacement::post;
  trajectory.translator = {.source_vocab_size = 13,
                           .target_vocab_size = 11,
                           .d_model = like.d_model,
                           .encoder = side(norm),
                           .decoder = side(has_statistics_over_samples(norm) ? "layer_norm" : norm),
                           .placement = like.placement,
                           .activation = like.activation,
                           .scaled_embedding = post,
                           .tied_head = !post};
  trajectory.config.accumulation = post ? 2 : 1;
  take(name, trajectory);
}

}  // namespace

void for_each_training(std::uint64_t seed, TrainingTask task, const TakeTrajectory& take) {
  const auto with = task == TrainingTask::classes    ? collect_classifier_runs
                    : task == TrainingTask::language ? collect_language_runs
                                                     : collect_translation_runs;
  for (const std::string& norm : ref::model::norm_names())
    for (const auto placement : {NormPlacement::post, NormPlacement::pre})
      with(norm, make_short_training_run(seed, task, placement),
           fmt::format("{}/{}", norm, placement == NormPlacement::post ? "post" : "pre"), take);
}

void compare_training(Device& device, std::uint64_t seed, TrainingTask task, Rows& rows) {
  for_each_training(seed, task, [&](const std::string& name, const TrainingRun& trajectory) {
    compare_trajectory(device, trajectory, name, rows);
  });
}

}  // namespace normproof::verification::checks::agreement
