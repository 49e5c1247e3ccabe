#pragma once

#include <cstdint>
#include <optional>

#include "ref/model/encoder_config.hpp"
#include "ref/model/train_options.hpp"

namespace normproof::ref::model {

/// The weight of each class c in the loss. With `none`, all weights are equal. With
/// `inverse_frequency`, the weight is `N / (C n_c)`, so the mean weight of the examples of the
/// corpus is 1. With `frequency`, the weight is `n_c`. Here N is the number of examples, C the
/// number of classes, and n_c the number of examples in class c.
enum class ClassWeights { none, inverse_frequency, frequency };

inline EnumNames<ClassWeights> enum_names(ClassWeights) {
  static constexpr std::pair<const char*, ClassWeights> kNames[] = {
      {"none", ClassWeights::none},
      {"inverse_frequency", ClassWeights::inverse_frequency},
      {"frequency", ClassWeights::frequency}};
  return kNames;
}

/// The initial biases of linear maps. With `zero`, all biases are 0. With `fan_in_uniform`, a bias
/// is drawn uniformly from -1/sqrt(fan_in) to 1/sqrt(fan_in), but the biases of attention are 0.
enum class BiasInitialization { zero, fan_in_uniform };

inline EnumNames<BiasInitialization> enum_names(BiasInitialization) {
  static constexpr std::pair<const char*, BiasInitialization> kNames[] = {
      {"zero", BiasInitialization::zero}, {"fan_in_uniform", BiasInitialization::fan_in_uniform}};
  return kNames;
}

/// The configuration of a training run.
struct TrainConfig {
  EncoderConfig encoder = {};
  OptimizerOptions optimizer = SgdOptions{};
  ScheduleOptions schedule = ConstantRate{};
  LossOptions loss = {};
  ClassWeights class_weights = ClassWeights::inverse_frequency;
  /// How the weights outside the feed-forward are initialized.
  InitializationOptions initialization = XavierNormal{};
  InitializationOptions feed_forward_initialization = KaimingNormal{.gain = 1.4142135623730951};
  BiasInitialization bias_initialization = BiasInitialization::zero;
  double learning_rate = 0.1;
  std::optional<double> max_gradient_norm = {};  ///< if absent, gradients are not clipped
  /// The number of batches whose gradients are averaged for one step.
  std::int64_t accumulation = 1;
  std::uint64_t seed = 42;
};

}  // namespace normproof::ref::model
