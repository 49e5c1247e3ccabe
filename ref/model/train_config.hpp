#pragma once

#include <cstdint>
#include <optional>

#include "ref/model/encoder_config.hpp"
#include "ref/model/train_options.hpp"

namespace normproof::ref::model {

/// How classes weigh in the loss: all alike; N / (C n_c), so that the mean over the corpus is 1;
/// n_c itself.
enum class ClassWeights { none, inverse_frequency, frequency };

inline EnumNames<ClassWeights> names_of(ClassWeights) {
  static constexpr std::pair<const char*, ClassWeights> kNames[] = {
      {"none", ClassWeights::none},
      {"inverse_frequency", ClassWeights::inverse_frequency},
      {"frequency", ClassWeights::frequency}};
  return kNames;
}

/// Biases of linear maps before the first step: 0; or U(-1/sqrt(fan_in), 1/sqrt(fan_in)), those of
/// attention 0.
enum class BiasInitialization { zero, fan_in_uniform };

inline EnumNames<BiasInitialization> names_of(BiasInitialization) {
  static constexpr std::pair<const char*, BiasInitialization> kNames[] = {
      {"zero", BiasInitialization::zero}, {"fan_in_uniform", BiasInitialization::fan_in_uniform}};
  return kNames;
}

/// A training run: pure description.
struct TrainConfig {
  EncoderConfig encoder = {};
  OptimizerOptions optimizer = SgdOptions{};
  ScheduleOptions schedule = ConstantRate{};
  LossOptions loss = {};
  ClassWeights class_weights = ClassWeights::inverse_frequency;
  InitializationOptions initialization = XavierNormal{};  ///< outside the feed-forward
  InitializationOptions feed_forward_initialization = KaimingNormal{.gain = 1.4142135623730951};
  BiasInitialization bias_initialization = BiasInitialization::zero;
  double learning_rate = 0.1;
  std::optional<double> max_gradient_norm = {};  ///< absent: no clipping
  std::int64_t accumulation = 1;                 ///< batches whose mean gradient makes one step
  std::uint64_t seed = 42;
};

}  // namespace normproof::ref::model
